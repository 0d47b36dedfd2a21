"""The relation of two quantities: equal, different, or unclear."""

from __future__ import annotations

import math
from dataclasses import replace

from vista_stream.core.rules.dates import Relation
from vista_stream.core.rules.quantities import OTHER_DOLLARS, Quantity
from vista_stream.core.rules.times import HALF_DAY
from vista_stream.core.text.units import UNITS

_OPEN_PAIRS = {
    *(frozenset(pair) for pair in (("percent", "points"), ("mass", "gbp"), ("length", "area"))),
    *(frozenset(pair) for pair in (("length", "volume"), ("length", "speed"), ("clock", "time"))),
    *(frozenset(("jpy", "cny")), frozenset(("", "code"))),
} | {frozenset(("usd", dollar)) for dollar in OTHER_DOLLARS.values()}
"""Pairs of dimensions that share a unit's name or sign, so that the same number in both may mean the same."""
_BOUNDS = frozenset({"above", "from", "below", "to"})
_ROUGH = 0.15
"""Share of a number by which "about" may differ from it."""
_ROUNDING = 0.05
"""A number with fewer digits may be the other one rounded if they differ by at most this share."""
_CONVERSION = 0.005
"""Numbers in two units are the same after conversion if they differ by at most this share."""
_IMPERIAL = frozenset({"gallon", "quart", "pint", "cup", "fluid ounce", "tablespoon", "teaspoon"})
"""Units that differ between Britain and America."""
_APART = 0.21
"""A share above the difference between the British and the American unit of one name."""
_OVEN = 100
"""Degrees on any scale from which on a round number is taken for a rounded one."""
_KELVIN = {"fahrenheit": 5 / 9}
"""Kelvins in one degree, where that is not 1."""


def relate_quantities(claim: Quantity, evidence: Quantity) -> Relation:
    """The relation of the claim's quantity to the evidence's: "same", "differs" or "unclear"."""
    if claim.dimension != evidence.dimension:
        return _relate_dimensions(claim, evidence)
    if claim.dimension == "period":
        return _relate_periods(claim.unit, evidence.unit)
    if claim.dimension == "clock":
        return _relate_clocks(claim, evidence)
    if claim.dimension == "code":
        return _relate_codes(claim, evidence)
    if "about" in (claim.hedge, evidence.hedge):
        return _relate_rough(claim, evidence)
    if (claim.low, claim.high) == (evidence.low, evidence.high):
        if claim.low < claim.high and claim.unit == evidence.unit and claim.number != evidence.number:
            return "differs"  # "from 9.8 to 9.1 million" falls, "from 9.1 to 9.8 million" rises
        return "unclear" if read_otherwise(claim, evidence) else "same"
    if claim.low > evidence.high or evidence.low > claim.high:
        return _relate_apart(claim, evidence)
    both_spans = claim.low < claim.high and evidence.low < evidence.high
    plain = claim.unit == evidence.unit and not claim.hedge and not evidence.hedge
    return "differs" if both_spans and plain else "unclear"


