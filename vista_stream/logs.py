"""What a server's log must not hold: texts of users and models, and tokens."""

from __future__ import annotations

import logging


def drop_text(record: logging.LogRecord) -> bool:
    """A logging filter that removes exceptions, since their messages may quote what users or models wrote.

    Their kind is put behind the line's own message.
    """
    if record.exc_info and record.exc_info[0] is not None:
        record.msg = f"{record.msg} ({record.exc_info[0].__name__})"
    record.exc_info = record.exc_text = None
    return True
