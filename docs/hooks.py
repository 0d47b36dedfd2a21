"""Shows the project's other Markdown files on the site, and follows their links.

A page links to a file of the repository by its relative path, as it works in a checkout. On the site such a
link leads to the file's page where it has one. Otherwise its text remains and the link goes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent

SHOWN = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
    "benchmarks/README.md": "benchmarks.md",
    "benchmarks/tried.md": "tried.md",
    "benchmarks/results/flan_t5.md": "flan-t5-results.md",
    "benchmarks/results/peers.md": "peers-results.md",
    "benchmarks/results/peers_accuracy.md": "peers-accuracy.md",
    "vista_stream/models/README.md": "models.md",
    "vista_stream/training/README.md": "training.md",
    "vista_stream/training/versions.md": "versions.md",
    "examples/page.png": "page.png",
    "examples/report.png": "report.png",
    "benchmarks/results/scale.svg": "scale.svg",
}
"""Files outside docs/ that the site has, and where."""

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
_FENCE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the files of SHOWN to the site."""
    for source, place in SHOWN.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: Any, files: Files) -> str:
    """Point links at the site's pages."""
    source = Path(str(page.file.abs_src_path))

    def follow(link: re.Match[str]) -> str:
        target = link["target"]
        if ":" in target:
            return link[0]
        place = _place((source.parent / target).resolve())
        if place is None:
            return link["text"]
        relative = os.path.relpath(place, os.path.dirname(page.file.src_uri) or ".")
        return f"{link['image']}[{link['text']}]({relative}{link['anchor'] or ''})"

    pieces = _FENCE.split(markdown)  # every second piece is code
    return "".join(piece if number % 2 else _LINK.sub(follow, piece) for number, piece in enumerate(pieces))


def _place(path: Path) -> str | None:
    """Where the site has a file of the repository; None where it has not. A missing file keeps its path."""
    docs = ROOT / "docs"
    if path.is_relative_to(docs):
        return path.relative_to(docs).as_posix()
    if not path.is_relative_to(ROOT) or not path.exists():
        return path.as_posix()
    return SHOWN.get(path.relative_to(ROOT).as_posix())
