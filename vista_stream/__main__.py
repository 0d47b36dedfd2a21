"""`python -m vista_stream` is the command line."""

import sys

from vista_stream.cli import main

sys.exit(main())
