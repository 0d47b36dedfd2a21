"""Sentences as atoms: spelling, polarity, boundaries, names."""

import pytest

from vista_stream.core.rules.dates import Date
from vista_stream.core.rules.wording import atoms_of


def keys(text: str) -> list[str]:
    return [("not " if atom.negated else "") + atom.key for atom in atoms_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat didn't win.", ["cat", "not win"]),
        ("It can't be a cat.", ["it", "can", "not be", "cat"]),
        ("He failed to win", ["he", "not win"]),
        ("It is not without risk", ["it", "is", "with", "risk"]),
        ("No, it is old.", ["it", "is", "old"]),
        ("No cat is old.", ["not cat", "is", "old"]),
        ("I am not", ["i", "not am"]),
        ("A few cats", ["a", "few", "cats"]),
        ("well-known 5-year-old", ["well", "known", "5 year", "old"]),
        ("COVID-19 and U.S. law", ["covid-19", "and", "u.s", "law"]),
        ("Apollo 11 flew", ["apollo", "11", "flew"]),
        ("Add 3 eggs in 2 bowls", ["add", "3", "eggs", "in", "2", "bowls"]),
        ("about 10⁶ or 10^-6 parts", ["about", "10^6", "or", "10^-6", "parts"]),
        ("it took 2½ days", ["it", "took", "2^1⁄2", "days"]),
        ("open 24/7 from 5:30", ["open", "24/7", "from", "5:30"]),
        ("3,4 and 1.5e6 and 3.1.2", ["3,4", "and", "1.5e6", "and", "3.1.2"]),
        ("it has 500.² More", ["it", "has", "500", "2", "more"]),
        ("15 mg/kg, 12l/min, $5/kg", ["15 mg", "per kg", "12 l", "per min", "$ 5", "per kg"]),
        ("20 m³/s at 30 km/s", ["20 m3", "per s", "at", "30 km/s"]),
        ("$1.5M, $2bn and 3billion", ["$ 1.5 million", "$ 2 bn", "and", "3 billion"]),
        ("1.5M cells of 5M", ["1.5m", "cells", "of", "5m"]),
        ("the cat -LRB- old -RRB- sat", ["cat", "old", "sat"]),
        ("", []),
        ("...", []),
    ],
)
def test_words_are_read_in_one_spelling(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


def test_boundaries_and_names_are_kept() -> None:
    atoms = atoms_of("The cat, a (grey) Tom Bell, sat.")
    assert [(atom.key, atom.boundary, atom.name) for atom in atoms] == [
        ("cat", "", False),
        ("grey", "(", False),
        ("tom", ")", True),
        ("bell", "", True),
        ("sat", ",", False),
    ]


def test_an_indefinite_article_lives_on_in_the_next_word() -> None:
    atoms = atoms_of("A cat saw an owl and the dog")
    assert [atom.key for atom in atoms if atom.indefinite] == ["cat", "owl"]


def test_a_number_after_a_command_is_no_part_of_a_name() -> None:
    assert [atom.key for atom in atoms_of("Add 3 eggs") if atom.value] == ["3"]
    assert not [atom for atom in atoms_of("Form 3 is due") if atom.value]


@pytest.mark.parametrize(
    ("text", "restricts"),
    [
        ("The bag is not locked", False),
        ("It's not locked", False),
        ("The bag is currently not locked", False),
        ("She did not lock it", False),
        ("Not all bags are locked", False),
        ("The town has no hall", False),
        ("She failed to lock it", False),
        ("Bags not locked are searched", True),
        ("Bags without tags are searched", True),
        ("Bags with no tag are searched", True),
        ("Guests failing to lock it pay", True),
        ("Not locking it costs 5 euros", True),
    ],
)
def test_a_negation_without_a_verb_may_only_pick_out_what_is_meant(text: str, restricts: bool) -> None:
    assert any(atom.restricts for atom in atoms_of(text)) is restricts


def test_a_date_takes_its_preposition_and_a_name_keeps_its_number() -> None:
    born, cup = atoms_of("In May 1990 the 2010 World Cup")[:2]
    assert born.value == Date((1990, 1990), 5)
    assert (cup.key, cup.value) == ("2010", None)


def test_the_period_of_a_months_abbreviation_ends_nothing() -> None:
    (date,) = (atom.value for atom in atoms_of("He was born on Sept. 17, 2011") if atom.value)
    assert date == Date((2011, 2011), 9, 17)


def test_a_bracket_does_not_join_two_halves_of_a_date() -> None:
    values = [atom.value for atom in atoms_of("It opened in May (1990 visitors came)") if atom.value]
    assert Date((1990, 1990), 5) not in values


def test_a_comparison_sign_belongs_to_its_number_and_an_arrow_or_a_quotes_mark_does_not() -> None:
    assert [atom.key for atom in atoms_of("It has >5 cats and < 3 dogs")] == [
        *("it", "has", "> 5", "cats", "and", "< 3", "dogs"),
    ]
    assert [atom.key for atom in atoms_of("> 5 cats -> 6 => 7\n> 8 <b>")] == ["5", "cats", "6", "7", "8", "b"]


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        (
            "Pets allowed: no; parking available: yes; dogs: none, cats: no",
            "Pets -allowed parking available -dogs -cats",
        ),
        ("Do you ship abroad: no, shipping takes time.", "Do you ship -abroad shipping takes time"),
        ("Parking: yes", "Parking"),
        ("Yes, parking costs 5 euros.", "parking costs 5euros"),
        ("Pets: no dogs", "Pets -dogs"),
        ("We have no parking.", "We have -parking"),
    ],
)
def test_a_no_that_is_set_apart_denies_what_stands_before_it(text: str, atoms: str) -> None:
    read = ["-" * atom.negated + atom.key.replace(" ", "") for atom in atoms_of(text)]
    assert read == atoms.lower().split()
