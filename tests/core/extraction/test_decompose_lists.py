"""Items, rows, quotes and headings, and what they are about."""

from __future__ import annotations

import pytest

from decomposing import claims, segment, told
from vista_stream.claims import ClaimKind
from vista_stream.core.extraction.decompose import Discourse
from vista_stream.core.extraction.lists import Introduction
from vista_stream.core.extraction.parsing import Parse
from vista_stream.core.text.segmenter import SegmentKind


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
    assert discourse.decompose(segment("Paul McCartney", line=40)) == []


def test_table_cells_take_their_header(parse: Parse) -> None:
    rows = ("| City | People | River |", "| Paris | 2 million | Seine |")
    assert claims(Discourse(parse), *rows) == ["Paris, People: 2 million", "Paris, River: Seine"]


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
    ("text", "expected"),
    [
        ("- **Zoo**: free entry; closes at 5 pm", ["Zoo: free entry; closes at 5 pm"]),
        ("- Carl Lund: doctor, works in Rome", ["Carl Lund: doctor, works in Rome"]),
        ("**Basic:** €9 a month, includes 5 GB.", ["Basic: €9 a month, includes 5 GB"]),
        ("Gold: the fee is €90", ["Gold: the fee is €90"]),
        ("Pool: It opens at 9 and it closes at 5.", ["Pool: It opens at 9", "Pool: It closes at 5"]),
        ("Fees: adults pay €12, children pay €6", ["Fees: adults pay €12", "Fees: children pay €6"]),
        ("Rome: Rome was founded in 753 BC.", ["Rome was founded in 753 BC."]),
        ("A fun fact: Anna founded it in 1990.", ["Anna founded it in 1990."]),
        (
            "The bus: it costs $8, while the train costs $22.",
            ["The bus: it costs $8", "The train costs $22."],
        ),
        ("The bus: it is slow, but it costs $8.", ["The bus: it is slow", "The bus: it costs $8"]),
    ],
)
def test_a_key_stays_with_each_claim_of_its_value(parse: Parse, text: str, expected: list[str]) -> None:
    assert told(parse, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- **Batteries:** Throw them in the grey bin.", ["Batteries: Throw them in the grey bin"]),
        ("**Step 1:** Turn the valve off.", ["Step 1: Turn the valve off"]),
        ("**Warning:** Always use vinegar.", ["Always use vinegar."]),
        (
            "Warning: never use vinegar, since it corrodes the seals.",
            ["Never use vinegar.", "Vinegar corrodes the seals."],
        ),
        ("**Contact:** Call us if you need help.", []),
    ],
)
def test_a_command_behind_a_key_is_a_claim_as_without_it(
    parse: Parse, text: str, expected: list[str]
) -> None:
    discourse = Discourse(parse)
    drafts = discourse.decompose(segment(text))
    assert [draft.text for draft in drafts] == expected
    assert discourse.asserted == {draft.text for draft in drafts[:1]}
    assert all(draft.kind is ClaimKind.RECOMMENDATION for draft in drafts[:1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Ben:** Michael Collins. He was born in Rome.", "Michael Collins was born in Rome."),
        ("**Day 1 – Rome:** See the Colosseum. It costs €18.", "The Colosseum costs €18."),
        ("**Guitar:** Brian May.\nHe holds a PhD.", "He holds a PhD."),
        ("**Rome:** The capital of Italy. It has a river.", "Rome has a river."),
        ("**Tom:** our CTO. He joined in 2015.", "Tom joined in 2015."),
        ("**Ben:** I know. It has a river.", "It has a river."),
        ("**Leo:** No — it has a river.", "Leo: it has a river"),
        ("**Leo:** our CTO. He joined in 2015.", "Leo joined in 2015."),
    ],
)
def test_a_pronoun_means_what_a_value_names_on_its_line_or_else_its_key(
    parse: Parse, text: str, expected: str
) -> None:
    assert told(parse, text)[-1] == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("How do I open an account?", "- **Card:** It is free.", "Card: It is free"),
        ("How do I return shoes?", "- **Refunds:** They take ten days.", "Refunds: They take ten days"),
        ("Can my son join the club?", "- **Fee:** It's $110 a year.", "Fee: It's $110 a year"),
        ("Which plan has a pool?", "- **Basic:** It has one.", "Basic: It has one"),
        ("Write a dialogue with a guide.", "**Guide:** It fell in 79 AD.", "Guide: It fell in 79 AD"),
        ("How do I get a passport?", "**Note:** It is renewed twice.", "The passport is renewed twice."),
        (
            "Tell me about Hyde Park.",
            "**History:** It was opened in 1637.",
            "History: Hyde Park was opened in 1637",
        ),
    ],
)
def test_a_pronoun_under_a_key_means_no_noun_of_before(
    parse: Parse, question: str, text: str, expected: str
) -> None:
    assert told(parse, text, question) == [expected]


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("The bridge is old.", "Length: It is 288 m long.", "Length: The bridge is 288 m long"),
        ("Aspirin is a drug.", "History: It was patented in 1899.", "History: Aspirin was patented in 1899"),
        ("The hotel is cheap.", "Breakfast: It costs $9.", "Breakfast: It costs $9"),
    ],
)
def test_a_pronoun_under_the_key_of_a_property_means_what_has_it(
    parse: Parse, said: str, text: str, expected: str
) -> None:
    assert told(parse, f"{said}\n\n{text}") == [said, expected]


