"""Scored dialogues as one self-contained HTML page: it loads nothing from elsewhere and can be printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import pairwise
from string import Template
from typing import Any

from vista_stream.claims import Category
from vista_stream.scoring.records import Record

_GRAVITY = ("contradicted", "unresolved", "lacking_evidence", "abstention", "out_of_scope", "verified")
"""Categories from worst to best: where claims overlap in the text, the worst one gives the colour."""
_FIGURES = (
    ("dialogues", "dialogues"),
    ("turns", "turns"),
    ("claims", "claims"),
    ("unresolved", "unresolved claims"),
    ("verifiable_turns", "verifiable turns"),
    ("consistency", "consistency"),
    ("factscore", "FActScore precision"),
    ("vital_precision", "VITAL precision"),
    ("vital_recall", "VITAL recall"),
    ("nugget_recall", "nugget recall"),
    ("rlp", "RLP (turns in error)"),
    ("rlr", "RLR (turns in error)"),
)


def page(
    records: Iterable[Record],
    summary: Mapping[str, Any],
    *,
    title: str,
    about: str,
    run: Mapping[str, Any] | None = None,
) -> str:
    """The page as HTML; `about` is one line under the title, such as the method and the model.

    `run` is `Outlay.record()`: what the scoring run cost.
    """
    body = "\n".join(_dialogue(number, record) for number, record in enumerate(records))
    return fill_template(title=title, about=about, summary=_summary(summary, run or {}), body=body)


def fill_template(*, title: str, about: str, summary: str, body: str) -> str:
    """A page in the style of all reports; title and about are text, summary and body HTML."""
    assets = files("vista_stream.scoring") / "assets"
    template = Template((assets / "page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(title),
        about=escape(about),
        style=(assets / "page.css").read_text(encoding="utf-8"),
        summary=summary,
        body=body,
    )


def _summary(summary: Mapping[str, Any], run: Mapping[str, Any]) -> str:
    shown = [(name, summary[key]) for key, name in _FIGURES if summary.get(key) is not None]
    agreement = summary.get("agreement", {})
    for key, name in (("turn_accuracy", "turn accuracy"), ("macro_f1", "macro F1 of categories")):
        if key in agreement:
            shown.append((name, agreement[key]))
    figures = "".join(f"<div><dt>{name}</dt><dd>{_number(value)}</dd></div>" for name, value in shown)
    parts = [f'<dl class="figures">{figures}</dl>']
    if summary.get("shares"):
        parts.append(
            f"<h3>Categories of all claims</h3>{_bar(summary['shares'])}{_legend(summary['shares'])}"
        )
    tables = _curve(summary.get("cumulative_precision", ())) + _run(run)
    if "confusion" in agreement:
        tables += _matrix(agreement["labels"], agreement["confusion"])
    parts.append(f'<div class="beside">{tables}</div>')
    return "\n".join(parts)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _words(name: str) -> str:
    return escape(name.replace("_", " "))


def _bar(shares: Mapping[str, float], *, small: bool = False) -> str:
    told = ", ".join(f"{_words(name)} {share:.0%}" for name, share in shares.items() if share)
    pieces = "".join(
        f'<i class="{name}" style="width:{100 * share:.2f}%"></i>' for name, share in shares.items() if share
    )
    size = " small" if small else ""
    return f'<div class="bar{size}" role="img" aria-label="{told}">{pieces}</div>'


def _legend(shares: Mapping[str, float]) -> str:
    entries = (f'<li><i class="{name}"></i>{_words(name)} {share:.1%}</li>' for name, share in shares.items())
    return f'<ul class="legend">{"".join(entries)}</ul>'


def _curve(values: Sequence[float]) -> str:
    """Cumulative precision as an SVG plot, 100 units high, with a table for screen readers."""
    if len(values) < 2:
        return ""
    step = 440 / (len(values) - 1)
    points = [(50 + step * n, 130 - 110 * value) for n, value in enumerate(values)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="var(--out_of_scope)"/>' for x, y in points)
    grid = "".join(
        f'<line x1="50" x2="490" y1="{130 - 110 * level}" y2="{130 - 110 * level}" stroke="var(--line)"/>'
        f'<text x="42" y="{134 - 110 * level}" text-anchor="end">{level:g}</text>'
        for level in (0, 0.5, 1)
    )
    told = ", ".join(f"{n}: {value:.2f}" for n, value in enumerate(values, start=1))
    return (
        f'<figure><svg viewBox="0 0 500 165" role="img" aria-label="Cumulative precision by position: '
        f'{told}">'
        f'{grid}<polyline points="{line}" fill="none" stroke="var(--out_of_scope)" stroke-width="2"/>{dots}'
        f'<text x="50" y="150">1</text><text x="490" y="150" text-anchor="end">{len(values)}</text></svg>'
        "<figcaption>Share of verified claims among the first n, by n.</figcaption></figure>"
    )


def _matrix(labels: Sequence[str], counts: Sequence[Sequence[int]]) -> str:
    head = "".join(f'<th scope="col">{_words(label)}</th>' for label in labels)
    rows = "".join(
        f'<tr><th scope="row">{_words(label)}</th>{_cells(counts[row], hit=row)}</tr>'
        for row, label in enumerate(labels)
    )
    return (
        '<div class="scroll"><table class="matrix"><caption>Labels by people (rows) and categories found '
        f"(columns)</caption><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cells(counts: Sequence[int], *, hit: int) -> str:
    kinds = ["hit" if column == hit else "miss" for column in range(len(counts))]
    return "".join(f'<td class="{kind}">{n}</td>' for kind, n in zip(kinds, counts, strict=True))


def _run(run: Mapping[str, Any]) -> str:
    """Tables of the time by stage and of the prompts sent to an LLM."""
    stages = [(name, took["calls"], f"{took['seconds']:.2f}") for name, took in run.get("stages", {}).items()]
    prompts = [
        (
            f"{name} ({spent['version']})",
            *(spent[count] for count in ("calls", "cached", "prompt_tokens", "completion_tokens")),
            f"{spent['cost']:.4f}" if "cost" in spent else "–",
        )
        for name, spent in run.get("prompts", {}).items()
    ]
    heads = ("prompt", "calls", "from the cache", "prompt tokens", "reply tokens", "cost")
    return count_table("Time by stage", ("stage", "calls", "seconds"), stages) + count_table(
        "What the LLM was asked", heads, prompts
    )


def count_table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of numbers, the first cell of a row being its heading; empty without rows."""
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{escape(str(first))}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return (
        f'<div class="scroll"><table class="counts"><caption>{caption}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _dialogue(number: int, record: Record) -> str:
    parts = [f'<section aria-labelledby="d{number}"><h2 id="d{number}">{escape(record["id"])}</h2>']
    if record["background"]:
        facts = "".join(f"<li>{escape(fact)}</li>" for fact in record["background"])
        parts.append(f"<details><summary>Background knowledge</summary><ul>{facts}</ul></details>")
    for position, turn in enumerate(record["turns"]):
        parts.append(_turn(turn, f"d{number}t{position}"))
    for found in record.get("score", {}).get("inconsistencies", ()):
        since = "the background" if found["since"] < 0 else f"assistant turn {found['since'] + 1}"
        parts.append(
            f'<p class="contradicted"><b>Inconsistent:</b> assistant turn {found["turn"] + 1} contradicts '
            f"{since}: {escape(found['claim'])}</p>"
        )
    return "".join([*parts, "</section>"])


def _turn(turn: Record, key: str) -> str:
    if "verifiable" not in turn:
        said = f'<p class="role">{escape(turn["role"])}</p><p class="text">{escape(turn["text"])}</p>'
        return f'<div class="turn user">{said}</div>'
    claims = _claims(turn)
    found = {True: "verifiable", False: "not verifiable", None: "not judged"}[turn["verifiable"]]
    label = {True: "verifiable", False: "not verifiable"}.get(turn["label"])
    said = f"assistant · {found}" + (f" · people say {label}" if label else "")
    shares = {str(c): sum(k["kind"] == c for k in claims) / (len(claims) or 1) for c in Category}
    shares["unresolved"] = sum(k["kind"] == "unresolved" for k in claims) / (len(claims) or 1)
    return (
        f'<div class="turn"><p class="role">{said}</p>{_bar(shares, small=True) if claims else ""}'
        f'<div class="text">{"".join(_marked(turn["text"], claims, key))}</div>'
        f"{_explained(turn)}{_table(claims)}{_nuggets(turn.get('nuggets') or ())}</div>"
    )


def _claims(turn: Record) -> list[Record]:
    settled = [{**claim, "kind": claim["category"]} for claim in turn["claims"]]
    open_ = [{**claim, "kind": "unresolved", "evidence": None} for claim in turn["unresolved"]]
    return settled + open_


def _marked(text: str, claims: Sequence[Record], key: str) -> Iterator[str]:
    """The text as HTML pieces, with the stretches that claims cover marked.

    A stretch ends where any claim begins or ends.
    """
    edges = sorted({0, len(text), *(edge for claim in claims for edge in claim["span"])})
    for start, end in pairwise(edges):
        here = [claim for claim in claims if claim["span"][0] < end and claim["span"][1] > start]
        piece = escape(text[start:end])
        if not here or not piece.strip():
            yield piece
            continue
        kind = min((claim["kind"] for claim in here), key=_GRAVITY.index)
        ordered = sorted(here, key=lambda claim: _GRAVITY.index(claim["kind"]))
        told = "".join(f'<span class="{claim["kind"]}">{_told(claim)}</span>' for claim in ordered)
        yield (
            f'<span class="mark {kind}" tabindex="0" aria-describedby="{key}c{start}">'
            f'<span class="hidden">[{_words(kind)}] </span>{piece}</span>'
            f'<span class="tip" role="tooltip" id="{key}c{start}">{told}</span>'
        )


def _told(claim: Record) -> str:
    name = f"<b>{_words(claim['kind'])}</b> · {_words(claim['importance'])}: {escape(claim['text'])}"
    return f"{name}<br>{_evidence(claim)}"


def _evidence(claim: Record) -> str:
    if claim["kind"] == "unresolved":
        return f"{_words(claim['reason'])}: {escape(claim['error'])}"
    evidence = claim["evidence"]
    if evidence is None:
        return "no evidence"
    # For other categories no passage decided; the quoted one is only the nearest.
    nearest = "" if claim["kind"] in ("verified", "contradicted") else "nearest: "
    opposing = claim.get("opposing")
    return f"{nearest}{_quoted(evidence)}{f', but {_quoted(opposing)}' if opposing else ''}"


def _quoted(evidence: Record) -> str:
    where = {"common_ground": "common ground, ", "talk": "what was said, "}.get(evidence["origin"], "")
    return f"<q>{escape(evidence['text'])}</q> ({where}{escape(evidence['document'])})"


def _explained(turn: Record) -> str:
    notes = [turn.get("explanation", ""), *turn.get("errors", ())]
    return "".join(f'<p class="soft">{escape(note)}</p>' for note in notes if note)


def _table(claims: Sequence[Record]) -> str:
    if not claims:
        return ""
    labelled = any(claim.get("label") for claim in claims)
    rows = "".join(_row(claim, labelled=labelled) for claim in claims)
    names = ("claim", "category", "importance", *(("label",) if labelled else ()), "evidence")
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    return (
        f'<details open><summary>{len(claims)} claims</summary><div class="scroll"><table class="claims">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _row(claim: Record, *, labelled: bool) -> str:
    label = f"<td>{_words(claim.get('label') or '')}</td>" if labelled else ""
    return (
        f'<tr class="{claim["kind"]}"><td>{escape(claim["text"])}</td><td><b>{_words(claim["kind"])}</b></td>'
        f"<td>{_words(claim['importance'])}</td>{label}<td>{_evidence(claim)}</td></tr>"
    )


def _nuggets(nuggets: Sequence[Record]) -> str:
    if not nuggets:
        return ""
    items = "".join(
        f"<li>{escape(n['text'])} ({_words(n['importance'])}): {_words(n['support'])}</li>" for n in nuggets
    )
    return f"<details><summary>{len(nuggets)} nuggets</summary><ul>{items}</ul></details>"
