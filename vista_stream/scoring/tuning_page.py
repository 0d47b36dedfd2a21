"""The threshold curves and the proposal as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import TypeAlias

from vista_stream.claims import Scores
from vista_stream.core.judge import Thresholds
from vista_stream.scoring.page import count_table, fill_template
from vista_stream.scoring.tuning import Blocking, Sentence, Share, Tuning, Verifying, contradicted

FEW = 100
"""With fewer sentences of a kind than this, the lines say that little is certain."""
Curve: TypeAlias = Sequence[tuple[float, Share]]
"""Shares by threshold, the lowest first."""
_WIDTH, _HEIGHT = 440, 110
_LEFT, _BOTTOM = 50, 130


def tuning_page(tuning: Tuning, *, title: str) -> str:
    """The page as HTML: proposal, curves with their 95 % bands, tables, and sentences that go wrong."""
    blocking, verifying = tuning.blocking, tuning.verifying
    curves = [
        _figure(
            "Threshold of contradiction",
            [
                ("false sentences caught", "verified", _curve((p.threshold, p.caught) for p in blocking)),
                (
                    "right ones disturbed",
                    "contradicted",
                    _curve((p.threshold, p.disturbed) for p in blocking),
                ),
            ],
            chosen=tuning.contradiction,
        ),
        _figure(
            "Threshold of entailment",
            [
                ("verified", "out_of_scope", _curve((p.threshold, p.verified) for p in verifying)),
                ("right ones among these", "verified", _curve((p.threshold, p.right) for p in verifying)),
            ],
            chosen=tuning.entailment,
        ),
    ]
    tables = count_table("Contradiction", ("from", "caught", "disturbed"), list(map(_blocking_row, blocking)))
    tables += count_table("Entailment", ("from", "verified", "right"), list(map(_verifying_row, verifying)))
    told = "".join(f"<p>{escape(line)}</p>" for line in tuning_lines(tuning))
    summary = f'{told}<div class="beside">{"".join(curves)}</div><div class="beside">{tables}</div>'
    about = f"{len(tuning.sentences)} sentences, {sum(each.false for each in tuning.sentences)} of them false"
    return fill_template(title=title, about=about, summary=summary, body="".join(_mistakes(tuning)))


def tuning_lines(tuning: Tuning) -> Iterator[str]:
    """The proposal in words: what it does on the examples, with 95 % intervals, and what to beware of."""
    own = tuning.own
    yield f"proposal: Policy(thresholds={tuning.thresholds})"
    if tuning.contradiction is None:
        yield f"contradiction: none disturbs so few right sentences; the model's own is {own.contradiction:g}"
    else:
        yield _blocking_line(tuning.blocking_at(tuning.contradiction), own)
    if tuning.entailment is None:
        yield f"entailment: at none are so many verified ones right; the model's own is {own.entailment:g}"
    else:
        yield _verifying_line(tuning.verifying_at(tuning.entailment), own)
    false = sum(each.false for each in tuning.sentences)
    right = len(tuning.sentences) - false
    if min(false, right) < FEW:
        yield f"few examples, false {false} and right {right}: the intervals say how little is certain"
    if unresolved := sum(len(each.unresolved) for each in tuning.sentences):
        yield f"{unresolved} claims could not be judged: they count as neither contradicted nor verified"
    yield "chosen on these examples: expect a little less on other ones, and keep some aside to measure it"


def _blocking_line(point: Blocking, own: Thresholds) -> str:
    return (
        f"contradiction from {point.threshold:g} (the model's own: {own.contradiction:g}): "
        f"catches {_words(point.caught)} false sentences, disturbs {_words(point.disturbed)} right ones"
    )


def _verifying_line(point: Verifying, own: Thresholds) -> str:
    return (
        f"entailment from {point.threshold:g} (the model's own: {own.entailment:g}): "
        f"verifies {_words(point.verified)} sentences with claims, of which {_words(point.right)} are right"
    )


def _words(share: Share) -> str:
    low, high = share.interval
    return f"{share.count} of {share.of} (95 % interval {100 * low:.0f} to {100 * high:.0f} %)"


def _blocking_row(point: Blocking) -> Sequence[str]:
    return f"{point.threshold:.2f}", _cell(point.caught), _cell(point.disturbed)


def _verifying_row(point: Verifying) -> Sequence[str]:
    return f"{point.threshold:.2f}", _cell(point.verified), _cell(point.right)


def _cell(share: Share) -> str:
    return f"{share.count}/{share.of}" + (f" ({100 * share.value:.0f} %)" if share.of else "")


def _figure(name: str, lines: Sequence[tuple[str, str, Curve]], *, chosen: float | None) -> str:
    """A plot of shares by threshold, each with its 95 % band; the tables beside it hold the same numbers."""
    drawn = "".join(_band(curve, colour) + _line(curve, colour) for _, colour, curve in lines)
    legend = "".join(f'<li><i class="{colour}"></i>{told}</li>' for told, colour, _ in lines)
    mark = "" if chosen is None else _vertical(chosen)
    return (
        f'<figure><svg viewBox="0 0 500 165" role="img" aria-label="{name}: the table {name.split()[-1]} '
        f'has the numbers">{_grid()}{mark}{drawn}</svg>'
        f"<figcaption>{name}; the dashed line is the proposal, the bands are 95 % intervals.</figcaption>"
        f'<ul class="legend">{legend}</ul></figure>'
    )


def _grid() -> str:
    levels = "".join(
        f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{_y(level)}" y2="{_y(level)}" stroke="var(--line)"/>'
        f'<text x="42" y="{_y(level) + 4}" text-anchor="end">{100 * level:g} %</text>'
        for level in (0, 0.5, 1)
    )
    return levels + "".join(
        f'<text x="{_x(at)}" y="150" text-anchor="middle">{at:g}</text>' for at in (0, 0.25, 0.5, 0.75, 1)
    )


def _vertical(at: float) -> str:
    return (
        f'<line x1="{_x(at)}" x2="{_x(at)}" y1="{_y(0)}" y2="{_y(1)}" stroke="var(--ink)" '
        'stroke-dasharray="4 3"/>'
    )


def _line(curve: Curve, colour: str) -> str:
    points = " ".join(f"{_x(at)},{_y(share.value)}" for at, share in curve)
    return f'<polyline points="{points}" fill="none" stroke="var(--{colour})" stroke-width="2"/>'


def _band(curve: Curve, colour: str) -> str:
    upper = [f"{_x(at)},{_y(share.interval[1])}" for at, share in curve]
    lower = [f"{_x(at)},{_y(share.interval[0])}" for at, share in reversed(curve)]
    return f'<polygon points="{" ".join(upper + lower)}" fill="var(--{colour})" opacity="0.15"/>'


def _x(threshold: float) -> float:
    return round(_LEFT + _WIDTH * threshold, 1)


def _y(share: float) -> float:
    return round(_BOTTOM - _HEIGHT * share, 1)


def _curve(points: Iterable[tuple[float, Share]]) -> Curve:
    return [(threshold, share) for threshold, share in points if share.of]


def _mistakes(tuning: Tuning) -> Iterator[str]:
    """The false sentences that the proposal misses, and the right ones that it disturbs."""
    at = replace(tuning.own, **tuning.thresholds)
    missed = [each for each in tuning.sentences if each.false and not contradicted(each, at)]
    disturbed = [each for each in tuning.sentences if not each.false and contradicted(each, at)]
    yield _sentences("False sentences that are missed", missed)
    yield _sentences("Right sentences that are disturbed", disturbed)


def _sentences(name: str, sentences: Sequence[Sentence]) -> str:
    rows = "".join(f"<tr><td>{escape(each.example)}</td><td>{_said(each)}</td></tr>" for each in sentences)
    body = f'<div class="scroll"><table><tbody>{rows}</tbody></table></div>' if rows else "<p>None.</p>"
    return f"<section><h2>{name}: {len(sentences)}</h2>{body}</section>"


def _said(sentence: Sentence) -> str:
    claims = "".join(
        f'<li>{escape(each.claim.text)} <span class="soft">({_scores(each.scores)})</span></li>'
        for each in sentence.verdicts
    )
    return f"{escape(' '.join(sentence.text.split()))}" + (f"<ul>{claims}</ul>" if claims else " (no claims)")


def _scores(scores: Scores | None) -> str:
    if scores is None:
        return "nothing to compare with"
    return f"entailment {scores.entailment:.2f}, contradiction {scores.contradiction:.2f}"
