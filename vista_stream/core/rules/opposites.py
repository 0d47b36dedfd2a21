"""Words of which at most one holds in one place of a sentence: "before" and "after", "buyer" and "seller"."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from vista_stream.core.rules.wording import FUNCTION
from vista_stream.core.text.stems import stem

_BOUND_PAIRS = """
    before/after above/below over/under more/less,fewer maximum/minimum earlier/later earliest/latest
    until/from,since longer/shorter higher/lower older/younger
"""
_OF_FORMS = """
    faster/slower larger/smaller heavier/lighter cheaper/dearer longest/shortest highest/lowest
    oldest/youngest largest/smallest strongest/weakest nearest/farthest cheapest/dearest better/worse
    best/worst first/last former/latter most/few upper/lower top/bottom front/rear,back left/right north/south
    east/west northern/southern eastern/western upstream/downstream clockwise/anticlockwise,counterclockwise
    inside/outside indoors/outdoors indoor/outdoor inner/outer upstairs/downstairs uphill/downhill
    upward/downward upwards/downwards forward/backward forwards/backwards up/down in/out on/off to/from,by
    into/out with/without home/away by/after within/after during/after ahead/behind
    incoming/outgoing inbound/outbound online/offline unless/if morning/evening,afternoon
    mornings/evenings,afternoons day/night weekdays/weekends summer/winter spring/autumn weekly/monthly,daily
    yearly/monthly has,have/lacks,lack had/lacked pay,give,send/receive,get pays,gives,sends/receives,gets
    pay/charge pays/charges paying/charging,receiving
    rising/falling succeeds/fails succeeded/failed
"""
"""Words of which only the form that is written here is meant."""
_OF_STEMS = """
    begin,start/end,stop,finish,close open/close,shut,end continue/stop,end arrive,come/depart,leave
    arrival/departure enter/leave,exit join/leave
    increase,rise,grow,gain,climb/decrease,fall,decline,drop,shrink raise,increase/lower,reduce,cut gain/lose
    win/lose winner/loser victory/defeat lead/trail precede/follow buy/sell buyer/seller,vendor lend/borrow
    lender/borrower import/export save,earn/spend
    deposit/withdraw deposit/withdrawal discount/surcharge profit/loss income,revenue/expense,cost
    asset/liability debit/credit creditor/debtor add/remove,subtract insert,install,attach/remove
    include/exclude contain,include/lack accept,approve/reject,refuse allow,permit/forbid,prohibit,ban,prevent
    grant/refuse,deny support/oppose encourage/discourage compulsory,mandatory,required/optional,voluntary
    required/forbidden,prohibited pass/fail push/pull connect/disconnect enable/disable
    activate/deactivate heat/cool boil/melt,freeze thaw/freeze evaporate/condense expand/contract,shrink
    strengthen/weaken tighten/loosen improve/worsen widen/narrow lengthen/shorten appear/disappear
    cause/prevent book/cancel hire/dismiss,fire ascend/descend inhale/exhale rise/set sunrise/sunset
    correct,right/wrong correct/incorrect true/false legal/illegal valid/invalid possible/impossible
    visible/invisible complete/incomplete direct/indirect active/inactive sufficient/insufficient
    hot,warm/cold hot/cool wet/dry single/double gross/net public/private internal/external
    horizontal/vertical positive/negative temporary/permanent domestic/foreign rural/urban wholesale/retail
    advantage/disadvantage entrance/exit majority/minority landlord/tenant employer/employee
    defendant/plaintiff,claimant teacher/pupil,student doctor/patient recipient/sender,donor
    predecessor/successor driver/passenger host/guest father/mother brother/sister husband/wife son/daughter
    man/woman boy/girl male/female child/adult,parent
"""
"""Words of which all forms are meant: "pays", "paid"."""


def _of(pairs: str, form: Callable[[str], str] = str) -> dict[str, set[str]]:
    """The opposites of each word, in one form; commas part the words of one side."""
    opposites: dict[str, set[str]] = {}
    for pair in pairs.split():
        left, right = (map(form, side.split(",")) for side in pair.split("/"))
        for one, other in product(left, right):
            opposites.setdefault(one, set()).add(other)
            opposites.setdefault(other, set()).add(one)
    return opposites


BOUNDS = frozenset(_of(_BOUND_PAIRS))
"""Words for bounds and comparisons."""
_FORMS = _of(_BOUND_PAIRS + _OF_FORMS)
_STEMS = _of(_OF_STEMS, stem)

CONVERSES = frozenset(map(stem, ("buy", "sell", "lend", "borrow")))
"""Stems of verbs for the two sides of one deed: what "was bought" also "was sold"."""


def are_opposite(one: str, other: str) -> bool:
    """Whether two lower-case words are opposites, as "before" and "after", or "heated" and "unheated"."""
    if other in _FORMS.get(one, ()) or stem(other) in _STEMS.get(stem(one), ()):
        return True
    # "unit" denies no "it", nor "unless" "less".
    return (f"un{one}" == other or f"un{other}" == one) and (FUNCTION | BOUNDS).isdisjoint((one, other))