def unhedged(quantity: Quantity) -> Quantity:
    """The quantity without its hedge: "at most 5 km" and "about 5 km" as 5 km."""
    low = quantity.low if math.isfinite(quantity.low) else quantity.high
    high = quantity.high if math.isfinite(quantity.high) else quantity.low
    return replace(quantity, low=low, high=high, hedge="")


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether both have one dimension, or units that may stand for one another."""
    return one.dimension == other.dimension or {one.dimension, other.dimension} in _OPEN_PAIRS


def _relate_periods(claim: str, evidence: str) -> Relation:
    """What two rates are told for: a day is no hour and a kilo no gram, but "per kilo" may be so each day."""
    if claim == evidence:
        return "same"
    kinds = [unit.dimension if (unit := UNITS.get(each)) else "" for each in (claim, evidence)]
    times = [kind in ("", "time", "months") for kind in kinds]
    return "differs" if all(times) or kinds[0] == kinds[1] else "unclear"


def _relate_clocks(claim: Quantity, evidence: Quantity) -> Relation:
    """Times of day: 9:00 without a.m. or p.m. may be 21:00 ("unclear"), but not 10:00 ("differs")."""
    if claim.hedge or evidence.hedge:
        return "unclear"
    if claim.unit == evidence.unit:
        return "same" if claim.low == evidence.low else "differs"
    return "unclear" if (claim.low - evidence.low) % HALF_DAY == 0 else "differs"


def _relate_codes(claim: Quantity, evidence: Quantity) -> Relation:
    """Numbers of which one has a zero at its front, which may count: 0042 may be 42, and is not 0043."""
    if claim.number == evidence.number or claim.hedge or evidence.hedge:
        same = (claim.unit, claim.hedge) == (evidence.unit, evidence.hedge)
        return "same" if same else "unclear"
    return "differs"


def read_otherwise(claim: Quantity, evidence: Quantity) -> bool:
    """Whether a point in one of two equal numbers may be no decimal point, and the other is not written so.

    3.10 may be a version or section, which 3.1 is not, and 20.000 may be 20,000, which 20 is not.
    """
    if claim.digits == evidence.digits or claim.unit != evidence.unit:
        return False
    numbered = not claim.dimension and not claim.number.is_integer()
    return numbered or _in_thousands(claim) or _in_thousands(evidence)


def _relate_apart(claim: Quantity, evidence: Quantity) -> Relation:
    """The relation of two intervals that do not overlap; one may be the other one converted or rounded."""
    one_bound = (claim.hedge in _BOUNDS) != (evidence.hedge in _BOUNDS)
    if one_bound and (math.isclose(claim.low, evidence.high) or math.isclose(evidence.low, claim.high)):
        return "unclear"
    if _pointed(claim, evidence) or _pointed(evidence, claim):
        return "unclear"
    if claim.dimension == "temperature":
        return _relate_degrees(claim, evidence)
    if claim.unit != evidence.unit and not _IMPERIAL.isdisjoint({claim.unit, evidence.unit}):
        return "unclear" if _near(claim, evidence, _APART) else "differs"
    if _near(claim, evidence, _CONVERSION) and claim.unit != evidence.unit:
        return "same"
    return "unclear" if _rounded(claim, evidence) else "differs"


def _relate_degrees(claim: Quantity, evidence: Quantity) -> Relation:
    """The relation of two temperatures, by degrees: a share means nothing on a scale with a shifted zero."""
    gap, degree = _gap(claim, evidence), _KELVIN.get(claim.unit, 1.0)
    if claim.unit == evidence.unit or claim.hedge or evidence.hedge:
        return "unclear" if gap <= degree / 2 else "differs"
    if gap <= degree * (0.5 if claim.number.is_integer() else 0.05):
        return "same"
    return "unclear" if gap <= max(1.0, _coarseness(claim), _coarseness(evidence)) else "differs"


def _coarseness(degrees: Quantity) -> float:
    """Half a step, in kelvins, of the round numbers that ovens are set to: a cook takes 350 °F for 180 °C."""
    if degrees.number < _OVEN:
        return 0.0
    step = next((step for step in (50, 25, 10) if degrees.number % step == 0), 0)
    return step / 2 * _KELVIN.get(degrees.unit, 1.0)


def _relate_dimensions(claim: Quantity, evidence: Quantity) -> Relation:
    """Two dimensions: 5 km and 5 kg differ; different numbers, or one without a unit, are unclear."""
    if {claim.dimension, evidence.dimension} == {"", "code"}:
        return _relate_codes(claim, evidence)
    if not (claim.dimension and evidence.dimension) or comparable(claim, evidence):
        return "unclear"
    return "differs" if (claim.number, claim.hedge) == (evidence.number, evidence.hedge) else "unclear"


def _relate_rough(claim: Quantity, evidence: Quantity) -> Relation:
    if (claim.low, claim.high, claim.hedge) == (evidence.low, evidence.high, evidence.hedge):
        return "same"
    if claim.hedge == "about" and not evidence.hedge and claim.low == evidence.low == evidence.high:
        return "same"
    wide = [(q.low - abs(q.low) * _ROUGH, q.high + abs(q.high) * _ROUGH) for q in (claim, evidence)]
    (low, high), (other_low, other_high) = wide
    return "differs" if low > other_high or other_low > high else "unclear"


def _near(claim: Quantity, evidence: Quantity, part: float) -> bool:
    ends = (claim.low, claim.high, evidence.low, evidence.high)
    if not all(map(math.isfinite, ends)):
        return False
    return _gap(claim, evidence) <= part * max(map(abs, ends))


def _gap(claim: Quantity, evidence: Quantity) -> float:
    return max(claim.low - evidence.high, evidence.low - claim.high)


def _rounded(claim: Quantity, evidence: Quantity) -> bool:
    """Whether one may be the other, rounded: 2 million and 2,148,271, but not 19 and 20 people."""
    if claim.dimension == "ordinal" or claim.hedge or evidence.hedge:
        return False
    small = max(abs(claim.low), abs(evidence.low)) < 100
    whole = claim.low.is_integer() and evidence.low.is_integer()
    if small and whole and claim.unit == evidence.unit:
        return False
    alike = claim.digits == evidence.digits and claim.unit == evidence.unit
    coarser = min(claim, evidence, key=lambda quantity: quantity.digits)
    return not alike and _near(claim, evidence, max(_ROUNDING, min(_ROUGH, _half_step(coarser))))


def _pointed(less: Quantity, more: Quantity) -> bool:
    """Whether the point in `less` may be a thousands separator: 20.000 may be 20,000."""
    return math.isclose(1000 * less.number, more.number) and math.isclose(_step(less), 0.001)


def _in_thousands(quantity: Quantity) -> bool:
    """Whether it is written as thousands are where the point parts them: 1.200, 20.000."""
    return 1 <= abs(quantity.number) < 1000 and math.isclose(_step(quantity), 0.001)


def _half_step(quantity: Quantity) -> float:
    """Half a unit of its last significant digit, as a share of the number."""
    return _step(quantity) / abs(quantity.number) / 2 if quantity.number else 0.0


def _step(quantity: Quantity) -> float:
    """One unit of its last significant digit: 0.01 for 3.10, 1000 for 15,000."""
    number = abs(quantity.number)
    return 10.0 ** (math.floor(math.log10(number)) + 1 - quantity.digits) if number else 1.0