def test_a_pronoun_behind_a_command_means_none_that_it_does_not_name(parse: Parse) -> None:
    text = "- **Glass:** Take it to the containers. They must not be used on Sundays.\n"
    assert told(parse, text, "Where can I bring glass and batteries?")[1:] == [
        "They must not be used on Sundays."
    ]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("Ada (May 1756 – 5 May 1791), Swiss, composed.", "Ada (May 1756 – 5 May 1791), Swiss, composed."),
        ("Ada (1756 – 1791) – a composer", "Ada (1756 – 1791): a composer"),
        ("Ada (1756 – 1791): a composer", "Ada (1756 – 1791): a composer"),
    ],
)
def test_what_is_in_brackets_makes_no_key(parse: Parse, item: str, expected: str) -> None:
    assert told(parse, f"- {item}\n")[-1] == expected


@pytest.mark.parametrize("question", ["", "When do you open?", "How much is it?"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**8:30 a.m.** – Staff arrive.", ["8:30 a.m.: Staff arrive"]),
        ("- 4 p.m. – Lunch is served", ["4 p.m.: Lunch is served"]),
        ("44 B.C. – Caesar was murdered.", ["44 B.C.: Caesar was murdered"]),
        ("Adults – $99\nChildren – 88 euros", ["Adults: $99", "Children: 88 euros"]),
        ("Soup ....... €7\nTea ............. €2", ["Soup: €7", "Tea: €2"]),
    ],
)
def test_a_time_or_an_amount_may_stand_behind_a_dash(
    parse: Parse, text: str, expected: list[str], question: str
) -> None:
    assert told(parse, text, question) == expected


@pytest.mark.parametrize(
    ("question", "answer", "claim"),
    [
        (
            "What is the cheapest ticket?",
            "The day pass – 9 euros.",
            "The cheapest ticket is the day pass – 9 euros.",
        ),
        ("Where is it?", "At the station – 5 minutes away.", "It is at the station – 5 minutes away."),
        ("When does it leave?", "9 a.m. – Platform 4.", "It leaves 9 a.m. – Platform 4."),
        ("When do you open?", "9 a.m. – 5 p.m.", "We open 9 a.m. – 5 p.m."),
        ("Name the pass", "The day pass – 9 euros.", "Name the pass. The day pass – 9 euros."),
        ("", "The trip is long – 3 hours.", "The trip is long – 3 hours."),
        ("", "Pages 10 – 12 of the report tell it.", "Pages 10 – 12 of the report tell it."),
    ],
)
def test_a_dash_behind_an_answer_or_in_a_sentence_makes_no_key(
    parse: Parse, question: str, answer: str, claim: str
) -> None:
    assert told(parse, answer, question) == [claim]


