"""Keeps the entities mentioned so far, and finds the one that a pronoun or short noun phrase refers to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vista_stream.core.extraction.agreement import (
    CLASSES,
    FEMALE_FORMS,
    HUMAN,
    agrees,
    alike,
    clear,
    contested,
    hidden,
    is_guess,
    may_agree,
    may_be_meant,
    may_be_near,
    may_be_so,
    of_sort,
    only,
    rivalled,
)
from vista_stream.core.extraction.genders import ALSO_THINGS
from vista_stream.core.extraction.mentions import Mention, Role, Sort
from vista_stream.core.text.stems import word_set

_WRAPPINGS = word_set(
    """fact facts summary overview list example examples explanation meaning description detail details
    information info idea lot question answer tip tips plot definition introduction story history"""
)
"""Nouns with which a question asks for something about its subject: 'a summary of Hamlet'."""
_PAIR_NOUNS = frozenset(("duo", "pair", "couple", "two"))
_REMEMBERED = 40
_SENTENCES_BACK = 3
_DESCRIBED_BACK = 8


@dataclass(frozen=True, slots=True)
class Memory:
    """The mentions of a conversation, oldest first. It is immutable: reading a sentence makes a new one."""

    mentions: tuple[Mention, ...] = ()
    sentence: int = 0
    """Number of sentences read."""
    unresolved: tuple[frozenset[str], ...] = ()
    """Lower-case pronouns whose antecedent was not clear, of each of the last sentences, the latest first."""

    def leaving_open(self, *words: Iterable[str]) -> Memory:
        """The memory, in which these pronouns of the last sentence were not resolved."""
        latest, earlier = self.unresolved[:1], self.unresolved[1:]
        return replace(self, unresolved=(frozenset().union(*latest, *words), *earlier))

    def read(self, found: Iterable[Mention], unresolved: Iterable[str] = ()) -> Memory:
        """The memory after one more sentence; a repeated entity moves to the end, under its longest name."""
        kept = list(self.mentions)
        for each in found:
            if each.passing:
                continue  # "Another Irishman had won it before. He …" goes on about the one before
            mention = replace(each, index=-1, sentence=self.sentence)
            earlier = next((m for m in kept if m.same(mention)), None)
            if earlier is not None:
                kept.remove(earlier)
                mention = _merged(earlier, mention)
            kept.append(mention)
        open_words = (frozenset(unresolved), *self.unresolved)[:_SENTENCES_BACK]
        return Memory(tuple(kept[-_REMEMBERED:]), self.sentence + 1, open_words)

    @property
    def just_said(self) -> list[Mention]:
        """The mentions of the last sentence."""
        return [m for m in self.mentions if m.sentence == self.sentence - 1]

    def asked(self) -> Memory:
        """The memory after the user's words, without wrapping nouns of a question.

        'Some facts about penguins' is about penguins. What the user asked about before is past.
        """
        said = self.just_said
        wraps = [m for m in said if not (m.named or m.nouns.isdisjoint(_WRAPPINGS))]
        left = [m for m in self.mentions if m not in wraps or len(wraps) == len(said)]
        return replace(self, mentions=tuple(replace(m, asked=m in said if said else m.asked) for m in left))

    def known(self, mention: Mention) -> Mention:
        """The mention, with the sort, gender and nouns that are remembered of the same entity."""
        earlier = next((m for m in reversed(self.mentions) if m.same(mention)), None)
        if earlier is None:
            return mention
        sort = Sort.PERSON if Sort.PERSON in (earlier.sort, mention.sort) else mention.sort
        return replace(
            mention, sort=sort, gender=mention.gender or earlier.gender, nouns=mention.nouns | earlier.nouns
        )

    def topical(self, word: str) -> list[Mention]:
        """What the last of the recent sentences was about whose subject the pronoun may mean."""
        said = [m for m in self.mentions if self._recent(m) and m.role is Role.SUBJECT and agrees(word, m)]
        return [m for m in said if m.sentence == said[-1].sentence]

    def pronoun(
        self, word: str, *, subject: bool, named: bool = False, before: Sequence[Mention]
    ) -> Mention | None:
        """The one clear antecedent of a third-person pronoun, else None: a claim without one keeps the word.

        `before` are the mentions before it in its own sentence. They are tried first; a subject pronoun can
        mean only the subjects among them. With `named`, for an object, a mention of an earlier sentence must
        have a name.
        """
        fits = agrees if word not in HUMAN or self._person(word, before) else may_agree
        near = [m for m in before if fits(word, m) and (not subject or m.role is Role.SUBJECT)]
        if near:
            found = clear(near)
            return None if found and contested(word, found, before, subject=subject, named=named) else found
        first = min((m.index for m in before if m.role is Role.SUBJECT), default=None)
        if any(may_be_near(word, m, later=first is not None and m.index > first) for m in before):
            return None
        for back in range(1, _SENTENCES_BACK + 1):
            said = [m for m in self.mentions if m.sentence == self.sentence - back]
            level = [m for m in said if fits(word, m)]
            if self._left_open(word, back) or hidden(word, said, level):
                return None
            if level:
                found = self._found(word, said, level)
                return None if found and named and is_guess(found, level) else found
        far = [m for m in self.mentions if m.named and word in HUMAN and fits(word, m)]
        return far[0] if len(far) == 1 and not self._outdone(far[0]) else None

    def only_one(self, word: str, before: Sequence[Mention]) -> Mention | None:
        """The one mention of a pronoun's own sentence that it may mean, where it may mean none from before.

        So a claim can name the juice of "Avoid the juice, since it harms you", which no subject is.
        """
        near = [m for m in before if may_be_meant(word, m)]
        if len(near) != 1 or any(self._left_open(word, back) for back in range(1, _SENTENCES_BACK + 1)):
            return None
        others = [m for m in self.mentions if self._recent(m) and not m.same(near[0])]
        asked = any(m.asked and m.sort is not Sort.PERSON for m in others)  # "migraines" may be an "it", too
        told = any(m.role is Role.SUBJECT and alike(word, m) for m in others)
        return None if asked or told else near[0]

    def _left_open(self, word: str, back: int) -> bool:
        """Whether a pronoun of the sentence so far back, which the word means too, was not resolved."""
        open_words = self.unresolved[back - 1] if back <= len(self.unresolved) else ()
        return any(word in group and not group.isdisjoint(open_words) for group in CLASSES)

    def _found(self, word: str, said: Sequence[Mention], level: list[Mention]) -> Mention | None:
        """The one antecedent among the agreeing mentions of the earlier sentence that `said` is all of."""
        found = clear(level)
        sure = found is not None and not rivalled(found, level) and self._sure(word, found, said)
        return found if sure else None

    def _sure(self, word: str, found: Mention, said: Sequence[Mention]) -> bool:
        """Whether a mention of an earlier sentence, with `said` in it, is more than a guess.

        A person, and a named subject, are taken; a lone name, which may be a place's, only where no other
        name may be the person's. Others are taken from the sentence right before, where it has nothing else
        that the pronoun may mean; what is brought in, only where none before it was a subject either:
        "The museum is old. There is a cafe. It …".
        """
        if word in HUMAN:
            if self._outdone(found) or (word in FEMALE_FORMS and self._may_be_a_ship(found)):
                return False
            if not (found.named or found.gender):
                return not _may_be_a_thing(found) and not any(
                    m.named and m.gender and agrees(word, m) for m in self.mentions
                )
            return bool(found.gender) or " " in found.text or not any(map(found.rivals, self.mentions))
        if found.named and found.role is Role.SUBJECT:
            return True
        if found.sentence != self.sentence - 1:
            return False
        if found.role is Role.SUBJECT and not found.asked:
            return found.again or not self._other(word, found)
        topics = (m for m in self.mentions if m.asked or ((m.named or found.new) and self._recent(m)))
        if any(m is not found and m.role is Role.SUBJECT and agrees(word, m) for m in topics):
            return False  # what it is all about: "How long is the trial?" "You need no card. It …"
        return not any(may_be_meant(word, m) and m.text not in found.text for m in said)

    def _other(self, word: str, found: Mention) -> bool:
        """Whether a pronoun may mean another thing than the unnamed subject of the sentence right before.

        "The film was made by Eva Holm. The music was written by Carl Lund. It …", "The wreck was found by
        divers, who saved the bell. It …".
        """
        if found.sort is Sort.UNSURE or any(map(str.isupper, found.text[1:])):
            return False  # "Metformin", "the iPhone": as good as a name
        told = len(found.nouns) > 1  # "Photosynthesis is the process by which …"
        others = [m for m in self.mentions if self._recent(m) and agrees(word, m) and not m.same(found)]
        return any(
            found.text.rpartition(" ")[2] != m.text.rpartition(" ")[2]  # "the Gold plan" after "the plan"
            if m.role is Role.SUBJECT
            else m.role is Role.OBJECT and m.sentence == found.sentence and not told
            for m in others
        )

    def _may_be_a_ship(self, found: Mention) -> bool:
        """Whether "she" may be a ship, "the Vasa", rather than somebody who is not known to be a woman."""
        return not found.gender and any(
            m.named
            and not m.plural
            and m.sort not in (Sort.PERSON, Sort.PLACE)
            and m.text.startswith("the ")
            and (m.role is Role.SUBJECT or (m.again and m.role is Role.OTHER))
            for m in self.mentions
            if self._recent(m)
        )

    def _outdone(self, found: Mention) -> bool:
        """Whether a name since then may be the person's: "The leader wears yellow. Eddy Merckx won. He …".

        A name of one word of which nothing was said may be that of somebody without one: "And his sister?"
        "Ylva is 9. She …".
        """
        since = (m for m in self.mentions if m.sentence > found.sentence and m.role is Role.SUBJECT)
        names = [m for m in since if m.named and not m.plural and m.sort in (Sort.UNSURE, Sort.GROUP)]
        if found.named:
            return any(m.sort is Sort.UNSURE and " " in m.text for m in names)
        return any(" " in m.text or (m.sort is Sort.UNSURE and not m.nouns) for m in names)

    def _person(self, word: str, before: Sequence[Mention]) -> bool:
        """Whether a recent mention that is surely a person agrees, so that unsure names need not be tried."""
        recent = [m for m in self.mentions if self._recent(m)]
        return any(agrees(word, m) for m in (*before, *recent))

    def _recent(self, mention: Mention) -> bool:
        return self.sentence - mention.sentence <= _SENTENCES_BACK

    def described(self, noun: str) -> Mention | None:
        """The antecedent of 'the NOUN': the one named mention that was described so or is of that sort."""
        recent = [m for m in self.mentions if m.named and self.sentence - m.sentence <= _DESCRIBED_BACK]
        if noun in _PAIR_NOUNS:
            return only([m for m in recent if m.members == 2])
        said = [m for m in recent if noun in m.nouns]
        if said:
            found = only(said)
            since = [m for m in recent if found and m.sentence > found.sentence]
            return None if any(may_be_so(noun, m) for m in since) else found
        rivals = any(
            noun in m.nouns or m.text.casefold().endswith(" " + noun) for m in self.mentions if not m.named
        )
        whole = [m for m in recent if not any(m is not o and m.text in o.text for o in recent)]
        near = [m for m in whole if self._recent(m) and m.role is Role.SUBJECT]
        sole = len([m for m in whole if of_sort(noun, m)]) == 1
        return None if rivals or not sole else only([m for m in near if of_sort(noun, m)])


def _may_be_a_thing(found: Mention) -> bool:
    """Whether nothing tells that a noun means somebody: "the coach" that one takes."""
    told = found.again or (found.role is Role.SUBJECT and not found.asked)
    return not told and bool(found.nouns) and found.nouns <= ALSO_THINGS


def _merged(earlier: Mention, later: Mention) -> Mention:
    """The later mention with what is known of the earlier; in one sentence, with the more prominent role."""
    longer = earlier if len(earlier.text) > len(later.text) else later
    sort = Sort.PERSON if Sort.PERSON in (earlier.sort, later.sort) else later.sort
    gender = later.gender or earlier.gender
    role = later.role
    if earlier.sentence == later.sentence:
        role = min(earlier.role, later.role, key=lambda each: each.value)
    nouns = earlier.nouns | later.nouns
    return replace(later, text=longer.text, sort=sort, gender=gender, nouns=nouns, role=role)
