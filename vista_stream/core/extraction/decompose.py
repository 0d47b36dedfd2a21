"""Cuts a sentence into atomic standalone claims by its context, without an LLM (VISTA, step 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vista_stream.claims import ClaimKind, Draft, Span, Utterance
from vista_stream.core.extraction import keys, shapes
from vista_stream.core.extraction.affirmed import affirms_besides, named_instead
from vista_stream.core.extraction.answers import assent_of, in_question_order, opens_condition, polar_part
from vista_stream.core.extraction.asides import take_out, unfold_asides
from vista_stream.core.extraction.asked import answer_label, asked_last, asks_in_heading, own_question
from vista_stream.core.extraction.clauses import unfold
from vista_stream.core.extraction.commands import advised, commanded, instructed
from vista_stream.core.extraction.drafts import (
    body_of,
    credited,
    draft_of,
    in_another_language,
    kind_under,
    led_up_to,
    unstopped,
    unstopped_inside,
    whole,
    without_numbering,
)
from vista_stream.core.extraction.exchange import Exchange
from vista_stream.core.extraction.fragments import (
    STOPPED,
    is_label,
    is_snippet,
    leads_up,
    may_answer,
    repeats,
    says_enough,
    stands_alone,
)
from vista_stream.core.extraction.json_keys import stated_keys
from vista_stream.core.extraction.kinds import is_concrete, is_courtesy, is_ignorance
from vista_stream.core.extraction.labels import without_label
from vista_stream.core.extraction.lists import is_formula
from vista_stream.core.extraction.memory import Memory
from vista_stream.core.extraction.openers import opening
from vista_stream.core.extraction.outline import Outline
from vista_stream.core.extraction.parsed_text import heard_text
from vista_stream.core.extraction.parsing import Parse, Tree
from vista_stream.core.extraction.phrases import Clause
from vista_stream.core.extraction.questions import Question, is_factual
from vista_stream.core.extraction.repair import repaired
from vista_stream.core.extraction.resolution import Resolution
from vista_stream.core.extraction.splitter import Plain, states
from vista_stream.core.extraction.wrapped import unwrapped
from vista_stream.core.text.language import is_english
from vista_stream.core.text.plaintext import PlainText, is_bold_line, is_heading, strip_markup
from vista_stream.core.text.segmenter import Segment, SegmentKind


class Discourse:
    """Decomposes the sentences of one conversation, and remembers what it needs of earlier ones.

    What `decompose` returns depends only on the calls before it, not on timing. A shallow copy is independent
    of the original. Without a parser, clauses are separated and pronouns resolved by the wording alone.
    """

    def __init__(self, parse: Parse | None) -> None:
        self._parse = parse
        self._memory = Memory()
        self._plain = Plain()
        self._question = ""
        self._exchange = Exchange()
        self._labelled = False
        self._answered_by_items = False
        self._outline = Outline()
        self._before_list: Memory | None = None
        self._below: Memory | None = None
        """The memory for what stands below the line, whose key goes with a name."""
        self._assent = ""
        self._asserted: frozenset[str] = frozenset()

    @property
    def asserted(self) -> frozenset[str]:
        """Claims of the last sentence whose kind is sure: instructions, and answers with a number."""
        return self._asserted

    def hear(self, utterance: Utterance) -> None:
        """Read a finished utterance, or the last 2,000 code points of a longer one."""
        heard, wrapper = heard_text(utterance), ""
        if utterance.role == "user":
            heard, wrapper = unwrapped(heard, self._parse)
        said = heard if utterance.role == "user" else ""
        self._question = asked_last(said)
        self._exchange = self._exchange.followed_by(said, self._parse, wrapper=wrapper)
        self._labelled, self._answered_by_items = False, False
        self._outline, self._before_list, self._below = Outline(), None, None
        self._plain = self._plain.read(heard)
        if self._parse is None or is_courtesy(heard):
            return
        if heard and utterance.role == "user":
            self._memory = self._asked_about(self._exchange.completed or heard)
        elif heard:
            self._memory = Resolution(Tree(repaired(self._parse(heard))), self._memory).remembered()

    def _asked_about(self, said: str) -> Memory:
        """The memory after words of the user."""
        assert self._parse is not None
        return Resolution(Tree(repaired(self._parse(said))), self._memory, users="my").remembered().asked()

    def decompose(self, sentence: Segment) -> list[Draft]:
        """The atomic claims of the turn's next segment, with spans in the turn's text; may be empty."""
        self._asserted, before = frozenset(), self._exchange
        if sentence.kind is not SegmentKind.SENTENCE:
            self._outline = self._outline.past(sentence)
            return []
        if self._below is not None and sentence.line != self._outline.line:
            self._memory, self._below = self._below, None
        self._outline = self._outline.at(sentence)
        self._listed()
        if self._outline.is_row(sentence.text):
            rows, self._outline = self._outline.row(sentence.text)
            drafts = [whole(claim, strip_markup(sentence.text)) for claim in rows]
        else:
            self._outline = self._outline.outside_tables(sentence.text)
            drafts = credited(self._prose(sentence.text))
        self._answered_by_items = self._outline.item and (
            self._answered_by_items or (bool(drafts) and repeats(drafts[0].text, self._question))
        )
        if drafts and not self._answered_by_items:
            self._question = ""
            if self._exchange is before:  # no draft took its question from it
                self._exchange = before.past(sentence.text)
        start = sentence.span.start
        moved = (replace(d, span=Span(d.span.start + start, d.span.end + start)) for d in drafts)
        return list({draft.text: draft for draft in moved}.values())

    def _listed(self) -> None:
        """Reset the memory at each list item, and after the list, to what it was before the list.

        A question that items answered has its answer when the list ends.
        """
        outline = self._outline
        if outline.left or not outline.item:
            self._memory = self._before_list or self._memory
            self._before_list = None
        if outline.left and self._answered_by_items:
            self._question, self._answered_by_items = "", False
        if outline.begins and not outline.quoted:
            self._before_list = self._before_list or self._memory
            self._memory = self._before_list

    def _prose(self, text: str) -> list[Draft]:
        """Claims of a line of prose, a heading or a list item, with spans in the line."""
        if is_formula(text):
            return []
        plain = strip_markup(text)
        if keys := stated_keys(plain.text):
            return [whole(claim, plain) for claim in (*(f"{key}." for key in keys), plain.text)]
        if not is_english(plain.text):
            return in_another_language(plain) if not is_heading(text) else []
        bold = is_bold_line(text) and not self._outline.item
        heading = is_heading(text) or (bold and not may_answer(self._question))
        plain = without_label(text, plain, self._parse) if self._parse is not None else plain
        return self._line(plain, item=self._outline.begins, heading=heading)

    def _line(self, plain: PlainText, *, item: bool, heading: bool) -> list[Draft]:
        label = answer_label(plain.text, labelled=self._labelled) if self._question else None
        plain = plain.without([label.span()]) if label else plain
        echo = self._exchange.echo(plain.text)
        plain = plain.without([echo]) if echo else plain
        if joint := self._exchange.joint(plain.text, self._parse):
            parts = plain.without([(joint[0], len(plain.text))]), plain.without([(0, joint[1])])
            return [draft for part in parts for draft in self._line(part, item=item, heading=heading)]
        skipped = opening(plain.text).skipped
        self._exchange = self._exchange.assured(plain.text, skipped)
        asked = self._exchange.polar(self._question)
        open_ = asked.text.endswith("?")
        if open_ and (polar := polar_part(plain.text, skipped, asked=asked.text)):
            claim = self._exchange.claim(asked, polar, self._parse)
            return [self._told(whole(claim, plain), asked, polar)]
        if not plain.text or is_courtesy(plain.text) or is_label(plain.text):
            return []
        plain = without_numbering(plain)
        start = opening(plain.text)
        if is_ignorance(plain.text, start.skipped) and not start.asks:
            return [whole(plain.text, plain, ClaimKind.REFUSAL)]
        body = body_of(plain, start)
        self._assent = assent_of(plain.text[: start.skipped]) if open_ else ""
        if start.asks:
            own = own_question(self._unfold(body, hedge="")[2], body.text, heading=heading)
            self._question, self._labelled = own.text or self._question, own.labelled
            self._exchange = self._exchange.followed_by(own.text, None) if own.text else self._exchange
            return []
        if self._parse is None:
            return self._by_wording(body, start.hedge, item=item, heading=heading)
        open_before = self._exchange
        drafts = self._by_tree(body, start.hedge, item=item, heading=heading)
        lead = plain.text[: start.skipped]
        besides = drafts and self._assent and self._exchange is open_before  # not told with the yes or no
        if besides and affirms_besides(asked, lead, body.text, self._parse):
            sure, answer = self._asserted, self._assent.rstrip(", ") + "."
            told = self._told(whole(self._exchange.claim(asked, answer, self._parse), plain), asked, answer)
            self._asserted |= sure
            return [told, *drafts]
        return drafts

    def _by_wording(self, body: PlainText, hedge: str, *, item: bool, heading: bool) -> list[Draft]:
        """The claims without a parser: what looks like a statement, split where the wording shows it."""
        pair = keys.keyed(body.text, self._exchange, parse=None, last=self._question, item=item)
        stated = pair is not None or states(body.text)
        if heading:
            return []
        doubted = self._exchange.doubted and self._exchange.questions
        if (self._question or doubted) and not stated:
            if leads_up(self._assented(body), self._exchange, item=item):
                return []
            asked = None if item else self._exchange.asked(self._assented(body))
            return [self._answering(body, asked, item=item)]
        if not stated and is_snippet(body.text):
            return []
        claims = self._plain.claims(body.text)
        self._plain = self._plain.read(body.text)
        if len(claims) == 1:  # the kind is told by the assistant's own wording, with 'I'
            return [whole(claims[0], body, kind_under(body.text, hedge))]
        return [whole(claim, body, kind_under(claim, hedge)) for claim in claims]

    def _by_tree(self, body: PlainText, hedge: str, *, item: bool, heading: bool) -> list[Draft]:
        assert self._parse is not None
        before = self._memory
        drafts, tree, resolved = self._unfold(body, hedge=hedge)
        if in_question_order(tree) or (heading and asks_in_heading(body.text)):
            return [whole(resolved, body)] if opens_condition(tree) else []
        if shapes.only_condition(tree) and not item and (self._question or self._exchange.questions):
            self._memory = before
            return [self._conditional(body, tree)]
        colon = shapes.led_by_command(tree) if tree.words[-1].end == len(body.text) else None
        if colon is not None and drafts:
            self._memory = before
            told = self._unfold(body.without([(0, colon.end + 1)]), hedge=hedge)[0]
            return [*self._advised(instructed(body.without([(colon.start, len(body.text))]))), *told]
        pair = keys.keyed(body.text, self._exchange, parse=self._parse, last=self._question, item=item)
        if pair is not None and not shapes.finite(tree, before=len(pair[0])):
            self._memory = before
            return self._pair(body, pair, hedge)
        if self._outline.beginning is None and shapes.requests(tree) and (self._question or not drafts):
            # "Then stay in bed." after a question is advice, not its answer.
            return self._advised(advised(body, tree, drafts), drafts)
        part = None if item else self._in_part(body, tree, drafts, hedge)
        if part is not None:
            return part
        said = item and self._outline.introduction is not None and shapes.without_subject(tree)
        if not shapes.finite(tree) or said or (item and shapes.headless(tree)):
            asked = self._exchange.polar(self._question).text
            self._memory = named_instead(asked, self._assent, tree, before, self._parse)
            return self._fragment(body, heading=heading, topic=shapes.names_topic(tree), item=item, said=said)
        if body.text.endswith(":"):
            self._outline = self._outline.introducing(resolved, unfinished=shapes.unfinished(tree))
            return drafts if shapes.complete(tree) else []
        if not drafts and self._outline.beginning and shapes.imperative(tree) and is_concrete(body.text):
            return self._fragment(body, heading=heading, topic=False)
        return self._advised(commanded(body, tree, drafts), drafts) if shapes.imperative(tree) else drafts

    def _entitle(self, title: str) -> list[Draft]:
        """No claims; the list below a title is read with it: "### Basic", "- 39 euros a month"."""
        assert self._parse is not None
        self._memory = keys.turned_to(title, self._memory, self._parse)
        if is_snippet(title):
            self._outline = self._outline.introducing(title, verbless=True)
        return []

    def _pair(self, body: PlainText, pair: tuple[str, str], hedge: str) -> list[Draft]:
        """The claims of a key and value: 'Year: 1990', or the key with each claim of a sentence.

        What follows is about the key, and on its line about what the value names: "Guitar: Brian May. He".
        """
        assert self._parse is not None
        key, value = pair
        said = body.without([(0, len(body.text) - len(value))])
        alone = Tree(repaired(self._parse(value)))
        if keys.tells_of_key(alone):
            self._memory = keys.led_by(key, self._memory, self._parse)
        before = self._memory
        drafts, tree, _ = self._unfold(said, hedge=hedge)
        if shapes.finite(tree) and keys.has_subject(tree):
            return [keys.under_key(draft, key, value, body) for draft in drafts]
        if keys.names_next(alone) or shapes.imperative(alone):
            self._below = before
        else:
            self._memory = before
        if value.endswith("?"):
            return []
        if shapes.imperative(tree) and STOPPED.search(value) and not is_concrete(value):
            told = [keys.under_key(draft, key, value, body) for draft in commanded(said, tree, drafts)]
            return self._advised(told, told[len(told) - len(drafts) :])
        beginning = self._outline.beginning
        claims = beginning.named(key) if beginning else []
        return [whole(claim, body) for claim in (*claims, f"{key}: {unstopped(value)}")]

    def _fragment(
        self, body: PlainText, *, heading: bool, topic: bool, item: bool = False, said: bool = False
    ) -> list[Draft]:
        """The claim of a line without a finite verb: a list item or a short answer; else empty.

        An item without an introduction, "Rebuilt in 1674", is a claim unless it names a topic. One with a
        verb is `said` of its introduction: "A permit:", "is valid for ten years".
        """
        if heading:
            return self._entitle(body.text)
        if body.text.endswith(":"):
            if not opening(f"{body.text[:-1]}, so").skipped:  # not "In short:"
                self._outline = self._outline.introducing(body.text, verbless=True)
            return []
        if (introduction := self._outline.introduction) is not None:
            return [whole(introduction.item(body.text, said=said), body)]
        enough = says_enough(body.text, item=item) and not (item and topic)
        if leads_up(self._assented(body), self._exchange, item=item):
            return self._entitle(body.text)
        asked = None if item else self._exchange.asked(self._assented(body))
        alone = not self._assent and stands_alone(body.text, self._exchange.questions)
        if (self._question or asked) and not (item and enough) and not alone:
            if asked is None and not item and enough and self._exchange.questions:
                return [whole(body.text, body)]  # a sentence whose verb the parser took for a noun
            return [self._answering(body, asked, item=item)]
        return [whole(body.text, body)] if enough or alone else []

    def _answering(self, body: PlainText, asked: Question | None, *, item: bool) -> Draft:
        """The claim of an answer that is not a sentence, by the question that it fits, or by the first."""
        first = "" if item else self._exchange.first
        asked = asked or Question(first or self._question, "polar")
        answer = self._assented(body)
        claim = self._exchange.claim(asked, answer, None if item else self._parse)
        return self._told(whole(claim, body), asked, body.text)

    def _conditional(self, body: PlainText, tree: Tree) -> Draft:
        """The claim of an answer that is only a condition: "Yes, if you book.", with what was asked."""
        full = Clause.of(tree.words)
        said = self._assent + full.write(Resolution(tree, Memory()).renames(full))
        asked = self._exchange.asked(self._assented(body)) or self._exchange.polar(self._question)
        return self._told(whole(self._exchange.claim(asked, said, self._parse), body), asked, body.text)

    def _in_part(self, body: PlainText, tree: Tree, drafts: list[Draft], hedge: str) -> list[Draft] | None:
        """The claims of an answer with a verb in its relative clause alone; None for another text.

        A line that breaks off, "It was built in", has none: the answer follows it.
        """
        if not self._question and not self._exchange.questions:
            return None
        asked = self._exchange.asked(body.text) if tree.words[-1].end == len(body.text) else None
        relative = shapes.relative_in(tree) if asked else None
        if asked is None or relative is None:
            return [] if shapes.breaks_off(tree) else None
        answer = body.without([relative.clause])
        if stands_alone(answer.text, self._exchange.questions):
            return None  # a sentence whose verb the parser took for a participle
        said = self._unfold(body.without(relative.said), hedge=hedge)[0] if relative.said else drafts
        return [
            self._answering(answer, asked, item=False),
            *(said if relative.clause[0] < relative.clause[1] else []),
        ]

    def _told(self, draft: Draft, asked: Question, answer: str) -> Draft:
        """The draft of an answer to a question, which is then no longer open."""
        self._exchange = self._exchange.without(asked)
        sure = is_concrete(answer) or is_factual(asked)
        self._asserted = frozenset((draft.text,)) if sure else frozenset()
        return draft

    def _assented(self, body: PlainText) -> str:
        """What is told with its "yes" or "no"."""
        return self._assent + body.text

    def _advised(self, told: list[Draft], beside: Sequence[Draft] = ()) -> list[Draft]:
        """The claims of a command, whose kind is sure but for those `beside` it."""
        self._asserted = frozenset(draft.text for draft in told if draft not in beside)
        return told

    def _unfold(self, body: PlainText, *, hedge: str) -> tuple[list[Draft], Tree, str]:
        """The claims of a text, its tree, and its resolved wording; its mentions are remembered."""
        if self._parse is None or not body.text:
            self._plain = self._plain.read(body.text)
            return [], Tree([]), body.text
        bare, asides = take_out(body)
        tree = Tree(repaired(self._parse(unstopped_inside(bare.text))))
        resolution = Resolution(tree, self._memory)
        self._memory = resolution.remembered()
        if meant := self._exchange.meant(body.text):
            asked = self._asked_about(meant)
            resolution = Resolution(tree, replace(asked, mentions=tuple(asked.just_said)))
        clauses = unfold_asides(tree, unfold(tree), asides)
        commands = shapes.commands_of(tree)
        stated = [clause for clause in clauses if clause.words and commands.isdisjoint(clause.words)]
        stated = [each for each in stated if not is_courtesy(each.write())]  # "Here is a guide, which …"
        answers = [self._exchange.narrowed(clause) for clause in stated]
        drafts = [draft_of(*led_up_to(clause, hedge), resolution, bare) for clause in answers]
        full = Clause.of(tree.words)
        return drafts, tree, full.write(resolution.renames(full))
