"""Sentences of our own and the claims that they make, with the parser and without one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decomposing import claims, drafts_of, segment
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.parsing import Parse
from vista_stream.core.text.language import is_english
from vista_stream.core.text.segmenter import SegmentKind

KEPT = (
    "The wife of Carl Lund, who died in 1990, was a judge.",
    "A biography of Carl Lund, which appeared in 1990, sold well.",
    "The song by Anna Berg, which won a prize in 1990, is short.",
    "It was Carl, not Anna, who won the race in 1990.",
    "It was Anna, and not Carl, who founded the company.",
    "The firm will reportedly close in May and fire 500 people.",
    # what is included or not says nothing by itself
    "Breakfast costs 12 euros a person, drinks included.",
    "A tour takes two hours, lunch not included.",
    "Mondays are out at any time of the year, public holidays included.",
    "A sensor that breaks down is swapped at no cost, water damage included.",
    # a noun that the parser took for what a relative clause, a participle or a second name tells of
    "Trainers are allowed on the two days when there is PE, which this year are Tuesday and Thursday.",
    "In 1992 the eastern side of Lemba, where the port is, got ash but no lava.",
    "The best effect is a tender arm, which more than half of those vaccinated get, and such are gone.",
    "On a course of 1,500 metres, shortened on account of waves, Lund's women won the eights.",
    "After a strike of two weeks, joined by the pilots, the airline gave in.",
    "The owner and the firm both let the convent have the machine, the owner in exchange for a picture.",
    "With a camera borrowed from the studio next door, Layla had taken the portrait that her sister, "
    "Nadia Rezk, sold in 1901 as her husband's.",
    # a verb that stands for another one's
    "The watch is waterproof, but the strap isn't.",
    "Members can vote; guests cannot.",
    "Cars must pay; bikes needn't.",
    "Tom likes jazz, and Eva does too.",
    "Anna was a doctor, and so was her brother.",
    "Bags are not accepted, and neither are bottles.",
    # a part that needs the rest
    "Unused days neither carry over nor expire.",
    "Larches are an exception: although conifers, they shed their needles each year.",
    "The bank checks the income and pays out within a week, but at most €50,000.",
    "Breakdown cover is included with Comprehensive, optional with Third Party and not available with Basic.",
    "Visitors need a ticket, the price of which is €12.",
    "Arborio absorbs less than Carnaroli, which is why chefs prefer the latter.",
    "Staff must speak French and have worked abroad.",
    # a time that belongs to what was, a condition with two parts, a verb that stands for a denied one
    "Anna Berg has not played since she hurt her knee in 2019.",
    "No ship has used the harbour since the earthquake destroyed it.",
    "Anna has been chair since Karl left in 2015.",
    "Members can enter the hall as long as they have a badge and the hall has not been rented out.",
    "Members can enter the hall provided they have a badge and the hall has not been rented out.",
    "She would have won had she not fallen, and she would have set a record.",
    "Dogs are allowed, but no cats, provided that guests clean up.",
    "Theft has to be reported within 24 hours, or else the firm will not pay.",
    "For every 15 minutes a boat is late, its crew pays five euros.",
    "The ticket covers travel costs up to 90 euros, including airport transfer.",
    "The road isn't closed in summer, but it is in winter.",
    "Guests don't pay on weekdays, but they do on Sundays.",
    "An appeal filed 22 days after the judgment is served is late.",
    "Once opened, a vial must be used within 6 hours and then discarded.",
    "When it rains, the pool is closed and the museum is free.",
    "Paid late, the fee is 30 euros and covers two guests.",
    "As it is heated, it melts and loses weight.",
    "Assuming it is paid early, the pass is free and covers two guests.",
    "The fee is $60 for adults and waived for children under 12.",
    "The house is large and built in 1990.",
    "TCP retransmits lost packets, orders them, and controls congestion.",
    "Curie won the Nobel Prize in 1903 and, with Pierre, discovered radium.",
    "Adults can take paracetamol and ibuprofen together, as they work in different ways.",
    "The headphones can't be used over Bluetooth, though they can be via the cable.",
    # lists
    "Food is not permitted in the hall, the gallery or the studio.",
    "The drug was tested on mice, rats and, in one case, a monkey.",
    "Side effects include dizziness, cold hands and tiredness, which usually disappear after two weeks.",
    "The village has a church and a school, which were built in 1900.",
    "Port Alden is the capital of New Caldonia and its main port.",
    "The hare lives in the south and A. a. minor, which is smaller and darker, in Angola.",
    "The Amazon rises in the Andes and empties into the Atlantic.",
    # a participle that does not tell whether it was
    "The castle is a museum visited by 30,000 people a year.",
    "The snowy owl is a bird found in wetlands.",
    # a parenthesis before the full stop that an abbreviation may have
    "The train's top speed is 300 km/h (186 mph).",
    "The show begins at 11:30 p.m. (1:30 a.m. on Sundays).",
)
"""Sentences that stay one claim: a part would be said of another, without its hedge, or say nothing."""

UNFOLDED: Sequence[tuple[str, Sequence[str]]] = [
    (
        "Gruber, who had never been on a plane before, travelled to Winnipeg in May.",
        ["Gruber travelled to Winnipeg in May.", "Gruber had never been on a plane before."],
    ),
    (
        "The record on the lake, which Ida Berg beat in May, stood for years and went back to 2018.",
        [
            "The record on the lake, which Ida Berg beat in May, stood for years.",
            "The record on the lake, which Ida Berg beat in May, went back to 2018.",
        ],
    ),
    ("The capital of France, where the fair was, is big.",
     ["The capital of France is big.", "The fair was in France."]),
    ("In 1976, founded by two brothers, the firm opened a shop.",
     ["In 1976, the firm opened a shop.", "The firm was founded by two brothers."]),
    ("Lake Berg, the largest lake, is deep.", ["Lake Berg is deep.", "Lake Berg is the largest lake."]),
    (
        "Acorns are its staple food, although it also eats lichens.",
        ["Acorns are its staple food.", "It also eats lichens."],
    ),
    *((sentence, [sentence]) for sentence in KEPT),
    (
        "The hare is an animal that lives nowhere but on the plateau.",
        ["The hare is an animal.", "The hare lives nowhere but on the plateau."],
    ),
    (
        "In them Anna described a loom, and she was called a pioneer.",
        ["In them Anna described a loom.", "Anna was called a pioneer."],
    ),
    (
        "The museum opens at 9 am and closes at 5 pm and a ticket costs 12 euros and children pay 6 euros "
        "and the museum was built in 1987 and it was founded by Anna Meier and the bridge is 240 metres long "
        "and parking costs 4 euros an hour and the restaurant is on the second floor",
        [
            "The museum opens at 9 am.",
            "The museum closes at 5 pm.",
            "A ticket costs 12 euros.",
            "Children pay 6 euros.",
            "The museum was built in 1987.",
            "It was founded by Anna Meier.",
            "The bridge is 240 metres long and parking costs 4 euros an hour.",
            "The restaurant is on the second floor.",
        ],
    ),
    # a reason, or a time, with "since"
    (
        "Since the bank is closed, the loan is free for Anna.",
        ["Since the bank is closed, the loan is free for Anna.", "The bank is closed."],
    ),
    # a relative clause joined to another
    (
        "The M3, which Apple introduced in 2023 and which is made by Samsung, has eight cores.",
        ["The M3 has eight cores.", "Apple introduced the M3 in 2023.", "The M3 is made by Samsung."],
    ),
    (
        "Karl Bell hired Watson, who was born in 1854 and whose father kept horses.",
        ["Karl Bell hired Watson.", "Watson was born in 1854.", "Watson's father kept horses."],
    ),
    (
        "Anna met Pierre, whom she married in 1895 and with whom she discovered radium.",
        ["Anna met Pierre.", "Anna married Pierre in 1895.", "Anna discovered radium with Pierre."],
    ),
    (
        "It's worth noting that the name can't be changed, whichever fare the client chose.",
        ["The name can't be changed, whichever fare the client chose."],
    ),
    (
        "The Beatles, whose songs are known everywhere, came from Liverpool.",
        ["The Beatles came from Liverpool.", "The Beatles' songs are known everywhere."],
    ),
    (
        "In hard-water areas, where limescale builds up quickly, a filter helps.",
        ["In hard-water areas, a filter helps.", "Limescale builds up quickly in hard-water areas."],
    ),
    # what stands between the conjunction and the second verb
    (
        "The drug treats gout but, in high doses, damages the liver.",
        ["The drug treats gout.", "In high doses, the drug damages the liver."],
    ),
    (
        "The drug was approved in 1990 and, in 2001, withdrawn.",
        ["The drug was approved in 1990.", "In 2001, the drug was withdrawn."],
    ),
    (
        "A plan costs $30 a month and, with autopay enabled, drops to $25.",
        ["A plan costs $30 a month.", "With autopay enabled, a plan drops to $25."],
    ),
    (
        "The card gives 2% cash back and (for new members) costs nothing.",
        ["The card gives 2% cash back.", "The card (for new members) costs nothing."],
    ),
    (
        "The app is free, while (since 2023) the website costs $5.",
        ["The app is free.", "(since 2023) the website costs $5."],
    ),
    (
        "The museum isn't in Rome, but it is in Italy.",
        ["The museum isn't in Rome.", "The museum is in Italy."],
    ),
    (
        "The bridge is as long as it is wide, and it was built in 1990.",
        ["The bridge is as long as it is wide.", "It was built in 1990."],
    ),
    (
        "Jupiter and Saturn are gas giants, and Uranus and Neptune are ice giants.",
        ["Jupiter and Saturn are gas giants.", "Uranus and Neptune are ice giants."],
    ),
    (
        "Dogs must be kept on a leash in the hall and aren't allowed in the bar, the spa or the pool.",
        ["Dogs must be kept on a leash in the hall.", "Dogs aren't allowed in the bar, the spa or the pool."],
    ),
    (
        "The mayor, the bishop and the judge signed the letter.",
        ["The mayor signed the letter.", "The bishop signed the letter.", "The judge signed the letter."],
    ),
    (
        "The king, the founder and the heir of the house, died in 1900.",
        ["The king died in 1900.", "The king is the founder and the heir of the house."],
    ),
    # a participle that looks like a past
    (
        "Trams were abolished in 1959 and brought back in 2004.",
        ["Trams were abolished in 1959.", "Trams were brought back in 2004."],
    ),
    (
        "The ship was captured in 2003 and set on fire in 2004.",
        ["The ship was captured in 2003.", "The ship was set on fire in 2004."],
    ),
    (
        "Anna was picked in 1990 and made her debut in 1991.",
        ["Anna was picked in 1990.", "Anna made her debut in 1991."],
    ),
    (
        "The house was sold and made into a hotel.",
        ["The house was sold.", "The house was made into a hotel."],
    ),
    (
        "He was arrested in 1990 and claimed that he was a priest.",
        ["He was arrested in 1990.", "He claimed that he was a priest."],
    ),
    # a second name told in the past, or of several
    (
        "Its director, Holger Lund, resigned.",
        ["Its director resigned.", "Its director was Holger Lund."],
    ),
    (
        "The twins, Anna and Berta, were born in 1990.",
        ["The twins were born in 1990.", "The twins were Anna and Berta."],
    ),
    # what stands before the subject
    (
        "With her husband, Pierre, Marie Curie discovered polonium.",
        ["With her husband, Marie Curie discovered polonium.", "Marie Curie's husband was Pierre."],
    ),
    (
        "Unlike Venus, which has none, Mars has two moons.",
        ["Unlike Venus, Mars has two moons.", "Venus has none."],
    ),
    (
        "Without the treaty, war would have broken out and thousands would have died.",
        ["Without the treaty, war would have broken out.", "Without the treaty, thousands would have died."],
    ),
    (
        "Because it is so close to the star, its day side reaches 1,600 C.",
        [
            "It is so close to the star.",
            "Because it is so close to the star, its day side reaches 1,600 C.",
        ],
    ),
    # what a relative clause or a second participle speaks of
    (
        "The house, built in 1820 and restored in 1990, is a museum.",
        ["The house is a museum.", "The house was built in 1820.", "The house was restored in 1990."],
    ),
    (
        "The photograph, known as Photo 51 and taken by the student Raymond Gosling in May 1952, was shown.",
        [
            "The photograph was shown.",
            "The photograph was known as Photo 51.",
            "The photograph was taken by the student Raymond Gosling in May 1952.",
        ],
    ),
    (
        "Their father, Patrick, born in Ireland, survived.",
        ["Their father survived.", "Their father was Patrick.", "Their father was born in Ireland."],
    ),
    (
        "A planet must orbit the Sun, be round and have cleared its orbit.",
        ["A planet must orbit the Sun.", "A planet must be round and have cleared its orbit."],
    ),
    ("The book by Carl Lund, who was born in 1900, sold well.",
     ["The book by Carl Lund sold well.", "Carl Lund was born in 1900."]),
    ("The film, directed by Anna and produced by Carl, flopped.",
     ["The film flopped.", "The film was directed by Anna.", "The film was produced by Carl."]),
    # A second verb without a conjunction before it has the noun before it as its subject.
    ("Tickets cost 12 euros and students pay eight.", ["Tickets cost 12 euros.", "Students pay eight."]),
    (
        "Adults pay 12 euros and children under six enter free.",
        ["Adults pay 12 euros.", "Children under six enter free."],
    ),
    (
        "Members get a discount of ten euros and guests can bring a friend.",
        ["Members get a discount of ten euros.", "Guests can bring a friend."],
    ),
    (
        "The firm sells bread and delivers it on Mondays.",
        ["The firm sells bread.", "The firm delivers bread on Mondays."],
    ),
    # A participle before what holds in general may be a condition.
    ("Paid late, the fee is 30 euros.", ["Paid late, the fee is 30 euros."]),
    ("Taken with milk, the drug is less effective.", ["Taken with milk, the drug is less effective."]),
    ("Led by monks, the abbey is a school.", ["The abbey was led by monks.", "The abbey is a school."]),
    ("Opened in 1902, the hall seats 500.", ["The hall was opened in 1902.", "The hall seats 500."]),
    (
        "A deposit of 9 euros will be taken for the bike and returned to the guest later.",
        [
            "A deposit of 9 euros will be taken for the bike.",
            "A deposit of 9 euros will be returned to the guest later.",
        ],
    ),
    # Conditions and commands are checked with what they say.
    ("Should it rain, the tour is cancelled.", ["Should it rain, the tour is cancelled."]),
    (
        "Should the lamp be damaged, let them know within a day.",
        ["Should the lamp be damaged, let them know within a day."],
    ),
    ("Should it break, let us know in a day.", ["Should it break, let us know in a day."]),
    ("Should I stay, go or wait", []),
    (
        "Should guests cancel the day before, half of the fare goes back to the card.",
        ["Should guests cancel the day before, half of the fare goes back to the card."],
    ),
    (
        "Close the mesh floor for the winter, because cold is what kills most colonies.",
        [
            "Close the mesh floor for the winter.",
            "Cold is what kills most colonies.",
        ],
    ),
    ("All right, the hall is booked.", ["The hall is booked."]),
    ("Done, two saucers are in the basket.", ["Two saucers are in the basket."]),
    ("Excuse me, the hall opens at seven.", ["The hall opens at seven."]),
    ("Founded in 1990 and sold to IBM in 2000, the firm makes toys.",
     ["The firm was founded in 1990.", "The firm was sold to IBM in 2000.", "The firm makes toys."]),
    # a text that was cut into tokens
    ("Anna did n't sing , but she was n't born in Rome .",
     ["Anna didn't sing.", "Anna wasn't born in Rome."]),
    # coordination
    ("Anna and Carl won the race.", ["Anna won the race.", "Carl won the race."]),
    ("Anna Berg and Carl Lund are tall.", ["Anna Berg is tall.", "Carl Lund is tall."]),
    ("Anna and Bob married in 1990.", ["Anna and Bob married in 1990."]),
    ("The canal runs between Lyon and Paris.", ["The canal runs between Lyon and Paris."]),
    ("Rome and Milan are cities.", ["Rome and Milan are cities."]),
    ("He plays chess or poker.", ["He plays chess or poker."]),
    ("Only Norway and Sweden signed the treaty.", ["Only Norway and Sweden signed the treaty."]),
    ("Anna won gold and Carl won silver.", ["Anna won gold.", "Carl won silver."]),
    ("The bridge was built in 1932 and widened in 1975.",
     ["The bridge was built in 1932.", "The bridge was widened in 1975."]),
    ("Lund wrote the script and directed the film.", ["Lund wrote the script.", "Lund directed the film."]),
    ("The novel was written and illustrated by Eva Holm.",
     ["The novel was written by Eva Holm.", "The novel was illustrated by Eva Holm."]),
    ("Lund wrote and directed the film.", ["Lund wrote and directed the film."]),
    ("Eva Holm is an author, singer and painter.",
     ["Eva Holm is an author.", "Eva Holm is a singer.", "Eva Holm is a painter."]),
    ("Eva Holm is the founder and director of Nordlys.",
     ["Eva Holm is the founder of Nordlys.", "Eva Holm is the director of Nordlys."]),
    ("The flag is red and white.", ["The flag is red and white."]),
    ("The two largest ports are Oslo and Bergen.", ["The two largest ports are Oslo and Bergen."]),
    ("She has not visited Rome and Milan.", ["She has not visited Rome and Milan."]),
    ("The alloy consists of copper and zinc.", ["The alloy consists of copper and zinc."]),
    ("The firm has offices in Oslo and Rome.",
     ["The firm has offices in Oslo.", "The firm has offices in Rome."]),
    ("He got his degree from Yale and his title from Rome.",
     ["He got his degree from Yale and his title from Rome."]),
    ("He won a prize in May and a medal in June.", ["He won a prize in May and a medal in June."]),
    ("Holm worked in Oslo and in Rome.", ["Holm worked in Oslo.", "Holm worked in Rome."]),
    # times and places go with each part
    ("In 2017, Anna Berg won the cup, and Carl Lund lost the final.",
     ["In 2017, Anna Berg won the cup.", "In 2017, Carl Lund lost the final."]),
    ("In 1990 he moved to Rome and retired in 1995.", ["In 1990 he moved to Rome.", "He retired in 1995."]),
    ("Sales rose in May; costs fell.", ["Sales rose in May.", "Costs fell."]),
    # apposition
    ("Paris, the capital of France, hosted the games in 1924.",
     ["Paris hosted the games in 1924.", "Paris is the capital of France."]),
    ("Eva Holm, a Danish physicist, discovered the comet.",
     ["Eva Holm discovered the comet.", "Eva Holm was a Danish physicist."]),
    ("The office is in Pensacola, Florida.", ["The office is in Pensacola, Florida."]),
    # relative and participial clauses
    ("The film, which was released in 1994, won three awards.",
     ["The film won three awards.", "The film was released in 1994."]),
    ("Eva Holm is a chemist who lives in Oslo.", ["Eva Holm is a chemist.", "Eva Holm lives in Oslo."]),
    ("Paris, where Anna lived, is in France.", ["Paris is in France.", "Anna lived in Paris."]),
    ("People who smoke die earlier.", ["People who smoke die earlier."]),
    ("It airs on Arte, Sat and Nordlys, which are small.",
     ["It airs on Arte, Sat and Nordlys, which are small."]),
    ('Lund wrote the essay "Who Owns the Sea?"', ['Lund wrote the essay "Who Owns the Sea?"']),
    ("Lund wrote many plays, including the Winter Play and the Summer Play.",
     ["Lund wrote many plays.", "Lund wrote the Winter Play.", "Lund wrote the Summer Play."]),
    ("Eva Holm worked in film, in theatre and in radio.",
     ["Eva Holm worked in film, in theatre and in radio."]),
    ("Carl Lund is an actor born in 1949 in Oslo.",
     ["Carl Lund is an actor.", "Carl Lund was born in 1949 in Oslo."]),
    ("Born in 1879 in Ulm, Einstein moved to Bern.",
     ["Einstein was born in 1879 in Ulm.", "Einstein moved to Bern."]),
    ("Lund won the vote, becoming mayor of Oslo.", ["Lund won the vote.", "Lund became mayor of Oslo."]),
    ("Marie Holm (born 1879) studied physics.",
     ["Marie Holm studied physics.", "Marie Holm was born in 1879."]),
    ("Carl Lund (1901–1977) was a painter.",
     ["Carl Lund was a painter.", "Carl Lund was born in 1901.", "Carl Lund died in 1977."]),
    ("The height (in metres) is 300.", ["The height (in metres) is 300."]),
    # what is presupposed, reported, hedged
    ("I didn't know that Lyon is in France.",
     ["The assistant didn't know that Lyon is in France.", "Lyon is in France."]),
    ("Anna discovered that the safe was empty.",
     ["Anna discovered that the safe was empty.", "The safe was empty."]),
    ("Anna said that the safe was empty.", ["Anna said that the safe was empty."]),
    ("According to the report, sales rose and costs fell.",
     ["According to the report, sales rose.", "According to the report, costs fell."]),
    ("I think that Lyon is in France.", ["Lyon is in France."]),
    ("I do know that corn was first grown in Mexico.", ["Corn was first grown in Mexico."]),
    ("i think lyon is in france.", ["Lyon is in france."]),
    ("i know how it is done.", ["The assistant knows how it is done."]),
    ("It is important to note that the firm was founded in 1990.", ["The firm was founded in 1990."]),
    ("However, the firm closed in 1995.", ["The firm closed in 1995."]),
    ("Did you know that Everest is in Asia?", ["Everest is in Asia."]),
    ("Lyon is in France, isn't it?", ["Lyon is in France."]),
    # beside a courtesy, an offer, a command or a question to the user
    ("Here is the answer: Oslo is the capital of Norway.", ["Oslo is the capital of Norway."]),
    ("Sure, here is what I found: the tower is in Paris.", ["The tower is in Paris."]),
    ("Here are the prices: 20 euros and 30 euros.", ["The prices: 20 euros and 30 euros"]),
    ("Feel free to visit the tower, which opened in 1990.", ["The tower opened in 1990."]),
    ("Let me know if you need more; the shop closes in May.", ["The shop closes in May."]),
    ("I'd be happy to help, the shop is open in May.", ["The shop is open in May."]),
    ("Try the Ibsen Museum, which opened in 1990.", ["The Ibsen Museum opened in 1990."]),
    ("Oslo is the capital of Norway - would you like to know more?", ["Oslo is the capital of Norway."]),
    ("The ship sank in 1910, shall I tell you more?", ["The ship sank in 1910."]),
    # clauses
    ("Plus and Max both allow five devices, whereas Free allows just one.",
     ["Plus and Max both allow five devices.", "Free allows just one."]),
    ("The painting, long attributed to Giorgione but now thought to be by Titian, hangs in Paris.",
     ["The painting hangs in Paris.",
      "The painting was long attributed to Giorgione but now thought to be by Titian."]),
    ("When it rains, the pool is closed, and the museum is free on Mondays.",
     ["When it rains, the pool is closed.", "The museum is free on Mondays."]),
    ("Located in the centre, the hotel has 50 rooms and offers free wifi.",
     ["Located in the centre, the hotel has 50 rooms.", "The hotel offers free wifi."]),
    ("Weighing 5 kg, the case has two wheels and costs $90.",
     ["Weighing 5 kg, the case has two wheels.", "The case costs $90."]),
    ("As it is popular, the tour fills up and costs $50.",
     ["As it is popular, the tour fills up.", "The tour costs $50."]),
    ("Because it is popular, the tour is not cheap and costs $50.",
     ["Because it is popular, the tour is not cheap.", "The tour costs $50."]),
    ("The museum is in Bern and opened in 1990.", ["The museum is in Bern.", "The museum opened in 1990."]),
    ("The church is Gothic and collapsed in 1990.",
     ["The church is Gothic.", "The church collapsed in 1990."]),
    ("Few people realize that the bridge opened in 1937 and it closed in 1990.",
     ["Few people realize that the bridge opened in 1937.", "The bridge opened in 1937.",
      "The bridge closed in 1990."]),
    ("In France the plan costs €10, and in Germany it costs €12.",
     ["In France the plan costs €10.", "In Germany the plan costs €12."]),
    ("Anna taught at Yale in 1990 and at Harvard in 1995.",
     ["Anna taught at Yale in 1990 and at Harvard in 1995."]),
    ("Anna lived in Paris and in London.", ["Anna lived in Paris.", "Anna lived in London."]),
    ("Einstein, who was born in Ulm, developed relativity and won the Nobel Prize.",
     ["Einstein, who was born in Ulm, developed relativity and won the Nobel Prize."]),
    ("Once opened, the vial must be used within 6 hours.",
     ["Once opened, the vial must be used within 6 hours."]),
    ("Once known as Constantinople, Istanbul was renamed in 1930.",
     ["Istanbul was once known as Constantinople.", "Istanbul was renamed in 1930."]),
    ("Had Lennon lived, the band might have reunited.",
     ["Had Lennon lived, the band might have reunited."]),
    ("Nobody knows exactly how many bricks were used.",
     ["Nobody knows exactly how many bricks were used."]),
    ("George Washington (1789–1797) was the first president.",
     ["George Washington (1789–1797) was the first president."]),
    ("Alan Turing (1912–1954) was a mathematician.",
     ["Alan Turing was a mathematician.", "Alan Turing was born in 1912.", "Alan Turing died in 1954."]),
    ("**Hours:** 9 a.m. – 6 p.m.", ["Hours: 9 a.m. – 6 p.m."]),
    ("**Ibuprofen**: Take 200 mg every 4 hours.", ["Ibuprofen: Take 200 mg every 4 hours"]),
    ("Although the plan was costly, the council approved it.",
     ["The plan was costly.", "The council approved the plan."]),
    ("The shop closed because it was small and the rent was high.",
     ["The shop closed because it was small and the rent was high.", "The shop was small.",
      "The rent was high."]),
    ("The lamp is cheap because it was made in China and sold in bulk.",
     ["The lamp is cheap because it was made in China and sold in bulk.",
      "The lamp was made in China.", "The lamp was sold in bulk."]),
    ("The current chief executive, Jonas Lie, joined in 2018 from Orkla.",
     ["The current chief executive joined in 2018 from Orkla.", "The current chief executive is Jonas Lie."]),
    ("The match ended because the lights failed.",
     ["The match ended because the lights failed.", "The lights failed."]),
    ("If it rains, the match is cancelled and the fans go home.",
     ["If it rains, the match is cancelled and the fans go home."]),
    ("He may have been born in Rome.", ["He may have been born in Rome."]),
    ("The national animal's the takin.", ["The national animal is the takin."]),
    ("I think the club's the oldest and the ground's a park.",
     ["The club's the oldest.", "The ground is a park."]),
    ("It's the first week's a la carte menu.", ["It's the first week's a la carte menu."]),
    ("Munch's The Scream was painted in 1893.", ["Munch's The Scream was painted in 1893."]),
    # markup
    ("**Paris** is the [capital](https://example.org/a_(b)) of *France*.[1]",
     ["Paris is the capital of France."]),
    ("- Paris is in France.", ["Paris is in France."]),
    ("**Founded**: 1990", ["Founded: 1990"]),
    ("| Height | 300 m |", ["Height: 300 m"]),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "expected"), UNFOLDED, ids=[s for s, _ in UNFOLDED])
def test_a_sentence_becomes_its_claims(parse: Parse, sentence: str, expected: Sequence[str]) -> None:
    assert sorted(claims(Discourse(parse), sentence)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "Sure!",
        "What do you want?",
        "Hello there!",
        "Thank you so much.",
        "Here is a list:",
        "# History of Rome",
        "Yes.",
        "",
        "   ",
        "**",
        "Let me know if you have any questions.",
        "Let me know if you want the train, the bus or the plane.",
        "Feel free to ask, share or comment.",
        "Here's the list of members:",
        "If you want a refund, can you send the receipt?",
        "Great, would you like more?",
        "What is it, would you say?",
        "| Name | Year |",
    ],
)
@pytest.mark.parametrize("parsed", [True, False])
def test_what_states_nothing_makes_no_claim(parse: Parse, text: str, parsed: bool) -> None:
    assert claims(Discourse(parse if parsed else None), text) == []


def test_other_segments_make_no_claim(parse: Parse) -> None:
    for kind in (SegmentKind.CODE, SegmentKind.SPACE, SegmentKind.MARKUP):
        assert Discourse(parse).decompose(segment("Rome is in Italy.", kind=kind)) == []


def test_a_span_is_the_stretch_of_the_clause_in_the_turn(parse: Parse) -> None:
    sentence = "**Anna** won gold and Carl won silver."
    drafts = Discourse(parse).decompose(segment(sentence, start=100))
    stretches = {d.text: sentence[d.span.start - 100 : d.span.end - 100] for d in drafts}
    assert stretches == {"Anna won gold.": "Anna** won gold", "Carl won silver.": "Carl won silver."}


@pytest.mark.parametrize("parsed", [True, False])
def test_no_number_or_name_escapes(parse: Parse, parsed: bool) -> None:
    for sentence, _ in UNFOLDED:
        if sentence.endswith("?"):
            continue
        found = " ".join(d.text for d in drafts_of(parse if parsed else None, [sentence])[0])
        told = re.sub(r"\]\([^ ]*|\[\d\]", "", sentence)
        names = {w for w in re.findall(r"(?<=\w )[A-Z]\w+|\d+", told) if w not in ("However",)}
        assert names <= set(re.findall(r"\w+", found)), (sentence, found)


def test_claims_lie_inside_their_sentence(parse: Parse) -> None:
    for sentence, _ in UNFOLDED:
        for draft in drafts_of(parse, [sentence])[0]:
            assert 0 <= draft.span.start < draft.span.end <= len(sentence)
            assert not draft.text[:1].islower()


def test_the_same_sentences_give_the_same_claims(parse: Parse) -> None:
    sentences = [sentence for sentence, _ in UNFOLDED]
    assert drafts_of(parse, sentences) == drafts_of(parse, sentences)


WORDS = """Anna_Berg Rome which who , and or was_born is a_poet (1901–1977) in_1990 " : the_film it his **
    including because won | ? . -_ I you not — ( )"""
FRAGMENTS = st.sampled_from(WORDS.split())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(FRAGMENTS, max_size=14), parsed=st.booleans())
def test_any_text_gives_claims_that_lie_inside_it(parse: Parse, words: list[str], parsed: bool) -> None:
    discourse = Discourse(parse if parsed else None)
    text = " ".join(words).replace("_", " ")
    for draft in (*discourse.decompose(segment(text)), *discourse.decompose(segment("She sang it."))):
        assert draft.text.strip()
        assert 0 <= draft.span.start < draft.span.end <= max(len(text), len("She sang it."))


WITHOUT_PARSER: Sequence[tuple[Sequence[str], Sequence[str]]] = [
    (["Paris, the capital of France, was founded long ago."],
     ["Paris was founded long ago.", "Paris is the capital of France."]),
    (["Anna Berg, who lives in Oslo, won the cup."], ["Anna Berg won the cup.", "Anna Berg lives in Oslo."]),
    (["The bridge was built in 1932 and was widened in 1975."],
     ["The bridge was built in 1932.", "The bridge was widened in 1975."]),
    (["Rome is old; Milan is young."], ["Rome is old.", "Milan is young."]),
    (["If it rains, the match is cancelled; fans go home."],
     ["If it rains, the match is cancelled; fans go home."]),
    (["I didn't know that Lyon is in France."],
     ["The assistant didn't know that Lyon is in France.", "Lyon is in France."]),
    (["Marie Curie was a physicist.", "She died in 1934."],
     ["Marie Curie was a physicist.", "Marie Curie died in 1934."]),
    (["Marie Curie met Anna Berg.", "She died in 1934."],
     ["Marie Curie met Anna Berg.", "She died in 1934."]),
    (["World War I was over in 1920."], ["World War I was over in 1920."]),
    (["I have read My Antonia, and I'm glad."],
     ["The assistant has read My Antonia, and the assistant is glad."]),
    (["Founded: 1990"], ["Founded: 1990."]),
]  # fmt: skip


@pytest.mark.parametrize(("sentences", "expected"), WITHOUT_PARSER)
def test_without_a_parser_the_wording_decides(sentences: Sequence[str], expected: Sequence[str]) -> None:
    assert claims(Discourse(None), *sentences) == expected


def test_what_a_condition_hangs_on_stays_whole(parse: Parse) -> None:
    sentence = "If the bridge, which may be closed, opens, the town wins and Anna Berg sings."
    assert claims(Discourse(parse), sentence) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "She may bring in subcontractors, but only after the Client has agreed in writing.",
        "While the index is being rebuilt, searching isn't available.",
        "Encryption only covers files at rest, not those being transferred.",
        "The hall was empty, and the only people reported hurt were two firefighters.",
        "You have a month to end the contract, a right that the insurer does not have.",
        "Use the whole leek, including the tops, and cook it covered for 12 minutes.",
        "If it gets into the eyes, rinse for a while and go to a doctor.",
        "When it stands for over a month, keep it dry, and make sure that it is full.",
    ],
)
def test_what_holds_only_together_stays_whole(parse: Parse, sentence: str) -> None:
    said = sentence.replace("You have", "The user has")
    assert claims(Discourse(parse), sentence) == [said]


def test_a_noun_that_is_parsed_as_a_preconjunction_is_still_a_noun(parse: Parse) -> None:
    text = 'Low Tide: Original Motion Picture Soundtrack is the soundtrack for the 1985 film, "Low Tide".'
    assert claims(Discourse(parse), text)
    text = text.replace("Low Tide", "White Nights")
    assert claims(Discourse(parse), text)


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        "这座桥长420米。",
        "この橋の長さは420メートルです。",
        "यह पुल 420 मीटर लंबा है।",
        "افتتح عام 1987.",
        "Le pont mesure 420 mètres et il a été ouvert en 1987.",
    ],
)
def test_a_sentence_that_is_not_english_is_one_claim_as_it_stands(
    parse: Parse, text: str, parsed: bool
) -> None:
    (draft,) = Discourse(parse if parsed else None).decompose(segment(text))
    assert draft.text == text
    assert not is_english(draft.text)


@pytest.mark.parametrize("text", ["你好！", "今天天气怎么样？", "# 这座桥长420米"])
def test_a_greeting_a_question_and_a_heading_in_another_script_state_nothing(parse: Parse, text: str) -> None:
    assert Discourse(parse).decompose(segment(text)) == []


@pytest.mark.parametrize("command", ["chkdsk C: /f /r", "icacls Temp /grant Bob:F"])
def test_a_colon_in_what_is_typed_parts_no_claims(parse: Parse, command: str) -> None:
    said = claims(Discourse(parse), f"Run `{command}`, which requires a restart and takes 30 minutes.")
    assert not any(claim.startswith(("/", "F", "Which")) for claim in said)