@pytest.mark.parametrize(
    ("introduction", "claim"),
    [
        ("The following are not covered", "Water damage is not covered."),
        ("The following documents are required", "Water damage is required."),
        ("Not included in the price are", "Water damage is not included in the price."),
        ("The following are the worst cases", "The following are the worst cases: Water damage."),
        ("We cover the following", "We cover Water damage."),
        ("We cover one of the following", "We cover one of the following: Water damage."),
    ],
)
def test_what_is_said_of_items_stays_with_them(introduction: str, claim: str) -> None:
    assert Introduction(introduction).item("Water damage") == claim


def test_a_table_of_two_columns_takes_its_header(parse: Parse) -> None:
    head = "| City | Population |\n|---|---|\n"
    assert told(parse, f"{head}| Paris | 2.1 million |\n") == ["Paris, Population: 2.1 million"]
    assert told(parse, "| Year | 1990 |\n| City | Paris |\n") == ["Year: 1990", "City: Paris"]


def test_years_over_columns_state_nothing(parse: Parse) -> None:
    table = "| Plan | 2023 | 2024 |\n|---|---|---|\n| Basic | $10 | $12 |\n"
    assert told(parse, table) == ["Basic, 2023: $10", "Basic, 2024: $12"]


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ("Rebuilt after a fire in 1647", ["Rebuilt after a fire in 1647"]),
        ("Closed on Tuesdays", ["Closed on Tuesdays"]),
        ("Founded 1998", ["Founded 1998"]),
        ("Getting there by train", []),
        ("What to bring along", []),
        ("Useful links", []),
    ],
)
def test_an_item_without_introduction_is_a_claim_unless_it_names_a_topic(
    parse: Parse, item: str, found: list[str]
) -> None:
    assert claims(Discourse(parse), f"- {item}") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Side effects:\n- headache\n- dry mouth\n\nNo alcohol",
            ["Side effects: headache.", "Side effects: dry mouth."],
        ),
        ("Opening hours:\n- Monday: 9 to 5", ["Monday: 9 to 5"]),
        ("Rules:\n- Never mix it with alcohol.", ["Never mix it with alcohol."]),
        ("✅ Safe during pregnancy\n❌ Ibuprofen\n", ["Safe during pregnancy"]),
        ("⚠️ It contains nuts.\n", ["It contains nuts."]),
        ("It lies in Bergen.\n\n---\n\nMore on the history of Paris\n", ["It lies in Bergen."]),
        ("The rooms include:\n- **Free wifi**\n", ["The rooms include Free wifi."]),
        (
            "The plan works as follows:\n- a fee of 10 euros\n",
            ["The plan works as follows: a fee of 10 euros."],
        ),
        ("In short:\n- No dogs in the garden\n", ["No dogs in the garden"]),
        ("- Parking included in the price\n", ["Parking included in the price"]),
        ("- Opening hours 9 to 5\n", ["Opening hours 9 to 5"]),
        ("- Pocket money: max. €30\n", ["Pocket money: max. €30"]),
        ("The dough contains:\n- [x] 10 g of salt\n", ["The dough contains 10 g of salt."]),
    ],
)
def test_what_stands_in_lists_is_a_claim(parse: Parse, text: str, found: list[str]) -> None:
    assert told(parse, text) == found


@pytest.mark.parametrize("after", ["", "---\n\n", "```\nx = 1\n```\n"])
def test_a_list_s_introduction_ends_with_it(parse: Parse, after: str) -> None:
    text = f"The members are:\n- Ann\n- Bo\n\n{after}Closed from November to March.\n"
    assert told(parse, text) == [
        "The members include Ann.",
        "The members include Bo.",
        "Closed from November to March.",
    ]


@pytest.mark.parametrize("mark", ["⚠️", ">"])
def test_a_list_ends_where_other_marks_begin(parse: Parse, mark: str) -> None:
    text = f"The members are:\n- Ann\n\n{mark} Closed from November to March\n"
    assert told(parse, text) == ["The members include Ann.", "Closed from November to March"]


