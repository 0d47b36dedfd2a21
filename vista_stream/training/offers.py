"""What made pages of terms offer (`made_terms`): kinds of values, what offers have, and their rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from vista_stream.training.lexicon import NUMBER_WORDS

_WORDS: Final = {int(digits): word for word, digits in NUMBER_WORDS.items() if digits.isdigit()}
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Kind(NamedTuple):
    """What a column holds: its values, how a page writes one, how an answer does."""

    values: Sequence[int]
    page: Callable[[int, random.Random], str]
    said: Callable[[int, random.Random], str]


def _money(value: int, rng: random.Random) -> str:
    return rng.choice((f"€{value}", f"€{value}.00", f"{value} €", f"EUR {value}"))


def _money_said(value: int, rng: random.Random) -> str:
    return rng.choice((f"€{value}", f"{value} euros"))


def _measure(short: str, long: str) -> tuple[Callable[[int, random.Random], str], ...]:
    def page(value: int, rng: random.Random) -> str:
        return rng.choice((f"{value} {short}", f"{value} {long}"))

    def said(value: int, rng: random.Random) -> str:
        number = _WORDS.get(value, str(value)) if value < 13 and rng.random() < 0.6 else str(value)
        return f"{number} {long[:-1] if value == 1 and long.endswith('s') else long}"

    return page, said


def _minutes(value: int, rng: random.Random) -> str:
    hours, rest = divmod(value, 60)
    named = {0: "", 15: " and a quarter", 30: " and a half"}
    if hours == 1 and rest in named and rng.random() < 0.5:
        return f"an hour{named[rest]}"
    if hours > 1 and not rest and rng.random() < 0.5:
        return f"{_WORDS[hours]} hours"
    return f"{value} minutes"


def _clock(value: int, rng: random.Random) -> str:
    return rng.choice((f"{value}:00", f"{value}:00", f"{(value - 1) % 12 + 1} {'ap'[value > 11]}.m."))


def _day(value: int, rng: random.Random) -> str:
    return _DAYS[value]


def _bare(value: int, rng: random.Random) -> str:
    return str(value)


def _counted(value: int, rng: random.Random) -> str:
    return _WORDS.get(value, str(value)) if rng.random() < 0.7 else str(value)


KINDS: Final = {
    "fee": Kind(range(4, 60), _money, _money_said),
    "price": Kind(range(30, 400, 5), _money, _money_said),
    "amount": Kind(range(500, 20_000, 500), _money, _money_said),
    "days": Kind((1, 2, 3, 4, 5, 6, 7, 10, 14, 21, 30, 60, 90), *_measure("d", "days")),
    "weeks": Kind((1, 2, 3, 4, 6, 8, 12), *_measure("wks", "weeks")),
    "months": Kind((1, 2, 3, 6, 9, 12, 18, 24), *_measure("months", "months")),
    "years": Kind((2, 3, 4, 5, 10, 15, 20, 25, 30), *_measure("yrs", "years")),
    "hours": Kind((1, 2, 4, 6, 8, 12, 24, 36, 48, 72), *_measure("h", "hours")),
    "minutes": Kind((15, 20, 30, 45, 50, 60, 75, 90, 120, 180), *(_measure("min", "minutes")[0], _minutes)),
    "size": Kind(range(12, 90), *_measure("m²", "square metres")),
    "storage": Kind((2, 5, 10, 20, 50, 100, 200, 500), *_measure("GB", "GB")),
    "weight": Kind((2, 5, 8, 10, 15, 20, 23, 25, 30, 32, 40), *_measure("kg", "kilograms")),
    "percent": Kind(range(2, 60), *_measure("%", "percent")),
    "age": Kind((12, 14, 16, 18, 21, 23, 25, 65, 67), _bare, _bare),
    "count": Kind(range(1, 13), _bare, _counted),
    "opens": Kind((7, 8, 9, 10, 11), lambda value, rng: f"{value}:00", _clock),
    "closes": Kind(range(13, 24), lambda value, rng: f"{value}:00", _clock),
    "day": Kind(range(7), _day, _day),
}


class Column(NamedTuple):
    """One value of each offer. `{o}` is the offer, `{v}` the value, `{p}` another offer."""

    heading: str
    kind: str
    told: str
    """A sentence of a page."""
    claims: tuple[str, ...]
    """What an answer says of it."""
    above: tuple[str, ...] = ()
    """That one offer has more of it than another."""
    below: tuple[str, ...] = ()
    bounds: tuple[str, str] = ("", "")
    """That it is more, or less, than a value."""
    most: tuple[str, str] = ("", "")
    """That it is the most, or least, of all offers of the page."""


class Domain(NamedTuple):
    """What one kind of page is about. Of `{v}` in a rule is said what kind of value it is."""

    titles: tuple[str, ...]
    offers: tuple[str, ...]
    columns: tuple[Column, ...]
    rules: tuple[tuple[str, str, str], ...]
    """A sentence with a value in it, a claim that says the same, the kind of the value."""


def _price(heading: str, kind: str, per: str, claims: tuple[str, ...] = ()) -> Column:
    return Column(
        heading,
        kind,
        f"{{o}} costs {{v}}{per}.",
        (
            f"{{o}} costs {{v}}{per}.",
            f"You pay {{v}}{per} for {{o}}.",
            f"The price of {{o}} is {{v}}{per}.",
            *claims,
        ),
        ("{o} costs more than {p}.", "{o} is more expensive than {p}."),
        ("{o} costs less than {p}.", "{o} is cheaper than {p}."),
        (f"{{o}} costs more than {{v}}{per}.", f"{{o}} costs less than {{v}}{per}."),
        ("{o} is the most expensive.", "{o} is the cheapest."),
    )


def _more(heading: str, kind: str, told: str, claims: tuple[str, ...], most: tuple[str, str]) -> Column:
    """A column of which an offer may simply have more or less."""
    thing = heading.lower()
    return Column(
        heading,
        kind,
        told,
        (*claims, f"The {thing} of {{o}} is {{v}}."),
        (f"{{o}} has a higher {thing} than {{p}}.",),
        (f"{{o}} has a lower {thing} than {{p}}.",),
        (f"The {thing} of {{o}} is over {{v}}.", f"The {thing} of {{o}} is under {{v}}."),
        most,
    )


DOMAINS: Final = (
    Domain(
        ("Rooms and rates", "Our rooms", "Hotel Linden – price list"),
        (
            "the single room",
            "the double room",
            "the garden room",
            "the attic room",
            "the suite",
            "the studio",
        ),
        (
            _price("Price", "price", " a night"),
            _more(
                "Size",
                "size",
                "{o} measures {v}.",
                ("{o} has {v}.", "With {o} you get {v}."),
                ("{o} is the largest.", "{o} is the smallest."),
            ),
            Column(
                "Beds",
                "count",
                "There are {v} beds in {o}.",
                ("{o} has {v} beds.", "{o} comes with {v} beds."),
            ),
        ),
        (
            (
                "Cancellation is free until {v} before arrival.",
                "You can cancel free of charge up to {v} before you arrive.",
                "days",
            ),
            ("Check-in is possible from {v}.", "You can check in from {v}.", "closes"),
            ("Breakfast is served from {v}.", "Breakfast starts at {v}.", "opens"),
            ("The sauna is closed on {v}s.", "You cannot use the sauna on {v}s.", "day"),
            ("A dog costs an extra {v} a night.", "Bringing a dog costs {v} a night.", "fee"),
        ),
    ),
    Domain(
        ("Plans", "Pricing", "Which plan is right for you?"),
        ("Basic", "Standard", "Plus", "Pro", "Team", "Premium", "Starter"),
        (
            _price("Price per month", "fee", " a month"),
            _more(
                "Storage",
                "storage",
                "{o} includes {v} of storage.",
                ("{o} comes with {v} of storage.", "{o} users have {v} of storage."),
                ("{o} has the most storage.", "{o} has the least storage."),
            ),
            Column(
                "Users",
                "count",
                "{o} is for {v} users.",
                ("{o} allows {v} users.", "Up to {v} people can use {o}."),
            ),
            Column(
                "Response time",
                "hours",
                "Support answers {o} customers within {v}.",
                ("With {o} you get an answer within {v}.", "Support replies to {o} users in {v} at most."),
            ),
        ),
        (
            ("Invoices are due within {v}.", "You have {v} to pay an invoice.", "days"),
            ("The trial lasts {v}.", "You can try it for {v}.", "days"),
            ("Deleted files can be restored for {v}.", "You can get deleted files back for {v}.", "days"),
            ("If you pay yearly, you save {v}.", "Paying by the year saves you {v}.", "percent"),
            ("The notice period is {v}.", "You must give notice {v} ahead.", "weeks"),
        ),
    ),
    Domain(
        ("Delivery", "Shipping rates", "Where we deliver"),
        ("Norway", "Spain", "Austria", "Poland", "Ireland", "Portugal", "Switzerland", "Latvia"),
        (
            Column(
                "Delivery fee",
                "fee",
                "Delivery to {o} costs {v}.",
                ("Shipping to {o} costs {v}.", "You pay {v} for delivery to {o}."),
                ("Delivery to {o} costs more than delivery to {p}.",),
                ("Delivery to {o} is cheaper than delivery to {p}.",),
                ("Delivery to {o} costs more than {v}.", "Delivery to {o} costs less than {v}."),
                ("Delivery to {o} is the most expensive.", "Delivery to {o} is the cheapest."),
            ),
            Column(
                "Delivery time",
                "days",
                "Parcels to {o} take {v}.",
                (
                    "Delivery to {o} takes {v}.",
                    "A parcel to {o} is there after {v}.",
                    "If you live in {o}, your parcel takes {v}.",
                ),
                ("Parcels to {o} take longer than those to {p}.",),
                ("Parcels to {o} arrive sooner than those to {p}.",),
                ("Delivery to {o} takes more than {v}.", "Delivery to {o} takes less than {v}."),
            ),
            Column(
                "Heaviest parcel",
                "weight",
                "Parcels to {o} may weigh up to {v}.",
                ("A parcel to {o} may weigh {v} at most.", "You cannot send more than {v} to {o}."),
            ),
        ),
        (
            ("Orders from {v} ship free.", "Shipping is free for orders of {v} or more.", "price"),
            (
                "Goods can be returned within {v}.",
                "You can send goods back within {v}.",
                "days",
            ),
            (
                "Refunds are paid {v} after the return has arrived.",
                "You get your money {v} after we have the return.",
                "days",
            ),
            ("The warranty is {v}.", "You have a warranty of {v}.", "years"),
            (
                "Orders placed before {v} leave the same day.",
                "Order before {v} for dispatch the same day.",
                "closes",
            ),
        ),
    ),
    Domain(
        ("Tickets", "Admission", "Visiting the museum"),
        (
            "a day ticket",
            "a family ticket",
            "a student ticket",
            "a group ticket",
            "an evening ticket",
            "an annual pass",
        ),
        (
            _price("Price", "fee", ""),
            Column(
                "Persons",
                "count",
                "{o} is for {v} persons.",
                ("{v} people can come in with {o}.", "{o} admits {v} people."),
            ),
            Column(
                "Valid for",
                "days",
                "{o} is valid for {v}.",
                ("You can use {o} for {v}.", "{o} expires after {v}."),
            ),
        ),
        (
            ("The museum is closed on {v}s.", "The museum does not open on {v}s.", "day"),
            ("Last admission is at {v}.", "You must be inside by {v}.", "closes"),
            ("Children under {v} are admitted free.", "Children younger than {v} pay nothing.", "age"),
            ("Guided tours take place every {v}.", "There is a guided tour each {v}.", "day"),
            ("The audio guide costs {v}.", "You pay {v} for an audio guide.", "fee"),
            ("Lockers are emptied after {v}.", "You can use a locker for {v}.", "hours"),
        ),
    ),
    Domain(
        ("Evening courses", "Course programme", "Spring term"),
        ("pottery", "life drawing", "Spanish", "bookkeeping", "yoga", "bread baking", "photography"),
        (
            Column(
                "Day",
                "day",
                "The {o} course is on {v}s.",
                ("{o} takes place on {v}s.", "You can learn {o} on {v}s."),
            ),
            Column(
                "Length",
                "minutes",
                "A lesson in {o} lasts {v}.",
                ("Lessons in {o} take {v}.", "The {o} course runs for {v} each time."),
                ("Lessons in {o} are longer than those in {p}.",),
                ("Lessons in {o} are shorter than those in {p}.",),
                ("A lesson in {o} lasts more than {v}.", "A lesson in {o} lasts less than {v}."),
            ),
            Column(
                "Fee",
                "price",
                "The {o} course costs {v}.",
                ("You pay {v} for the {o} course.", "{o} costs {v}."),
                ("{o} costs more than {p}.",),
                ("{o} costs less than {p}.",),
                ("The {o} course costs more than {v}.", "The {o} course costs less than {v}."),
                ("{o} is the most expensive course.", "{o} is the cheapest course."),
            ),
            Column(
                "Places",
                "count",
                "There are {v} places in {o}.",
                ("{v} people can join {o}.", "The {o} course has {v} places."),
            ),
        ),
        (
            ("The office is open until {v}.", "You can reach the office until {v}.", "closes"),
            ("Registration closes {v} before the first lesson.", "You must register {v} ahead.", "days"),
            ("Pupils pay {v} less.", "There is a discount of {v} for pupils.", "percent"),
            ("The school is closed on {v}s.", "No lessons are held on {v}s.", "day"),
        ),
    ),
    Domain(
        ("Staff handbook", "Working here", "Terms of employment"),
        ("full-time staff", "part-time staff", "trainees", "interns", "managers", "temporary staff"),
        (
            Column(
                "Holiday",
                "days",
                "{o} have {v} of holiday a year.",
                ("{o} get {v} of holiday each year.", "{o} can take {v} off a year."),
                ("{o} have more holiday than {p}.",),
                ("{o} have less holiday than {p}.",),
                ("{o} get more than {v} of holiday.", "{o} get fewer than {v} of holiday."),
            ),
            Column(
                "Notice",
                "weeks",
                "{o} must give {v} of notice.",
                ("The notice period for {o} is {v}.", "{o} can leave with {v} of notice."),
            ),
            Column(
                "Probation",
                "months",
                "{o} are on probation for {v}.",
                ("Probation lasts {v} for {o}.", "{o} have a probation of {v}."),
            ),
        ),
        (
            ("Overtime is paid with a supplement of {v}.", "You get {v} extra for overtime.", "percent"),
            (
                "A doctor's note is needed after {v} of illness.",
                "You need a doctor's note once you are ill for {v}.",
                "days",
            ),
            ("Expenses are refunded up to {v} a day.", "You can claim up to {v} of expenses a day.", "fee"),
            (
                "Working from home is possible on {v} days a week.",
                "You can work from home {v} days a week.",
                "count",
            ),
            ("The company closes at {v} on Fridays.", "On Fridays work ends at {v}.", "closes"),
        ),
    ),
    Domain(
        ("Loans", "Conditions for loans", "Borrowing from us"),
        ("the car loan", "the home loan", "the student loan", "the bridging loan", "the renovation loan"),
        (
            _more(
                "Interest rate",
                "percent",
                "The interest rate of {o} is {v}.",
                ("You pay {v} of interest on {o}.",),
                ("{o} has the highest rate.", "{o} has the lowest rate."),
            ),
            Column(
                "Longest term",
                "years",
                "{o} can run for up to {v}.",
                ("You have {v} at most to repay {o}.", "{o} lasts {v} at most."),
                ("{o} can run longer than {p}.",),
                ("{o} must be repaid sooner than {p}.",),
            ),
            Column(
                "Largest amount",
                "amount",
                "Up to {v} can be borrowed with {o}.",
                ("{o} goes up to {v}.", "You can borrow {v} at most with {o}."),
            ),
        ),
        (
            ("Applicants must be at least {v} years old.", "You must be {v} or older to apply.", "age"),
            ("An application takes {v}.", "You hear from us within {v}.", "days"),
            ("A late payment costs {v}.", "You are charged {v} for paying late.", "fee"),
            ("Up to {v} can be repaid early each year.", "You may repay {v} early a year.", "percent"),
        ),
    ),
    Domain(
        ("Vehicles for hire", "Car hire", "Our fleet"),
        ("the compact", "the estate car", "the van", "the minibus", "the convertible"),
        (
            _price("Price per day", "price", " a day"),
            Column(
                "Seats",
                "count",
                "{o} has {v} seats.",
                ("{o} seats {v} people.", "There are {v} seats in {o}."),
            ),
            Column(
                "Minimum age",
                "age",
                "Drivers of {o} must be {v} or older.",
                ("You must be at least {v} to drive {o}.",),
            ),
            Column(
                "Deposit",
                "amount",
                "The deposit for {o} is {v}.",
                ("You leave a deposit of {v} for {o}.",),
                ("The deposit for {o} is higher than for {p}.",),
                ("The deposit for {o} is lower than for {p}.",),
            ),
        ),
        (
            ("A second driver costs {v} a day.", "You pay {v} a day for another driver.", "fee"),
            (
                "Bookings can be changed up to {v} before pick-up.",
                "Changes are possible until {v} before you collect it.",
                "hours",
            ),
            ("The station opens at {v}.", "You can collect it from {v}.", "opens"),
            (
                "The full insurance leaves you with an excess of {v}.",
                "With full insurance you pay {v} at most yourself.",
                "price",
            ),
        ),
    ),
)
EXCEPTIONS: Final = (
    ("{T} is available for all offers except {o}.", "{T} is available for {o}."),
    ("{T} is included in everything but {o}.", "{T} is included in {o}."),
    ("{T} is not offered with {o}; with all others it is.", "{T} comes with {o}."),
    ("{T} cannot be combined with {o}; otherwise it is possible.", "You can have {t} with {o}."),
)
"""What holds of all offers but one, and the claim that it holds of one."""
ONLY: Final = (
    ("{T} is only available for {o}.", "{T} is available for {o}."),
    ("Only {o} comes with {t}.", "{T} comes with {o}."),
    ("{T} is included in {o}, but not in any other offer.", "{T} is included in {o}."),
)
THINGS: Final = (
    "parking",
    "insurance",
    "a discount",
    "telephone support",
    "gift wrapping",
    "advance payment",
    "a receipt by post",
    "free cancellation",
    "weekend service",
    "the loyalty bonus",
    "self-service",
    "priority treatment",
)
