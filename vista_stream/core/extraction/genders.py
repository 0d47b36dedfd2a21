"""First names, titles and nouns that show whether a person is referred to as 'he' or as 'she'."""

from __future__ import annotations

from typing import Literal

from vista_stream.core.text.stems import word_set

Gender = Literal["m", "f", ""]

_MALE = word_set(
    """aaron adam adrian alan albert alexander alfred andre andrew anthony antonio arthur barack ben
    benjamin bernard bill bob boris brad brian bruce carl carlos charles chris christopher claude craig
    daniel david dennis dmitri don donald doug douglas edgar edmund eduardo edward elijah elon enrico
    eric ernest eugene fernando francisco frank franklin fred frederick friedrich galileo gary geoffrey
    george gerald giovanni giuseppe gordon graham greg gregory gustav harold harry heinrich henri henry
    herbert howard hugh hugo ian igor isaac ivan jack jacob jacques james jason jean jeff jeffrey jeremy
    jerry jim jimmy joe johann johannes john johnny jon jonathan jorge jose joseph joshua juan julius
    karl keith ken kenneth kevin kurt larry lawrence leo leon leonard leonardo louis luca ludwig luigi
    luis marco mario mark martin matthew max michael michel miguel mike mikhail mohamed mohammed
    muhammad napoleon nathan neil nelson nicholas nikola niels oliver oscar otto pablo patrick paul
    paulo pedro peter philip pierre rafael ralph raymond rené ricardo richard rob robert roberto rodrigo
    roger roland ron ronald roy rudolf samuel scott sean sebastian sergei sergey sergio sigmund simon
    stanley stefan stephen steve steven stuart ted theodore thomas tim timothy toby tom tony vincent
    victor vladimir walt walter warren wilhelm william winston wolfgang"""
)
_FEMALE = word_set(
    """abigail ada adele agatha agnes alice alicia alison amanda amelia amy angela anita ann anna anne
    annie audrey barbara beatrice betty beyoncé brenda bridget britney camille carla carmen carol
    caroline carolyn catherine cathy charlotte cheryl chloe christina christine claire clara claudia
    cleopatra cynthia daisy deborah denise diana diane dolores donna doris dorothy edith eleanor elena
    elizabeth ella ellen emilia emily emma esther eva evelyn fiona florence frances frida gabriela
    georgia gloria grace greta hannah harriet heather helen helena hilary hillary ida indira inez ingrid
    irene isabel isabella jackie jane janet janice jennifer jessica jill joan joanna josephine joyce
    judith judy julia julie karen kate katherine kathleen katie laura lauren leah lena lillian linda
    lisa lise louise lucia lucy madonna malala margaret maria marie marilyn martha mary maya megan
    melania melissa meryl mia michelle miriam monica nancy natalie natasha nicole nina nora olga olivia
    oprah pamela patricia paula penelope rachel rebecca rita rosa rosalind rose ruth sabrina sally
    sandra sara sarah serena shirley simone sofia sonia sophia sophie stephanie susan suzanne sylvia
    tamara tanya teresa theresa tina ursula valentina valerie vanessa venus vera veronica victoria
    virginia wendy yoko yvonne zoe"""
)
_MALE_NOUNS = word_set(
    """mr sir lord king prince duke marquess earl viscount count baron emperor father son brother
    husband uncle nephew grandfather grandson man boy gentleman businessman congressman sportsman frontman
    pope monk"""
)
_FEMALE_NOUNS = word_set(
    """mrs ms miss lady dame queen princess duchess marchioness viscountess countess baroness empress
    mother daughter sister wife aunt niece grandmother granddaughter woman girl actress businesswoman
    chairwoman congresswoman spokeswoman sportswoman heroine nun ballerina"""
)
_PERSON_NOUNS = _MALE_NOUNS | _FEMALE_NOUNS | word_set(
    """person actor artist author writer singer musician composer painter poet novelist scientist physicist
    chemist biologist mathematician engineer inventor doctor physician surgeon professor teacher student
    lawyer judge politician president minister senator governor mayor leader general officer soldier
    player footballer athlete coach manager director producer journalist philosopher historian economist
    entrepreneur founder chairman executive explorer astronaut pilot child kid friend parent spouse
    songwriter rapper guitarist drummer psychiatrist psychologist activist researcher diplomat
    quarterback cyclist wrestler boxer swimmer missionary theologian sculptor architect photographer
    model dancer comedian broadcaster
    pupil guest customer member patient adult boyfriend girlfriend driver nurse tenant visitor resident worker
    farmer widow runner rider passenger neighbour neighbor owner keeper pensioner vet clerk officer employee
    landlord cook colleague beekeeper councillor trader dentist miner relative pharmacist candidate
    ferryman cousin witness builder baker pianist technician reader guide physiotherapist midwife tourist
    traveller traveler merchant sailor climber critic electrician client surveyor bookkeeper courier
    organist fisherman volunteer fan buyer librarian conductor expert newcomer shepherd apprentice locksmith
    contractor midfielder bishop applicant hunter lodger weaver scholar trainee goalkeeper teenager performer
    abbot tradesman schoolteacher dealer cleaner participant citizen heir opponent walker villager captain
    violinist skier hiker innkeeper designer detective inspector prisoner butcher clockmaker speaker winner
    hirer waiter gardener botanist guard brewer treasurer dispatcher specialist fishmonger angler butler
    auctioneer burglar motorist historian cashier donor grandmaster subscriber employer stallholder editor
    craftsman astronomer forester lifeguard plumber diver restorer investor borrower lender policeman
    caretaker operator seller supplier carer caregiver receptionist agent author consultant supervisor
    instructor tutor trainer referee secretary passerby bystander"""
)  # fmt: skip

ALSO_THINGS = word_set(
    "coach model guide reader speaker guard conductor player runner fan trainer cleaner driver agent walker"
)
"""Nouns for a person that mean a thing as well: a bus, a book, a loudspeaker."""


def gender_of(words: list[str]) -> Gender:
    """'m' or 'f', by the first name, title or noun among the lower-case words that shows it; else empty."""
    for word in (w.strip(".") for w in words):
        if word in _FEMALE_NOUNS or word in _FEMALE:
            return "f"
        if word in _MALE_NOUNS or word in _MALE:
            return "m"
    return ""


def is_person(noun: str) -> bool:
    """Whether the lower-case noun means a person."""
    return noun in _PERSON_NOUNS


def is_first_name(word: str) -> bool:
    """Whether the lower-case word is one of the listed first names."""
    return word in _MALE or word in _FEMALE
