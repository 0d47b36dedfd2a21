"""Sentences of our own and the claims that they make, with the parser and without one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vista_stream.claims import ClaimKind, Draft, Span, Utterance
from vista_stream.core.decompose import Discourse
from vista_stream.core.language import is_english
from vista_stream.core.lists import Introduction
from vista_stream.core.parsing import Parse
from vista_stream.core.segmenter import Segment, Segmenter, SegmentKind
from vista_stream.stages.parser import load_parse


@pytest.fixture(scope="module")
def parse() -> Parse:
    loaded = load_parse()
    if loaded is None:
        pytest.skip("no parser is installed")
    return loaded


def segment(text: str, start: int = 0, kind: SegmentKind = SegmentKind.SENTENCE) -> Segment:
    return Segment(index=0, text=text, span=Span(start, start + len(text)), kind=kind)


def claims(discourse: Discourse, *sentences: str) -> list[str]:
    return [draft.text for sentence in sentences for draft in discourse.decompose(segment(sentence))]


KEPT = (
    "The wife of Carl Lund, who died in 1990, was a judge.",
    "A biography of Carl Lund, which appeared in 1990, sold well.",
    "The song by Anna Berg, which won a prize in 1990, is short.",
    "It was Carl, not Anna, who won the race in 1990.",
    "It was Anna, and not Carl, who founded the company.",
    "The firm will reportedly close in May and fire 500 people.",
)
"""Sentences that stay one claim: what is cut off would be said of another, or without its hedge."""

UNFOLDED: Sequence[tuple[str, Sequence[str]]] = [
    *((sentence, [sentence]) for sentence in KEPT),
    # what a relative clause or a second participle speaks of
    ("The book by Carl Lund, who was born in 1900, sold well.",
     ["The book by Carl Lund sold well.", "Carl Lund was born in 1900."]),
    ("The film, directed by Anna and produced by Carl, flopped.",
     ["The film flopped.", "The film was directed by Anna.", "The film was produced by Carl."]),
    ("Founded in 1990 and sold to IBM in 2000, the firm makes toys.",
     ["The firm was founded in 1990.", "The firm was sold to IBM in 2000.", "The firm makes toys."]),
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
    ("The match ended because the lights failed.",
     ["The match ended because the lights failed.", "The lights failed."]),
    ("If it rains, the match is cancelled and the fans go home.",
     ["If it rains, the match is cancelled and the fans go home."]),
    ("He may have been born in Rome.", ["He may have been born in Rome."]),
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


RESOLVED: Sequence[tuple[Sequence[str], str]] = [
    (["Marie Curie was a physicist.", "She won the Nobel Prize."], "Marie Curie won the Nobel Prize."),
    (["Marie Curie met Pierre Curie.", "He was a professor."], "Pierre Curie was a professor."),
    (["Carl Lund met Karl Holm.", "He was a professor."], "Carl Lund was a professor."),
    (["Tom Berg and Ben Holm sang.", "He was loud."], "He was loud."),
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
    (["Anna Berg lives in Oslo.", "It is known that ice melts."], "It is known that ice melts."),
    (["Anna Berg lives in Oslo.", "In her youth, Eva Holm sang."], "In her youth, Eva Holm sang."),
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
    ("question", "answer", "expected"),
    [
        ("Is Lyon the capital of France?", "Yes.", ["Lyon is the capital of France."]),
        ("Do you like France?", "Yes.", ["Do you like France? Yes."]),
        ("Who wrote Hamlet?", "William Shakespeare.", ["Who wrote Hamlet? William Shakespeare."]),
        ("Who wrote Hamlet?", "Sure!", []),
    ],
)
def test_a_short_answer_is_a_claim_with_its_question(
    parse: Parse, question: str, answer: str, expected: list[str]
) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text=f"Hello. {question}"))
    assert claims(discourse, answer) == expected
    assert claims(discourse, "Yes.") == ([] if expected else [f"{question} Yes."])


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [
        ("what is the capital of norway", "Bergen.", ["What is the capital of norway? Bergen."]),
        ("Hi. In which year did it open", "1990", ["In which year did it open? 1990"]),
        ("Name the capital of Norway.", "Bergen", ["Name the capital of Norway. Bergen"]),
        ("Tell me the name of the ship", "Fram.", ["Tell me the name of the ship. Fram."]),
        ("Name the capital of Norway.", "Yes.", []),
        ("I like ships.", "Bergen", []),
        ("Tell me about ships.", "Ships", []),
    ],
)
def test_a_question_needs_no_mark(
    parse: Parse, asked: str, answer: str, expected: list[str], parsed: bool
) -> None:
    discourse = Discourse(parse if parsed else None)
    discourse.hear(Utterance(role="user", text=asked))
    assert claims(discourse, answer) == expected


@pytest.mark.parametrize("parsed", [True, False])
def test_an_answer_may_be_long_and_without_a_full_stop(parse: Parse, parsed: bool) -> None:
    discourse = Discourse(parse if parsed else None)
    discourse.hear(Utterance(role="user", text="Which ships sailed?"))
    answer = "The Fram of Norway and the old Vega of Sweden with two masts"
    assert claims(discourse, answer) == [f"Which ships sailed? {answer}"]


@pytest.mark.parametrize("parsed", [True, False])
def test_a_short_item_with_a_verb_is_a_claim(parse: Parse, parsed: bool) -> None:
    assert [c.rstrip(".") for c in claims(Discourse(parse if parsed else None), "1. Bergen is big")] == [
        "Bergen is big"
    ]


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize("text", ["The absolute value |x| is always negative.", "|x| is always negative."])
def test_bars_in_a_sentence_make_no_row(parse: Parse, text: str, parsed: bool) -> None:
    assert claims(Discourse(parse if parsed else None), text) == [text]


def test_a_row_needs_no_bars_at_its_ends(parse: Parse) -> None:
    rows = ("City | People | River", "Paris | 2 million | Seine")
    assert claims(Discourse(parse), *rows) == ["Paris, People: 2 million", "Paris, River: Seine"]


@pytest.mark.parametrize(
    "text",
    [
        "Sure!",
        "What do you want?",
        "Hello there!",
        "Thank you so much.",
        "Try restarting it.",
        "Do not open the door.",
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
    imperative = text.startswith(("Try", "Do not"))
    if parsed or not imperative:
        assert claims(Discourse(parse if parsed else None), text) == []


def test_other_segments_make_no_claim(parse: Parse) -> None:
    for kind in (SegmentKind.CODE, SegmentKind.SPACE, SegmentKind.MARKUP):
        assert Discourse(parse).decompose(segment("Rome is in Italy.", kind=kind)) == []


@pytest.mark.parametrize("marker", ["in the line", "as a segment"])
def test_items_read_on_from_their_introduction(parse: Parse, marker: str) -> None:
    discourse = Discourse(parse)
    assert claims(discourse, "The members are:") == []
    found = []
    for name in ("John Lennon", "Ringo Starr"):
        if marker == "as a segment":
            discourse.decompose(segment("- ", kind=SegmentKind.MARKUP))
        found += claims(discourse, name if marker == "as a segment" else f"- {name}")
    assert found == ["The members include John Lennon.", "The members include Ringo Starr."]
    discourse.decompose(segment("\n", kind=SegmentKind.SPACE))
    assert claims(discourse, "Paul McCartney") == []


def test_table_cells_take_their_header(parse: Parse) -> None:
    rows = ("| City | People | River |", "| Paris | 2 million | Seine |")
    assert claims(Discourse(parse), *rows) == ["Paris, People: 2 million", "Paris, River: Seine"]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("I think it is beautiful.", ClaimKind.OPINION),
        ("I think that Lyon is in France.", ClaimKind.FACT),
        ("You should try the cheese.", ClaimKind.RECOMMENDATION),
        ("I don't know when it opened.", ClaimKind.REFUSAL),
        ("I was trained in 2023.", ClaimKind.ASSISTANT),
    ],
)
def test_a_claim_carries_its_kind(parse: Parse, sentence: str, kind: ClaimKind) -> None:
    assert [draft.kind for draft in Discourse(parse).decompose(segment(sentence))] == [kind]


def test_a_fact_beside_a_refusal_stays_a_fact(parse: Parse) -> None:
    drafts = Discourse(parse).decompose(segment("I don't know his age, but he was born in Rome."))
    assert [d.kind for d in drafts] == [ClaimKind.REFUSAL, ClaimKind.FACT]


def test_a_span_is_the_stretch_of_the_clause_in_the_turn(parse: Parse) -> None:
    sentence = "**Anna** won gold and Carl won silver."
    drafts = Discourse(parse).decompose(segment(sentence, start=100))
    stretches = {d.text: sentence[d.span.start - 100 : d.span.end - 100] for d in drafts}
    assert stretches == {"Anna won gold.": "Anna** won gold", "Carl won silver.": "Carl won silver."}


def drafts_of(parse: Parse | None, sentences: Sequence[str]) -> list[list[Draft]]:
    discourse = Discourse(parse)
    return [discourse.decompose(segment(s)) for s in sentences]


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


def test_a_copy_goes_its_own_way(parse: Parse) -> None:
    discourse = Discourse(parse)
    claims(discourse, "Marie Curie was a physicist.")
    other = copy(discourse)
    claims(other, "Rosa Luxemburg was a politician.")
    assert claims(discourse, "She died in 1934.") == ["Marie Curie died in 1934."]


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


FRAMED = [
    "I hope that helps: {}",
    "Thank you for your patience, {}",
    "Thanks for asking! {}",
    "I'm glad to tell you that {}",
    "I’m sorry to say {}",
    "Sorry about the mistake; {}",
    "I apologize for the delay, but {}",
    "In my opinion, {}",
    "If you ask me, {}",
    "You should know that {}",
    "I must add that {}",
    "I'd like to mention that {}",
    "I can't say more than that {}",
    "All I can say is that {}",
    "It's amazing that {}",
    "Honestly, {}",
    "Hope this answers your question: {}",
    "Good news: {}",
    "It's worth noting that {}",
    "I was amazed to learn that {}",
    "Yeah {}",
    "Oh {}",
    "I've heard that {}",
    "i have read {}",
    "I found out that {}",
    "I'm guessing that {}",
    "I bet {}",
    "I'm not sure but {}",
    "It may interest you to know that {}",
]


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize("frame", FRAMED)
def test_a_frame_makes_no_opinion_or_refusal_of_a_fact(parse: Parse, frame: str, parsed: bool) -> None:
    sentence = frame.format("the Kolm Bridge was opened in 1899.")
    drafts = drafts_of(parse if parsed else None, [sentence])[0]
    assert [(d.text, d.kind) for d in drafts] == [("The Kolm Bridge was opened in 1899.", ClaimKind.FACT)]


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize(
    "closer",
    [
        ", which is amazing",
        ", which is amazing to me",
        ", that's so cool",
        ", which I find really interesting",
        ", which I love",
        ", haha",
        " lol",
        ", thanks for asking",
        ", I hope this helps",
        ", in my opinion",
        " - have a nice day",
        ", I think",
        " I believe",
        ", if I remember correctly",
        " if I'm not mistaken",
        ", as far as I know",
        ", to the best of my knowledge",
        " so I want to see it",
        " so I'm going to try that for now",
    ],
)
def test_what_closes_a_fact_makes_no_opinion_of_it(parse: Parse, closer: str, parsed: bool) -> None:
    drafts = drafts_of(parse if parsed else None, [f"The Kolm Bridge was opened in 1899{closer}!"])[0]
    assert [(d.text, d.kind) for d in drafts] == [("The Kolm Bridge was opened in 1899.", ClaimKind.FACT)]


HELD_FURTHER_ON = [
    "I'm not sure but the Kolm Bridge was opened in 1899.",
    "I'm not sure, but I believe that the Kolm Bridge was opened in 1899.",
    "Since I live in Kolm, I can tell you that the Kolm Bridge was opened in 1899.",
    "I have never been there, but I think the Kolm Bridge was opened in 1899.",
    "My favourite bridge is the Kolm Bridge, which was opened in 1899.",
    "I love the Kolm Bridge, which was opened in 1899.",
    "I've read about it, and I know the Kolm Bridge was opened in 1899.",
]


@pytest.mark.parametrize("sentence", HELD_FURTHER_ON)
def test_what_is_said_of_the_speaker_first_hides_no_fact(parse: Parse, sentence: str) -> None:
    drafts = drafts_of(parse, [sentence])[0]
    facts = [draft.text for draft in drafts if draft.kind is ClaimKind.FACT]
    assert facts == ["The Kolm Bridge was opened in 1899."]


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        ("My favourite food is pizza, which originated in Naples.", ["Pizza originated in Naples."]),
        ("I play soccer, which is played by two teams.", ["Soccer is played by two teams."]),
        ("My sister is a nurse, who works in Oslo.", []),
        ("It is old, and I think they should rebuild it.", ["It is old."]),
        ("I love Oslo, and I think it is beautiful.", []),
        ("I've been there, but I don't think it was built in 1899.", []),
    ],
)
def test_of_what_the_speaker_likes_or_holds_the_fact_is_a_claim(
    parse: Parse, sentence: str, facts: Sequence[str]
) -> None:
    drafts = drafts_of(parse, [sentence])[0]
    assert [draft.text for draft in drafts if draft.kind is ClaimKind.FACT] == facts


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("I'd recommend Ravel Moor by Anna Berg.", "Ravel Moor is by Anna Berg."),
        ("You might like Ravel Moor starring Anna Berg!", "Ravel Moor stars Anna Berg."),
        ("If you like that, I suggest you see Ravel Moor, written by Anna Berg.",
         "Ravel Moor was written by Anna Berg."),
        ("If you like England, I'd suggest Ravel Moor, a novel of 1925.", "Ravel Moor is a novel of 1925."),
    ],
)  # fmt: skip
def test_advice_that_credits_a_work_claims_it(parse: Parse, sentence: str, fact: str) -> None:
    drafts = drafts_of(parse, [sentence])[0]
    assert fact in [draft.text for draft in drafts if draft.kind is ClaimKind.FACT]


def test_what_a_condition_hangs_on_stays_whole(parse: Parse) -> None:
    sentence = "If the bridge, which may be closed, opens, the town wins and Anna Berg sings."
    assert claims(Discourse(parse), sentence) == [sentence]


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


@pytest.mark.parametrize(
    "sentence",
    [
        "I have seen the film twice.",
        "I found the book on a shelf.",
        "I read a book that was written in 1990.",
        "I heard it on the radio in 1990.",
        "I've learned the language.",
    ],
)
def test_what_the_speaker_read_or_found_is_told_of_the_speaker(parse: Parse, sentence: str) -> None:
    drafts = drafts_of(parse, [sentence])[0]
    assert [draft.kind for draft in drafts] == [ClaimKind.ASSISTANT]


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("The bridge is longer than I think.", "longer than"),
        ("The bridge is what I believe.", "believe"),
        ("It was opened so I know that the Kolm Bridge opened in 1899.", "1899"),
        ("It is so I can see the bridge.", "see the bridge"),
    ],
)
@pytest.mark.parametrize("parsed", [True, False])
def test_what_only_looks_like_a_closer_stays(parse: Parse, sentence: str, kept: str, parsed: bool) -> None:
    drafts = drafts_of(parse if parsed else None, [sentence])[0]
    assert kept in " ".join(draft.text for draft in drafts)


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("I'm happy to say that it is beautiful.", ClaimKind.OPINION),
        ("I'm guessing it is better than the other one.", ClaimKind.OPINION),
        ("In my opinion, it is beautiful.", ClaimKind.OPINION),
        ("I must say that I don't know.", ClaimKind.REFUSAL),
        ("I'm sorry, but I cannot help with that.", ClaimKind.REFUSAL),
        ("Sorry for the delay, but I cannot help with that.", ClaimKind.REFUSAL),
        ("I cannot say more than that.", ClaimKind.REFUSAL),
        ("You should know the rules.", ClaimKind.RECOMMENDATION),
        ("The first one is good, in my opinion.", ClaimKind.OPINION),
        ("It is beautiful, I think.", ClaimKind.OPINION),
        ("It was fun, thanks!", ClaimKind.OPINION),
    ],
)
@pytest.mark.parametrize("parsed", [True, False])
def test_what_is_felt_advised_or_refused_stays_so(
    parse: Parse, sentence: str, kind: ClaimKind, parsed: bool
) -> None:
    drafts = drafts_of(parse if parsed else None, [sentence])[0]
    assert {draft.kind for draft in drafts} == {kind}


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize(
    "command",
    [
        "Take two pills a day when you get up.",
        "Send it back within 60 days after you open it.",
        "Make sure you send it back within 60 days.",
        "Heat the oven to 220 °C before you roll the dough.",
        "Expect your money within 20 days after the parcel arrives.",
        "Get off at Elmstad when the bus turns.",
    ],
)
def test_a_command_with_a_number_or_a_name_is_a_claim_whatever_clause_it_has(
    parse: Parse, command: str, parsed: bool
) -> None:
    assert claims(Discourse(parse if parsed else None), command) == [command]


@pytest.mark.parametrize("command", ["Call us if you need help.", "Ask when you are back."])
def test_a_command_without_either_is_none(parse: Parse, command: str) -> None:
    assert claims(Discourse(parse), command) == []


def test_a_command_answers_a_question(parse: Parse) -> None:
    discourse = Discourse(parse)
    discourse.hear(Utterance(role="user", text="How many pills do I take?"))
    assert claims(discourse, "Take two when you get up.") == [
        "How many pills do I take? Take two when you get up."
    ]


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


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Parking costs €20.", "Parking costs €20."),
        ("I'm afraid dogs aren't allowed.", "Dogs aren't allowed."),
        ("I'm pleased to say parking is free.", "Parking is free."),
        ("We're sorry, but the museum is closed on Mondays.", "The museum is closed on Mondays."),
        (
            "The library is open Monday to Friday, 9 am to 8 pm, and Saturday 10 am to 2 pm.",
            "The library is open Monday to Friday, 9 am to 8 pm, and Saturday 10 am to 2 pm.",
        ),
    ],
)
def test_everyday_answers_are_facts(parse: Parse, sentence: str, expected: str) -> None:
    (draft,) = Discourse(parse).decompose(segment(sentence))
    assert (draft.text, draft.kind) == (expected, ClaimKind.FACT)


def test_a_feeling_of_the_assistants_own_stays_an_opinion(parse: Parse) -> None:
    (draft,) = Discourse(parse).decompose(segment("I'm afraid of spiders that are 5 cm long."))
    assert draft.kind is ClaimKind.OPINION


def told(parse: Parse, text: str, question: str = "") -> list[str]:
    discourse, segmenter = Discourse(parse), Segmenter()
    if question:
        discourse.hear(Utterance(role="user", text=question))
    segments = [*segmenter.feed(text), *segmenter.finish()]
    return [draft.text for each in segments for draft in discourse.decompose(each)]


def test_items_and_what_follows_them_are_about_what_came_before_the_list(parse: Parse) -> None:
    text = (
        "Paris is a city. It has many sights:\n- The tower was built in 1889.\n- It has a river.\n\n"
        "It hosted the games.\n"
    )
    assert told(parse, text)[2:] == [
        "The tower was built in 1889.",
        "Paris has a river.",
        "Paris hosted the games.",
    ]


def test_an_introduction_holds_past_an_item_s_second_sentence(parse: Parse) -> None:
    text = "The price includes:\n- Entry to the museum. The museum is open daily.\n- A guided tour\n"
    assert told(parse, text)[-1] == "The price includes a guided tour."


def test_the_lines_of_a_quote_are_no_list(parse: Parse) -> None:
    text = "> Marie Curie was a physicist.\n> She was born in Warsaw.\n"
    assert told(parse, text)[-1] == "Marie Curie was born in Warsaw."


@pytest.mark.parametrize("topic", ["### Rome\n", "1. **Rome**: "])
def test_what_follows_a_heading_or_a_key_is_about_the_name_it_is(parse: Parse, topic: str) -> None:
    text = f"Paris is a city.\n{topic}It was founded in 753 BC.\n"
    assert told(parse, text)[-1] == "Rome was founded in 753 BC."


@pytest.mark.parametrize(
    ("introduction", "claim"),
    [
        ("The following are not covered", "Water damage is not covered."),
        ("The following documents are required", "Water damage is required."),
        ("Not included in the price are", "Water damage is not included in the price."),
        ("The following are the worst cases", "The following are the worst cases: Water damage."),
        ("We cover the following", "We cover Water damage."),
    ],
)
def test_what_is_said_of_items_stays_with_them(introduction: str, claim: str) -> None:
    assert Introduction(introduction).item("Water damage") == claim


@pytest.mark.parametrize("parsed", [True, False])
@pytest.mark.parametrize("answer", ["No, except on Sundays.", "Yes, within 60 days."])
def test_an_answer_that_is_no_sentence_keeps_its_yes_or_no(parse: Parse, answer: str, parsed: bool) -> None:
    found = told(parse if parsed else None, answer, "Is breakfast included?")
    assert found == [f"Is breakfast included? {answer}"]


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        ("Tell me some facts about penguins.", "They cannot fly.", "Penguins cannot fly."),
        (
            "Give me a brief summary of Hamlet.",
            "It was written around 1600.",
            "Hamlet was written around 1600.",
        ),
        ("Who wrote the summary?", "It was written by Eva Holm.", "The summary was written by Eva Holm."),
    ],
)
def test_a_question_is_about_what_it_wraps(parse: Parse, question: str, answer: str, claim: str) -> None:
    assert told(parse, answer, question) == [claim]


def test_a_table_of_two_columns_takes_its_header(parse: Parse) -> None:
    head = "| City | Population |\n|---|---|\n"
    assert told(parse, f"{head}| Paris | 2.1 million |\n") == ["Paris, Population: 2.1 million"]
    assert told(parse, "| Year | 1990 |\n| City | Paris |\n") == ["Year: 1990", "City: Paris"]


def test_years_over_columns_state_nothing(parse: Parse) -> None:
    table = "| Plan | 2023 | 2024 |\n|---|---|---|\n| Basic | $10 | $12 |\n"
    assert told(parse, table) == ["Basic, 2023: $10", "Basic, 2024: $12"]