def test_an_introduction_reaches_to_the_items_below_it_alone(parse: Parse) -> None:
    text = "Ingredients:\n- For the dough:\n  - 500 g flour\n- 1 bay leaf\n"
    assert told(parse, text) == ["For the dough: 500 g flour.", "Ingredients: 1 bay leaf."]


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("| | Nova 5 | Nova 6 |\n|---|---|---|\n| Price | €599 | – |\n", ["Price, Nova 5: €599"]),
        (
            "| Model | Nova 5 | Nova 6 |\n|:--|--:|--:|\n| Price | €599 | €849 |\n",
            ["Model, Nova 5, Nova 6", "Price, Nova 5: €599", "Price, Nova 6: €849"],
        ),
    ],
)
def test_a_header_with_digits_is_known_by_its_empty_cell_or_the_line_below(
    parse: Parse, table: str, found: list[str]
) -> None:
    assert told(parse, table) == found


@pytest.mark.parametrize("versions", ["4.1 | 4.2", "v1.0 | v2.0.1", "3.9 | 3.10"])
def test_a_row_of_versions_is_a_header(parse: Parse, versions: str) -> None:
    first, second = versions.split(" | ")
    rows = f"| Setting | {versions} |\n|---|---|---|\n| TLS | no | yes |\n"
    assert told(parse, rows) == [f"TLS, {first}: no", f"TLS, {second}: yes"]
    assert told(parse, "| Length | 4.1 km | 4.2 km |\n") == ["Length, 4.1 km, 4.2 km"]


@pytest.mark.parametrize(
    "heading", ["What's new", "How it unfolded", "Who must not take it", "When it rains"]
)
def test_a_heading_that_begins_with_a_question_word_states_nothing(parse: Parse, heading: str) -> None:
    assert told(parse, f"## {heading}\n\nThe mill is red.") == ["The mill is red."]
    assert told(parse, "## When it rains, the mill stops\n") == ["When it rains, the mill stops."]


def test_a_display_formula_without_words_is_no_claim(parse: Parse) -> None:
    question = "What is the energy?"
    for formula in ("$$E = \\frac{m}{2} v^{2}$$", "\\[ E = mc^{2} \\]"):
        assert told(parse, f"{formula}\n", question) == []
    assert told(parse, "$$The mill was built in 1820.$$\n") != []
    assert told(parse, "$$\\text{The mill was built in 1820.}$$\n") != []


def test_a_bold_line_is_a_heading_but_may_be_the_answer(parse: Parse) -> None:
    question = "What is the capital of France?"
    assert told(parse, "**Paris**\n", question) == ["The capital of France is Paris."]
    assert told(parse, "## Answer\n\n**Paris**\n", question) == ["The capital of France is Paris."]
    assert told(parse, "Sure! Here is a plan:\n\n**Ingredients**\n", "How do I bake it?") == []


def test_items_answer_what_was_asked_unless_they_say_enough(parse: Parse) -> None:
    question = "What are the side effects?"
    assert told(parse, "- headache\n- nausea\n", question) == [f"{question} headache", f"{question} nausea"]
    assert told(parse, "- headache\n\n### Treatment\n\n- ibuprofen\n", question) == [
        f"{question} headache",
        "Treatment: ibuprofen.",
    ]
    assert told(parse, "- 500 g bread flour\n", "How do I bake it?") == ["500 g bread flour"]


@pytest.mark.parametrize("title", ["### Basic\n", "**Basic**\n\n"])
def test_items_below_a_title_are_told_with_it(parse: Parse, title: str) -> None:
    text = f"{title}- 39 euros a month\n\n**Plus**\n\n- It costs 45 euros.\n\nNo deposit.\n"
    assert told(parse, text, "Compare the plans.")[:2] == ["Basic: 39 euros a month.", "It costs 45 euros."]


