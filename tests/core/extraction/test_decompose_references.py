"""What pronouns and names stand for, by what was said before."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import pytest

from decomposing import claims, told
from vista_stream.claims import Utterance
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse

RESOLVED: Sequence[tuple[Sequence[str], str]] = [
    (["The driver gets a ticket.", "It costs 40 euros."], "The ticket costs 40 euros."),
    (["Fenrir runs on Linux.", "It needs 2 GB of memory."], "It needs 2 GB of memory."),
    (["Kafka runs on Linux.", "It needs 2 GB of memory."], "It needs 2 GB of memory."),
    (["The guide needs your ID.", "He speaks English."], "The guide speaks English."),
    (
        ["Karl Nyberg was sent off.", "Sven Aldous left Norwick, for whom he has played 412 games."],
        "Sven Aldous left Norwick, for whom he has played 412 games.",
    ),
    (["Marie Curie was a physicist.", "She won the Nobel Prize."], "Marie Curie won the Nobel Prize."),
    (["Marie Curie met Pierre Curie.", "He was a professor."], "Pierre Curie was a professor."),
    (["Carl Lund met Karl Holm.", "He was a professor."], "Carl Lund was a professor."),
    (["Tom Berg and Ben Holm sang.", "He was loud."], "He was loud."),
    (
        [
            "Anna Berg was a painter.",
            "Her sister Ann sang.",
            "Eva Holm asked her to paint it.",
            "It burned.",
            "She left.",
        ],
        "She left.",
    ),
    (["Jupiter has 95 moons.", "One of them has its own field."], "One of them has its own field."),
    (["Jupiter has 95 moons.", "The largest has its own ocean."], "The largest has its own ocean."),
    (["GPS uses 24 satellites.", "Each sends its position."], "Each sends its position."),
    (["Anna Berg hurt her knee.", "This ended her career."], "This ended Anna Berg's career."),
    (["Norvik Foods was founded by two brothers.", "They sang."], "They sang."),
    (["Ada Lund ran a firm.", "She, Eva Holm, drew plans."], "She, Eva Holm, drew plans."),
    (["Anna Berg wrote Fjord.", "Her sister is a nurse."], "Anna Berg's sister is a nurse."),
    (["Apple was founded in 1976.", "It is based in Cupertino."], "Apple is based in Cupertino."),
    (["Anna Berg and Carl Lund met in Oslo.", "They sang."], "Anna Berg and Carl Lund sang."),
    (
        ["Anna Berg and Carl Lund met in Oslo.", "The duo wrote songs."],
        "Anna Berg and Carl Lund wrote songs.",
    ),
    (["Nordlys is a Danish company.", "The company sells lamps."], "Nordlys sells lamps."),
    (["Zorble was made by Eva Holm.", "She lives in Oslo."], "Eva Holm lives in Oslo."),
    (["Zorble is a language.", "Its syntax is simple, and it runs fast."], "Zorble runs fast."),
    (
        ["Zorble is old.", "It was not until 1920 that women could vote."],
        "It was not until 1920 that women could vote.",
    ),
    (["Zorble is a town.", "It is famous for its beaches."], "Zorble is famous for its beaches."),
    (
        ["Zorble is old.", "It is the largest town of the region."],
        "Zorble is the largest town of the region.",
    ),
    (["Zorble is a fair.", "It takes place in May."], "Zorble takes place in May."),
    (["Zorble is old.", "It takes an hour to walk there."], "It takes an hour to walk there."),
    (["Zorble is old.", "It is safe for adults to walk there."], "It is safe for adults to walk there."),
    (["Zorble is old.", "It was Karl Berg who built the tower."], "It was Karl Berg who built the tower."),
    (["Zorble is old.", "It is cold in winter."], "It is cold in winter."),
    (["The Bank of England was founded in 1694.", "It prints notes."], "The Bank of England prints notes."),
    (["Apollo 11 landed in 1969.", "It carried a crew."], "Apollo 11 carried a crew."),
    (
        ["Carl Lund was a lawyer.", "He served four years.", "In spite of his youth, he bought a mill."],
        "In spite of his youth, Carl Lund bought a mill.",
    ),
    (["Despite its size, Zorble is poor.", "It sells lamps."], "Zorble sells lamps."),
    (["Carl Lund hates water.", "She is off the list, so it is only you now."], "It is only the user now."),
    (["We met in Oslo.", "It stays open until six."], "It stays open until six."),
    (["Oslo is a town.", "We left.", "It has a port."], "Oslo has a port."),
    (["The town chose Quill 250.", "He is booked for Friday."], "He is booked for Friday."),
    (["Minka likes butter.", "The clinic in Zell is open.", "She gets a tablet."], "She gets a tablet."),
    (["The pesto has no nuts.", "Six people at 20:00 it is."], "Six people at 20:00 it is."),
    (["The fee is yearly.", "You are both on the list."], "You are both on the list."),
    (
        ["The menu is new.", "It costs 30 euros for the six of you."],
        "The menu costs 30 euros for the six of you.",
    ),
    (["The menu is new.", "You need both forms."], "The user needs both forms."),
    (["The menu is new.", "You lose all your points."], "The user loses all the user's points."),
    (["The menu is new.", "You are old enough for the menu."], "The user is old enough for the menu."),
    (
        ["Carl Lund worked for Holm before striking out on his own.", "He never married."],
        "Carl Lund never married.",
    ),
    (
        [
            "Carl Lund was the president.",
            "His vice president was loyal to Carl Lund.",
            "He was shot in 1865.",
        ],
        "Carl Lund was shot in 1865.",
    ),
    (["Zorble is a moon.", "The union reclassified it."], "The union reclassified Zorble."),
    (["Oslo joined the Baltic Union.", "The team lost."], "The team lost."),
    (["Place: Rome", "It is 300 metres tall."], "It is 300 metres tall."),
    (["Costly players left Oslo.", "Lund helped them."], "Lund helped them."),
    (["My kids are nice.", "They sold well."], "They sold well."),
    (["Anna Berg rides a red bike in the park.", "It is fast."], "It is fast."),
    (["The music is old.", "It is a film about bees."], "It is a film about bees."),
    (["After that her niece went on.", "Her diaries came out late."], "Her diaries came out late."),
    (["Anna Berg saw the bridge from the park.", "It never ended."], "It never ended."),
    (["They have two hearts.", "They live for ten years."], "They live for ten years."),
    (["The glasses are nice.", "They sell them in the shop."], "They sell them in the shop."),
    (["Zorble is old.", "It's 10 years later now."], "It's 10 years later now."),
    (["Zorble is a town.", "It gets up to 21 degrees."], "It gets up to 21 degrees."),
    (["Zorble is a town.", "It was the Romans who built the wall."], "It was the Romans who built the wall."),
    (["Zorble is a town.", "That is how it goes."], "That is how it goes."),
    (["Zorble is a fair.", "Eva Holm finds it hard to leave."], "Eva Holm finds it hard to leave."),
    (["Haha is nice.", "It should be."], "It should be."),
    (["The vaccine is new.", "It's been tested."], "The vaccine has been tested."),
    (["Swedish is nice.", "She writes novels."], "She writes novels."),
    (["Anna Berg lives in Oslo.", "It is known that ice melts."], "It is known that ice melts."),
    (["The club met on Monday.", "It was agreed to raise the fee."], "It was agreed to raise the fee."),
    (["The bridge was opened in 1990.", "It was built to last."], "The bridge was built to last."),
    (["Anna Berg lives in Oslo.", "In her youth, Eva Holm sang."], "In her youth, Eva Holm sang."),
    (["Paint goes to Quarry Road.", "Waste from his firm is accepted."], "Waste from his firm is accepted."),
    (["Each ticket costs 5 euros.", "On Sundays it is free."], "On Sundays each ticket is free."),
    (["Anna Berg lives in Oslo.", "I am a model."], "The assistant is a model."),
    (["Anna Berg lives in Oslo.", "You are right-handed."], "The user is right-handed."),
    (["Anna Berg lives in Oslo.", 'She said: "I am cold."'], 'Anna Berg said: "I am cold."'),
]


@pytest.mark.parametrize(("sentences", "expected"), RESOLVED, ids=[s[-1] for s, _ in RESOLVED])
def test_references_resolve_where_one_antecedent_is_clear(
    parse: Parse, sentences: Sequence[str], expected: str
) -> None:
    assert claims(Discourse(parse), *sentences)[-1] == expected


def test_the_history_gives_antecedents(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="Who was Marie Curie?"))
    assert claims(discourse, "She was a physicist.") == ["Marie Curie was a physicist."]


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("When does my train leave?", "It leaves at 8:15.", "The user's train leaves at 8:15."),
        (
            "Imhof. When does my parcel come?",
            "It comes on Wednesday.",
            "It comes on Wednesday.",
        ),
        ("What kind of bike do you ride?", "It has a wide range.", "It has a wide range."),
        ("What happened to the series about the sea?", "It ended in 2019.", "It ended in 2019."),
        ("My kid asked if narwhals are real.", "They're whales.", "Narwhals are whales."),
    ],
)
def test_what_the_user_named_is_meant_only_where_it_is_clear(
    parse: Parse, question: str, answer: str, claim: str
) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text=question))
    assert claims(discourse, answer) == [claim]


def test_the_it_of_a_request_is_what_the_answer_was_about(parse: Parse) -> None:
    discourse = Discourse(parse)
    claims(discourse, "The parcel will be delivered on Thursday.")
    discourse.hear(Utterance(role="user", text="Could you deliver it on Saturday instead?"))
    told = claims(discourse, "Done, it will be delivered on Saturday.")
    assert told == ["The parcel will be delivered on Saturday."]


def test_a_pronoun_whose_sentence_names_two_things_keeps_its_word(parse: Parse) -> None:
    told = claims(
        Discourse(parse), "Porto is a city.", "Anna Berg loves that little car, it fits everywhere."
    )
    assert told[-1] == "It fits everywhere."


def test_a_pronoun_before_one_of_another_class_does_not_mean_the_same(parse: Parse) -> None:
    told = claims(Discourse(parse), "The user hates water.", "She is off the list, so it is only you now.")
    assert told[-2:] == ["She is off the list.", "It is only the user now."]


def test_a_copy_goes_its_own_way(parse: Parse) -> None:
    discourse = Discourse(parse)
    claims(discourse, "Marie Curie was a physicist.")
    other = copy(discourse)
    claims(other, "Rosa Luxemburg was a politician.")
    assert claims(discourse, "She died in 1934.") == ["Marie Curie died in 1934."]


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("Anna Berg directed I, Robot.", "Anna Berg directed I, Robot."),
        ("I, Robot is a film.", "I, Robot is a film."),
        ("I recommend Who Moved My Cheese.", "The assistant recommends Who Moved My Cheese."),
        ("I have heard of When You Reach Me.", "The assistant has heard of When You Reach Me."),
        ("I like my house.", "The assistant likes the assistant's house."),
    ],
)
def test_a_pronoun_in_a_title_is_nobodys(parse: Parse, sentence: str, claim: str) -> None:
    assert claims(Discourse(parse), sentence) == [claim]


def test_no_woman_is_nobody(parse: Parse) -> None:
    text = (
        "Olena Marchetti won the Hauer Medal. No woman had won it before her. She was married to a botanist."
    )
    assert told(parse, text)[-1] == "Olena Marchetti was married to a botanist."


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Twenty-eight practices took part. It ran for two years.", "It ran for two years."),
        (
            "Aldo Brennan was an architect. He won the Steiner Prize. Another Irishman had won it before. "
            "He kept the money.",
            "Aldo Brennan kept the money.",
        ),
        (
            "Aldo Brennan was an architect. Every Irishman knows his hall. He built it in Galway.",
            "Aldo Brennan built it in Galway.",
        ),
        (
            "The bridge is old. It has two decks: the upper carries the metro and the lower carries cars.",
            "The upper carries the metro and the lower carries cars.",
        ),
        (
            "Another trip, to the Science Museum, is planned for June, but its date has not been fixed.",
            "Another trip's date has not been fixed.",
        ),
        (
            "Adults who have had an ulcer must take half the dose, and they should not drink.",
            "Adults who have had an ulcer should not drink.",
        ),
        (
            "Bags that weigh over 23 kg cost extra. They must be checked in early.",
            "Bags that weigh over 23 kg must be checked in early.",
        ),
        ("Students that live abroad pay more. Their fees are due in May.", "Their fees are due in May."),
        (
            "The firm's chief executive, Eva Lindt, said that it was shut. He had promised more in 2019.",
            "He had promised more in 2019.",
        ),
        ("You needn't bring a mat to the gym.", "The user needn't bring a mat to the gym."),
        ("You need not bring a mat to the gym.", "The user need not bring a mat to the gym."),
        ("You need a mat in the gym.", "The user needs a mat in the gym."),
        ("Links that you share are valid for a week.", "Links that the user shares are valid for a week."),
        (
            "It drops Windows 8.1 and macOS 11. If your people are on 5.x, they can go straight to 6.2.",
            "If the user's people are on 5.x, they can go straight to 6.2.",
        ),
        (
            "The gates open at ten. Your tickets are valid for a day. They cannot be returned.",
            "The user's tickets cannot be returned.",
        ),
        ("The doses are small. Take the capsules with water. They are hard.", "The capsules are hard."),
        ("The ferry leaves at ten. Show the ticket at the gate. It has a bar code.", "It has a bar code."),
        ("Anna Berg and Tom Lund live in Bergen. She is a doctor.", "Anna Berg is a doctor."),
        ("Siemens and Bosch make tools. It was founded in 1847.", "It was founded in 1847."),
        ("The team have a coach. It trains daily.", "The team trains daily."),
        ("Acorns are its staple food. It eats buds.", "It eats buds."),
        ("The Rosetta Stone is old. Egypt has asked for its return. It weighs 762 kg.", "It weighs 762 kg."),
        ("Apple is old. Microsoft sold its own shop. It grew.", "Microsoft grew."),
        ("Metformin lowers the sugar that the liver makes. It is white.", "Metformin is white."),
        ("The film that Nordlys made was a hit. It ran for years.", "The film ran for years."),
        (
            "Only Services grew. The firm cut 800 jobs, most of them here.",
            "The firm cut 800 jobs, most of them here.",
        ),
        (
            "Of the shops only Services grew. The zoo has 12 lions, three of them cubs.",
            "Three of them cubs.",
        ),
        ("Of the shops only Services grew. The zoo has 12 tigers. They eat meat.", "They eat meat."),
        ("The union said that jobs were at risk, but the firm denied it.", "The firm denied it."),
        ("The firm said that sales fell, and the market punished it.", "The market punished the firm."),
        ("The team worked hard, and it took them two years.", "It took them two years."),
        ("The team worked hard, and it took two years.", "It took two years."),
        ("The course is long. It takes two hours.", "The course takes two hours."),
        ("Tom Smith was a poet. After Paul Lang he sold most. He died in 1950.", "He died in 1950."),
        ("Tom Berg was jailed. Carl Lund asked for his release. He left in 1990.", "He left in 1990."),
        ("Anna Berg was jailed. Carl Lund asked for her release. She left.", "Anna Berg left."),
        (
            "Ada Byron sang. Her husband was made Earl of Lovelace. She died in 1852.",
            "Ada Byron died in 1852.",
        ),
        ("Ann Lee sang. Her father, Earl of Wiltshire, was rich. She left.", "Ann Lee left."),
        (
            "Windsor Castle is open daily. The town has 32,000 inhabitants.",
            "The town has 32,000 inhabitants.",
        ),
        ("The Sahara is dry. The country is large.", "The country is large."),
        ("Ireland is green. The island has lakes.", "Ireland has lakes."),
        (
            "Zorble is old. It was Karl Berg, a nurse, who found it.",
            "It was Karl Berg, a nurse, who found it.",
        ),
        (
            "The Galaxy is light. It is the Galaxy, not the Pixel, that has a lens.",
            "It is the Galaxy, not the Pixel, that has a lens.",
        ),
        ("Zorble is old. It is the club that won the cup.", "Zorble is the club that won the cup."),
        ("Karl Berg worked for Tom Lund. Tom Lund did not pay him. He left.", "He left."),
        ("Ann Lee is a player. Her sister Eva Holm also played. She won.", "She won."),
        ("The hotel has a pool. It is open until ten.", "It is open until ten."),
        ("The hotel is new. It has a pool. It is open until ten.", "The hotel is open until ten."),
        ("The drug is new. Never drink alcohol with it. It can harm the liver.", "It can harm the liver."),
        ("The city is building a line. It will open in 2028.", "It will open in 2028."),
        ("The leader wears yellow. Eddy Merckx won the race. He is old.", "He is old."),
        ("The guide is nice. Tours start at noon. He speaks English.", "The guide speaks English."),
        ("Zorble is a play. Karl Berg wants revenge. It was printed in 1600.", "It was printed in 1600."),
        (
            "Ann Lee was a chemist. Tom Berg and Ben Holm built a model. She died in 1958.",
            "She died in 1958.",
        ),
        ("Anna Berg sang. Unlike Carl Lund she sang well.", "Unlike Carl Lund Anna Berg sang well."),
        ("Lunch is free. It won't cost you anything. On Mondays, it's late.", "On Mondays, it's late."),
        ("Somebody pays nothing. Members have it deducted.", "Members have it deducted."),
        (
            "The film was made by Eva Holm. The music was written by Carl Lund. It opened in Oslo.",
            "It opened in Oslo.",
        ),
        ("The wreck was found by divers, who saved the bell. It is in the museum.", "It is in the museum."),
        ("The process is the way in which plants use light. It is slow.", "The process is slow."),
        ("The film was loud. The iPhone came out in 2007. It sold well.", "The iPhone sold well."),
        ("The museum is old. The museum shop sells books. It is closed.", "It is closed."),
        ("The plan is new. The Gold plan has calls. It costs 9 euros.", "The Gold plan costs 9 euros."),
        ("The Court of Appeal upheld the verdict. The king reversed it.", "The king reversed it."),
        (
            "The wreck was found by divers, who saved the bell. Denmark asked for its return.",
            "Denmark asked for its return.",
        ),
        ("The earthquake destroyed the bridge, and it was rebuilt.", "It was rebuilt."),
        ("The bag contains the shirts, but the shoes are late; they follow.", "The shoes follow."),
        ("The pool is open. He isn't allowed in the hall, but it's full.", "It's full."),
        ("The pool is open. For a small fee, it can be hired.", "For a small fee, the pool can be hired."),
        (
            "The parents pretend to be ill. Only about a third of chicks survive their first year.",
            "Only about a third of chicks survive their first year.",
        ),
        ("The judge sentenced Paul Smith to five years, but he was freed in 1990.", "He was freed in 1990."),
        ("The director offered the part to Vito Renna, but he declined it.", "He declined the part."),
        ("Ferri offered the part to Vito Renna, but he declined it.", "He declined it."),
        ("Tom Berg is rich. The film was made by Carl Lund, and he won.", "He won."),
        (
            "Anna Berg began at Nordmed, a Danish company. She joined Halvorsen. The company was sold.",
            "The company was sold.",
        ),
        (
            "Nordmed is a Danish company. Anna Berg joined in May. The company was sold.",
            "Nordmed was sold.",
        ),
        (
            "Nils Brandt was a captain. He was her last captain. She was built in 1903.",
            "She was built in 1903.",
        ),
        (
            "The Vasa sank in 1628. Its admiral, Erik Jonsson, lived. Built in Bern, she was long.",
            "She was long.",
        ),
        ("UNESCO was founded in 1945. WHO was founded in 1948. It fights disease.", "WHO fights disease."),
        (
            'Ada Lovelace sang. Her father was rich. Babbage called her the "Enchantress of Numbers." '
            "He was old.",
            "He was old.",
        ),
        (
            "Greta Lindholm sang. According to her biographer, Eva Holm, she was shy. She left in 1970.",
            "Greta Lindholm left in 1970.",
        ),
        ("Roe v. Wade was a decision of 1973. It was overruled.", "Roe v. Wade was overruled."),
    ],
)
def test_a_pronoun_means_what_was_meant(parse: Parse, text: str, claim: str) -> None:
    assert told(parse, text)[-1] == claim


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann Lee gave her fortune to the church, which surprised the family.",
        "Ann Lee left the town in 1925, which few knew.",
        "Ann Lee lost the case, which led to a new law.",
        "Ann Lee was taken to an asylum near Bonn, where nobody came.",
        "The firm missed its deadline, which cost it $2 million.",
        "The agency cancelled the launch, which delayed the mission by a year.",
        "Ann Lee believed that the ship sailed along the coast, which turned out to be wrong.",
        "Ann Lee lost her keys, which was her own fault.",
        "The copy in Bonn, which isn't by Ann Lee either, was made around 1600.",
        "Nobody takes over the flights to Bonn, which vanish from the timetable.",
        "Bottles are now washed at 80 °C instead of 65 °C, which costs more power.",
        "The mine shut in 1990, which was a hard year for the town.",
        "The pass went from 30 euros to 45 euros, which annoyed commuters.",
        "Mothers can take it given the doctor's consent, which is not an option for others.",
        "Ann Lee left her car on the pavement, which is illegal in Bonn.",
        "The rent was raised by the firm, which is allowed in Bonn.",
        "The shop closes at noon in August, which is because of the heat.",
    ],
)
def test_which_may_be_all_that_was_said(parse: Parse, sentence: str) -> None:
    assert claims(Discourse(parse), sentence) == [sentence]


@pytest.mark.parametrize(
    ("sentence", "told_of_it"),
    [
        ("The group moved into the old mill, which had 90 rooms.", "The old mill had 90 rooms."),
        ("The figure comes from the old probe, which measured the heat.", "The old probe measured the heat."),
        ("Put the bags in the lockers, which take one coin.", "The lockers take one coin."),
        ("Ann Lee works at the Holm Museum, which draws big crowds.", "The Holm Museum draws big crowds."),
        ("Ann Lee lives in Bremen, which is a port.", "Bremen is a port."),
        ("The firm sold the shares, which were worthless.", "The shares were worthless."),
    ],
)
def test_which_is_the_noun_where_it_is_no_deed(parse: Parse, sentence: str, told_of_it: str) -> None:
    assert claims(Discourse(parse), sentence)[-1] == told_of_it


def test_it_means_what_the_last_question_is_about(parse: Parse) -> None:
    discourse = Discourse(parse)
    for phone, weight in (("Alder", 170), ("Birch", 200)):
        discourse.hear(Utterance(role="user", text=f"How heavy is the {phone} phone?"))
        found = claims(discourse, f"It weighs {weight} grams.")
        assert found == [f"The {phone} phone weighs {weight} grams."]


@pytest.mark.parametrize(
    ("asked", "answers", "claim"),
    [
        (
            ["Tell me about Hotel Sonne.", "And Hotel Mond?"],
            ["Hotel Sonne has 40 rooms.", "It has 80 rooms."],
            "Hotel Mond has 80 rooms.",
        ),
        (
            ["Tell me about Anna Moser.", "And her sister?"],
            ["Anna Moser runs the bakery.", "She runs the cafe."],
            "She runs the cafe.",
        ),
        (["What does the ticket cost?"], ["It costs 12 euros."], "It costs 12 euros."),
        (
            ["How much is Plus?", "And Pro?"],
            ["It costs 9 euros.", "It costs 19 euros."],
            "Pro costs 19 euros.",
        ),
    ],
)
def test_what_was_just_asked_about_is_not_passed_over(
    parse: Parse, asked: Sequence[str], answers: Sequence[str], claim: str
) -> None:
    discourse = Discourse(parse)
    for question, answer in zip(asked, answers, strict=True):
        discourse.hear(Utterance(role="user", text=question))
        found = claims(discourse, answer)
    assert found == [claim]


def test_one_thing_whose_noun_looks_like_a_plural_is_one(parse: Parse) -> None:
    found = told(parse, "It's closed on Mondays.", "Is the sauna open on Mondays?")
    assert found == ["The sauna is closed on Mondays."]


def test_it_may_mean_what_was_asked_about_rather_than_an_object_since(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="How long is the trial?"))
    assert claims(discourse, "You don't need a card.", "It lasts 14 days.")[-1] == "It lasts 14 days."


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        (
            "Is Berlin the smallest?",
            "It has 1.9 million inhabitants.",
            "Hamburg has 1.9 million inhabitants.",
        ),
        ("Is the fair in Berlin?", "It starts in May.", "It starts in May."),
        ("Is Berlin in Bavaria?", "It has lakes.", "It has lakes."),
        ("Was Ada Lovelace born in Rome?", "She was a writer.", "Ada Lovelace was a writer."),
    ],
)
def test_a_pronoun_does_not_mean_the_name_that_was_just_denied(
    parse: Parse, question: str, answer: str, expected: str
) -> None:
    assert told(parse, f"No, Hamburg. {answer}", question)[1:] == [expected]


def test_it_is_not_one_name_where_it_is_said_to_be_another(parse: Parse) -> None:
    assert told(parse, "No, it is Carl.", "Is Anna the oldest?") == ["Anna is not the oldest.", "It is Carl."]


@pytest.mark.parametrize("courtesy", ["Thanks.", "Cheers."])
def test_a_courtesy_of_the_user_is_nothing_that_a_pronoun_means(parse: Parse, courtesy: str) -> None:
    discourse = Discourse(parse)
    claims(discourse, "The lockers cost 3 euros.")
    discourse.hear(Utterance(role="user", text=courtesy))
    assert claims(discourse, "They cost 5 euros.") == ["The lockers cost 5 euros."]


def test_the_predicate_of_a_question_is_no_part_of_a_name(parse: Parse) -> None:
    assert told(parse, "She was born in Warsaw.", "Was Marie Curie French?") == [
        "Marie Curie was born in Warsaw."
    ]


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Is there a pool at Hotel Astoria?", "It was built in 1985.", "It was built in 1985."),
        ("Is parking available at Hotel Astoria?", "It costs 9 euros.", "It costs 9 euros."),
        ("Is 5G included in TalkEasy M?", "It isn't in TalkEasy M.", "It isn't in TalkEasy M."),
        ("Is there a pool?", "There is a museum. It opens at nine.", "The museum opens at nine."),
        ("Is there a lift?", "There are lockers. They cost 2 euros.", "Lockers cost 2 euros."),
        ("Is Hotel Astoria good?", "There is a pool. It is warm.", "It is warm."),
        ("", "Guests can eat here. There is a cafe. It opens at nine.", "The cafe opens at nine."),
        ("", "The museum opened in 1990. There is a cafe. It has 300 pictures.", "It has 300 pictures."),
        ("", "The museums opened in 1990. There are lockers. They open at 9.", "They open at 9."),
        ("", "We visited a castle. There is a moat around it. It is 9 m wide.", "It is 9 m wide."),
    ],
)
def test_what_there_is_may_be_meant_rather_than_the_place_where_it_is(
    parse: Parse, question: str, answer: str, expected: str
) -> None:
    assert told(parse, answer, question)[-1] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tents need no permit. As for parking, it costs $5.", "As for parking, it costs $5."),
        (
            "A bus is cheap. As for dogs and cats, they are allowed.",
            "As for dogs and cats, they are allowed.",
        ),
        ("The inn is old. And as for the bar, it is new, and it opens at 9.", "The bar opens at 9."),
        ("You need a card. As for riding bikes, it is forbidden.", "As for riding bikes, it is forbidden."),
        ("The museum is old. As for its bar, it is new.", "As for the museum's bar, it is new."),
        ("The inn is old. As for the bar, Anna Berg loves it. She sings.", "Anna Berg sings."),
        ("You need a card. For a fee, it can be replaced.", "For a fee, the card can be replaced."),
    ],
)
def test_a_pronoun_means_what_its_sentence_says_before_that_it_is_about(
    parse: Parse, text: str, expected: str
) -> None:
    assert told(parse, text)[-1] == expected


def test_it_means_nothing_where_it_is_forbidden_to_do_something(parse: Parse) -> None:
    found = told(parse, "You don't need permission. In the sauna, it is forbidden to talk.")
    assert found[-1] == "In the sauna, it is forbidden to talk."


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (["Ida is 9.", "She sings."], "Ida sings."),
        (["Ylva is 9.", "She sings."], "She sings."),
        (["She is 9.", "She sings."], "Max's sister sings."),
        (["She wrote Fjord.", "Fjord is a novel.", "She sings."], "Max's sister sings."),
    ],
)
def test_she_is_the_name_that_an_answer_gives_to_the_person_asked_about(
    parse: Parse, answer: Sequence[str], expected: str
) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="How old is Max?"))
    claims(discourse, "He's 12.")
    discourse.hear(Utterance(role="user", text="And his sister?"))
    assert claims(discourse, *answer)[-1] == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "It wasn't Wegener but Harry Hess who proposed seafloor spreading.",
        "It was not Gray, but Bell who got the patent.",
    ],
)
def test_the_it_of_a_cleft_with_two_names_means_nothing(parse: Parse, sentence: str) -> None:
    assert told(parse, f"Alfred Berg proposed continental drift. {sentence}")[-1] == sentence


def test_what_joins_two_nouns_need_not_be_a_cleft(parse: Parse) -> None:
    found = told(parse, "Oslo is big. It is the capital and the city that has most parks.")
    assert found[1:] == ["Oslo is the capital.", "Oslo is the city that has most parks."]


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("He'd defeated them.", "Carl Lund had defeated them."),
        ("He'd defeat them.", "Carl Lund would defeat them."),
        ("He'd be paid.", "Carl Lund would be paid."),
        ("I'd seen it.", "The assistant had seen it."),
    ],
)
def test_a_clitic_beside_a_name_is_had_or_would(parse: Parse, sentence: str, claim: str) -> None:
    assert told(parse, f"Carl Lund sang. {sentence}")[-1] == claim


@pytest.mark.parametrize(
    ("before", "sentence", "claim"),
    [
        ("Unopened milk keeps.", "Once opened, it sours.", "Once opened, it sours."),
        ("Uncooked rice keeps.", "Cooked, it sours in days.", "Cooked, it sours in days."),
        ("Unopened milk keeps.", "After opening, it sours.", "After opening, it sours."),
        ("A sealed vial keeps.", "Once it is opened, it spoils.", "Once it is opened, it spoils."),
        ("Fresh milk keeps for days.", "In summer it sours.", "In summer fresh milk sours."),
        (
            "The old bridge is slow.",
            "He died before it was shut.",
            "He died before the old bridge was shut.",
        ),
    ],
)
def test_what_has_become_something_else_is_not_called_what_it_was(
    parse: Parse, before: str, sentence: str, claim: str
) -> None:
    assert claims(Discourse(parse), before, sentence)[-1] == claim


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        (
            "While a laptop has a battery inside it, a desktop has none.",
            "A laptop has a battery inside it.",
        ),
        (
            "While a tent needs poles to hold it up, a hammock needs trees.",
            "A tent needs poles to hold it up.",
        ),
        ("Although the council had rejected it, the plan went ahead.", "The council had rejected the plan."),
    ],
)
def test_it_is_not_a_later_subject_where_one_before_it_may_be_meant(
    parse: Parse, sentence: str, claim: str
) -> None:
    assert claims(Discourse(parse), sentence)[0] == claim


def test_among_them_is_out_of_those_just_counted(parse: Parse) -> None:
    text = "The plane flew from Paris and Rome.", "At least 140 people died at sea, among them Peter Fechter."
    assert claims(Discourse(parse), *text)[-1] == text[1]
    told_of = "At least 140 people died at the Wall, among them Peter Fechter, who was shot in 1962."
    assert "Peter Fechter was shot in 1962." in claims(Discourse(parse), told_of)


@pytest.mark.parametrize(
    "sentence",
    [
        "It does not matter where people apply.",
        "It makes no difference whether people pay online.",
        "It makes no sense to wait.",
        "It pays to book early.",
        "It helps that the queue is short.",
    ],
)
def test_it_means_nothing_where_a_later_clause_matters(parse: Parse, sentence: str) -> None:
    assert claims(Discourse(parse), "The visa is cheap.", sentence)[-1] == sentence


@pytest.mark.parametrize("said", ["pays what one owes", "makes coffee", "made a difference to health"])
def test_it_means_the_thing_that_pays_and_makes_something(parse: Parse, said: str) -> None:
    assert claims(Discourse(parse), "The app is cheap.", f"It {said}.")[-1] == f"The app {said}."


@pytest.mark.parametrize(
    "text",
    [
        (
            "The Treaty of Versailles ended the war.",
            "It was Clemenceau who wanted harsh terms.",
            "Germany lost 13% of its territory.",
            "The United States never ratified it.",
        ),
        ('"This is not peace," Marshal Foch said.', '"It is an armistice."'),
    ],
)
def test_a_name_that_cannot_be_meant_is_not_written_for_it(parse: Parse, text: Sequence[str]) -> None:
    assert claims(Discourse(parse), *text)[-1] == text[-1]


def test_its_is_not_the_owner_of_an_apposition(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="What is Kyoto known for?"))
    text = "Kyoto, Japan's capital from 794 to 1868, is known for its temples."
    assert "Kyoto is known for its temples." in claims(discourse, text)


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Can my 11 year old take the coach?", "She can go.", "The user's 11 year old can go."),
        ("Is it okay for a 6-month-old?", "She may come.", "She may come."),
        ("My oldest wants to take the coach. Is that ok?", "He can go.", "He can go."),
        ("Does the coach take my daughter to school?", "She can ride alone.", "She can ride alone."),
        ("How late is the coach?", "She can ride alone.", "She can ride alone."),
        ("Is the coach a former boxer?", "He lives in Leeds.", "The coach lives in Leeds."),
        ("Where did the surgeon train?", "She trained in Bern.", "The surgeon trained in Bern."),
    ],
)
def test_she_is_no_coach_that_may_be_a_bus(parse: Parse, question: str, answer: str, claim: str) -> None:
    assert told(parse, answer, question) == [claim]


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        (
            "All sailings are called off, and those who have booked a car get their money back.",
            "Those who have booked a car get their money back.",
        ),
        (
            "All trains are cancelled, and everyone who booked a seat gets their money back.",
            "Everyone who booked a seat gets their money back.",
        ),
        (
            "The firms sold their mills, and those with debts lost their land.",
            "Those with debts lost their land.",
        ),
        ("The firms sold their mills, and they lost their land.", "The firms lost their land."),
        (
            "Sons leave before their first birthday, while daughters may remain at their mother's side.",
            "Daughters may remain at their mother's side.",
        ),
        ("The mill lost its wheel, and the county sold its bus.", "The county sold its bus."),
        ("Anna Lund sold her house, and her brother kept her car.", "Anna Lund's brother kept her car."),
        ("Anna Lund wrote to her mother, who said she was ill.", "Anna Lund's mother said she was ill."),
        (
            "Anna Lund stays, whereas her sister, who says she prefers baking, will leave.",
            "Anna Lund's sister says she prefers baking.",
        ),
        ("Carl Lund left, but his mother says he will return.", "His mother says Carl Lund will return."),
        ("Carl Lund left. His father ran a shop, and his uncle sang.", "Carl Lund's uncle sang."),
        ("Ada Roe was a chemist who made her name with dyes. She died in 1950.", "Ada Roe died in 1950."),
        ("Ada Roe, a chemist who made her name with dyes, left. She died in 1950.", "Ada Roe died in 1950."),
    ],
)
def test_a_pronoun_may_mean_the_subject_of_its_own_clause(parse: Parse, sentence: str, claim: str) -> None:
    assert told(parse, sentence)[-1] == claim


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("A neighbour lent Ms Aalto 3 hives for her orchard, and she gave them back.", "She gave them back."),
        ("A neighbour lent Mr Aalto a ladder for his roof, and he broke it.", "He broke the ladder."),
        ("The pilot left Bern in 1920, and she moved to Oslo.", "The pilot moved to Oslo."),
        ("Apollo 11 left in 1969, and it carried three men.", "Apollo 11 carried three men."),
    ],
)
def test_she_may_be_whom_a_title_tells_to_be_a_woman(parse: Parse, sentence: str, claim: str) -> None:
    assert claims(Discourse(parse), sentence)[-1] == claim


@pytest.mark.parametrize(
    ("before", "sentence", "claim"),
    [
        ("The fees rose.", "As members, they need not pay.", "As members, they need not pay."),
        ("The students wrote.", "As members, they need not pay.", "As members, the students need not pay."),
        ("The fees rose.", "As a rule, they fall in June.", "As a rule, the fees fall in June."),
    ],
)
def test_they_are_no_things_where_they_are_people(
    parse: Parse, before: str, sentence: str, claim: str
) -> None:
    assert claims(Discourse(parse), before, sentence)[-1] == claim


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Avoid grapefruit juice, since it weakens the drug.", "Grapefruit juice weakens the drug."),
        ("Don't throw away the receipt, since it proves the price.", "The receipt proves the price."),
        ("Do not eat raw beans, since they contain a poison.", "Raw beans contain a poison."),
        ("Keep the receipt in the wallet, since it is needed.", "It is needed."),
        ("Bring a torch, since it gets dark early.", "It gets dark early."),
        ("Call the clinic, since it can be dangerous.", "It can be dangerous."),
        ("Tavorin is a drug. Drink water, since it dries the skin.", "It dries the skin."),
    ],
)
def test_a_reason_tells_of_the_one_thing_of_its_command(parse: Parse, text: str, claim: str) -> None:
    assert told(parse, text)[-1] == claim