def test_the_row_above_the_ruler_is_the_header(parse: Parse) -> None:
    one = "| City | People |\n|---|---|\n| Paris | 2 million |\n"
    other = "| River | Length |\n|---|---|\n| Seine | 777 km |\n"
    assert told(parse, f"{one}\n{other}")[-1] == "Seine, Length: 777 km"


def test_an_empty_first_cell_goes_on_with_the_one_above(parse: Parse) -> None:
    rows = "| | Nova 5 |\n|---|---|\n| Price | €599 |\n| | €649 |\n"
    assert told(parse, rows) == ["Price, Nova 5: €599", "Price, Nova 5: €649"]
    assert told(parse, "| | Nova 5 |\n|---|---|\n| | €649 |\n") == ["Nova 5: €649"]


def test_an_item_that_begins_with_its_verb_is_said_of_the_line_before(parse: Parse) -> None:
    lines = ("A permit:", "- is valid for ten years;", "- may be renewed once.")
    assert claims(Discourse(parse), *lines) == [
        "A permit is valid for ten years.",
        "A permit may be renewed once.",
    ]
    assert claims(Discourse(parse), "## Oak pros", "- Lasts 50 years", "- Can be refinished") == [
        "Oak pros: Lasts 50 years.",
        "Oak pros: Can be refinished.",
    ]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("| Rules |\n|---|\n| Children pay 8 euros. |", ["Rules: Children pay 8 euros."]),
        ("| Rule | |\n|---|---|\n| Children pay 8 euros. | |", ["Rule: Children pay 8 euros."]),
        ("| Item | Price |\n|---|---|\n| Drinks | |\n| Tea | 3 euros |", ["Tea, Price: 3 euros"]),
        (
            "| Founder | Built |\n|---|---|\n| Bob Jones | 1987 |",
            ["Founder: Bob Jones", "Bob Jones, Built: 1987"],
        ),
        ("| Mon | Tue | Wed |\n|---|---|---|\n| open | – | closed |", ["Mon: open", "Wed: closed"]),
        ("Fee 2024 | Fee 2023\n--- | :---:\n€5 | €6", ["Fee 2024: €5", "€5, Fee 2023: €6"]),
        ("| 2022 | 2023 |\n|---|---|\n| 5 | 6 |", ["2022: 5", "2023: 6"]),
        (
            "Item | Price\n---|---\nTea | 3 euros\nMilk | 1 euro.",
            ["Tea, Price: 3 euros", "Milk, Price: 1 euro."],
        ),
    ],
)
def test_each_cell_of_a_table_that_tells_something_is_in_a_claim(
    parse: Parse, table: str, expected: list[str]
) -> None:
    assert told(parse, f"{table}\n") == expected


def test_a_header_of_two_cells_is_no_answer(parse: Parse) -> None:
    table = "Item | Price\n---|---\nTea | 3 euros\n"
    assert told(parse, table, "How much is a tea?") == ["Tea, Price: 3 euros"]


def test_an_item_with_a_condition_reads_on_from_its_introduction_too(parse: Parse) -> None:
    text = "The gym may be used by:\n- all staff, and\n- their partners, provided they have registered; or\n"
    assert told(parse, text) == [
        "The gym may be used by all staff.",
        "The gym may be used by their partners, provided they have registered.",
    ]


@pytest.mark.parametrize(
    ("introduction", "said"),
    [
        ("It depends on the machine", []),
        ("You need one of the following", []),
        ("Dolivex can cause side effects", []),
        ("The kit has two parts", ["The kit has two parts: Base."]),
        ("The kit includes", ["The kit includes Base."]),
    ],
)
def test_a_key_is_an_item_itself_where_its_introduction_says_so(introduction: str, said: list[str]) -> None:
    assert Introduction(introduction).named("Base") == said


def test_a_bold_line_that_is_one_of_several_things_asked_for_is_a_title(parse: Parse) -> None:
    text = "**Pros**\n- No commute.\n\n**Cons**\n- It is lonely.\n"
    question = "What are the pros and cons of remote work?"
    assert told(parse, text, question) == ["Pros: No commute.", "It is lonely."]
    assert told(parse, "**Ann**", "Who is older, Ann and Bo?") != []
