"""Policies: an action for each category and importance, and for claims without a verdict."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from vista_stream.amounts import check_probability, is_number
from vista_stream.claims import Category, Importance, UnresolvedReason, Verdict

Wording: TypeAlias = str | Callable[[Verdict | None], str]
"""A text, or a callable that returns it for a verdict (None for an unresolved claim)."""
OnDisagreement: TypeAlias = Literal["later", "earlier", "contradicted"]
"""Which of two references counts where one verifies a claim and the other contradicts it."""

NOTICE = "[A statement here was withheld: it contradicts the reference.]"
EARLIER_NOTICE = "[A statement here was withheld: it contradicts what was said before.]"
UNSUPPORTED_NOTICE = "[A statement here was withheld: the reference does not support it.]"
PLAIN_NOTICE = "[A statement here was withheld.]"
UNRESOLVED_NOTICE = "[A statement here was withheld: it could not be checked.]"


_NOTICES = (NOTICE, EARLIER_NOTICE, UNSUPPORTED_NOTICE, PLAIN_NOTICE, UNRESOLVED_NOTICE)


def without_notices(text: str) -> str:
    """A text of the conversation without this module's notices, which the assistant never said."""
    for own in _NOTICES:
        text = text.replace(f" {own}", "").replace(own, "")
    return text


class Severity(IntEnum):
    """Order of the actions. A sentence whose claims call for different actions gets the highest one."""

    RELEASE = 0
    ANNOTATE = 1
    REPLACE = 2
    WITHHOLD = 3
    STOP = 4
    RAISE = 5


@dataclass(frozen=True, slots=True)
class Action:
    """What is done with a sentence; made by this module's `release()`, `annotate()` and so on.

    Raises ValueError for a severity that is not a Severity, or a wording that is neither str nor callable.
    """

    severity: Severity
    wording: Wording = ""

    def __post_init__(self) -> None:
        if not isinstance(self.severity, Severity):
            raise ValueError(
                f"severity must be a Severity, as release() and others give it, not {self.severity!r}"
            )
        if not isinstance(self.wording, str) and not callable(self.wording):
            raise ValueError(f"wording must be a str, or a callable that makes one, not {self.wording!r}")

    def text(self, verdict: Verdict | None) -> str:
        """The mark, replacement or closing text for a verdict; empty where the action has none.

        Raises ValueError where the callable returns anything but a str.
        """
        text = self.wording if isinstance(self.wording, str) else self.wording(verdict)
        if not isinstance(text, str):
            raise ValueError(f"a wording's callable must give a str, not {type(text).__name__}")
        return text


def release() -> Action:
    """Send the sentence on as it is."""
    return Action(Severity.RELEASE)


def annotate(mark: Wording) -> Action:
    """Send the sentence on with a mark after it; in a table's row, in the last cell."""
    return Action(Severity.ANNOTATE, mark)


def notice(verdict: Verdict | None) -> str:
    """The notice that replaces a sentence; it names the reason that the verdict gives.

    CONTRADICTED: NOTICE, or EARLIER_NOTICE where the evidence is a claim of an earlier turn.
    LACKING_EVIDENCE: UNSUPPORTED_NOTICE. No verdict: UNRESOLVED_NOTICE. Any other: PLAIN_NOTICE.
    """
    if verdict is None:
        return UNRESOLVED_NOTICE
    if verdict.category is Category.LACKING_EVIDENCE:
        return UNSUPPORTED_NOTICE
    if verdict.category is not Category.CONTRADICTED:
        return PLAIN_NOTICE
    evidence = verdict.evidence
    own = evidence is not None and evidence.origin != "reference" and evidence.document != "background"
    return EARLIER_NOTICE if own else NOTICE


def replace(wording: Wording = notice) -> Action:
    """Send other text in place of the sentence."""
    return Action(Severity.REPLACE, wording)


def withhold() -> Action:
    """Send nothing in place of the sentence."""
    return Action(Severity.WITHHOLD)


def stop(closing: Wording = notice) -> Action:
    """Cancel the source and end the turn with a closing text."""
    return Action(Severity.STOP, closing)


def raise_() -> Action:
    """Cancel the source and raise TurnWithheld to the consumer."""
    return Action(Severity.RAISE)


_MAKERS: dict[str, Callable[..., Action]] = {
    "release": release,
    "annotate": annotate,
    "replace": replace,
    "withhold": withhold,
    "stop": stop,
    "raise": raise_,
}
_WITHOUT_WORDING = ("release", "withhold", "raise")

_PLAIN_KEYS = ("mode", "deadline", "on_verifier_error", "on_store_error", "on_disagreement", "thresholds")
_THRESHOLDS = ("entailment", "contradiction")

Rules: TypeAlias = Mapping[tuple[Category, Importance], Action]


def _seconds(deadline: object) -> float:
    try:
        seconds = float(deadline) if is_number(deadline) else 0.0
    except OverflowError:
        raise ValueError("deadline must be a number that fits a float; math.inf never passes") from None
    if not seconds > 0:
        raise ValueError(f"deadline must be a number of seconds above 0, not {deadline!r}")
    return seconds


def _default_rules() -> Rules:
    return {(Category.CONTRADICTED, importance): replace() for importance in Importance}


def _default_unresolved() -> Mapping[Importance, Action]:
    return {Importance.VITAL: replace(UNRESOLVED_NOTICE)}


def _no_unresolved() -> Mapping[Importance, Action]:
    return {importance: replace(UNRESOLVED_NOTICE) for importance in Importance}


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a session does with verdicts.

    By default, a notice replaces a contradicted claim and a VITAL claim without a verdict. Everything else
    is released and reported. `rules` and `unresolved`, here as in a policy file, override these defaults one
    by one; `release()` lets a claim pass.

    Five policies have names. Each holds back what the one before it holds back, and more:

    - `Policy.observing()`: nothing is held back, everything is reported.
    - `Policy.vital()`: contradicted VITAL claims, and VITAL claims without a verdict.
    - `Policy.default()`: also contradicted claims that are not VITAL; the same as `Policy()`.
    - `Policy.strict()`: also claims without a verdict that are not VITAL.
    - `Policy.grounded()`: also VITAL claims that lack evidence.

    `dataclasses.replace(Policy.strict(), on_verifier_error="raise")` changes one of them.

    Raises ValueError, which names the argument, for a bad key, action, mode, deadline or threshold.
    """

    NAMES: ClassVar = ("observing", "vital", "default", "strict", "grounded")
    """What `named` takes, the most lenient first."""

    rules: Rules = field(default_factory=_default_rules, hash=False)
    """Action for each (category, importance). Where none is named, CONTRADICTED is replaced and any other
    category is released."""
    unresolved: Mapping[Importance, Action] = field(default_factory=_default_unresolved, hash=False)
    """Action for a claim without a verdict, by importance. Where none is named, VITAL is replaced and the
    others are released."""
    other_language: Action | None = None
    """Action for a claim in a language that the verifier does not judge, whatever its importance, which is
    judged by English words. None: the action of `unresolved` for VITAL."""
    deadline: float = 5.0
    """Seconds from the last character of a claim's sentence until the claim counts as unresolved."""
    mode: Literal["verify_first", "optimistic"] = "verify_first"
    """verify_first holds each sentence back until it is decided; optimistic releases text at once and may
    retract it."""
    on_verifier_error: Literal["unresolved", "raise"] = "unresolved"
    """Whether an error of a verifier or stage leaves its claims unresolved or ends the turn."""
    on_store_error: Literal["continue", "raise"] = "raise"
    """What happens where the store cannot be read or written: `raise` ends the turn with StoreError;
    `continue` goes on without the store, and the report's `store_error` says why."""
    on_disagreement: OnDisagreement = "later"
    """Which reference counts where one verifies a claim and another contradicts it: the one that was added
    later or earlier to the session, or, with `contradicted`, always the one that contradicts. With `later`
    and `earlier`, one that may speak of another thing does not count against one that verifies."""
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Probabilities from which a claim is VERIFIED (`entailment`) or CONTRADICTED (`contradiction`, where it
    is also above the entailment): above 0 and at most 1. A threshold that is not named is the model's own.

    A lower `contradiction` finds more false claims and blocks more true ones; a higher one does the reverse.
    A higher `entailment` leaves more claims LACKING_EVIDENCE, and fewer in the common ground that later turns
    are held to. A claim that a rule decided has the probability 1: no threshold changes it. Choose thresholds
    by what you measured on your own texts."""

    def __post_init__(self) -> None:
        if self.mode not in ("verify_first", "optimistic"):
            raise ValueError(f"mode must be 'verify_first' or 'optimistic', not {self.mode!r}")
        if self.on_verifier_error not in ("unresolved", "raise"):
            raise ValueError(
                f"on_verifier_error must be 'unresolved' or 'raise', not {self.on_verifier_error!r}"
            )
        if self.on_store_error not in ("continue", "raise"):
            raise ValueError(f"on_store_error must be 'continue' or 'raise', not {self.on_store_error!r}")
        if self.on_disagreement not in ("later", "earlier", "contradicted"):
            raise ValueError(
                f"on_disagreement must be 'later', 'earlier' or 'contradicted', not {self.on_disagreement!r}"
            )
        object.__setattr__(self, "deadline", _seconds(self.deadline))
        self._check_actions()
        self._check_thresholds()
        # The defaults are added after the checks: the str "vital" equals Importance.VITAL, so a str key would
        # be taken for the default's key and pass unchecked.
        object.__setattr__(self, "rules", {**_default_rules(), **self.rules})
        object.__setattr__(self, "unresolved", {**_default_unresolved(), **self.unresolved})

    def _check_actions(self) -> None:
        for name in ("rules", "unresolved"):
            if not isinstance(given := getattr(self, name), Mapping):
                raise ValueError(f"{name} must be a mapping to Actions, not {given!r}")
        for key, action in self.rules.items():
            _check_rule(key, action)
            self._check_mode(f"rules[{key[0].value}, {key[1].value}]", action)
        for importance, action in self.unresolved.items():
            if not isinstance(importance, Importance) or not isinstance(action, Action):
                raise ValueError(f"unresolved takes Importance: Action, not {importance!r}: {action!r}")
            self._check_mode(f"unresolved[{importance.value}]", action)
        if self.other_language is not None:
            if not isinstance(self.other_language, Action):
                raise ValueError(f"other_language must be an Action or None, not {self.other_language!r}")
            self._check_mode("other_language", self.other_language)

    def _check_thresholds(self) -> None:
        if not isinstance(self.thresholds, Mapping):
            raise ValueError(f"thresholds must be a mapping to probabilities, not {self.thresholds!r}")
        for name, value in self.thresholds.items():
            if name not in _THRESHOLDS:
                raise ValueError(f"thresholds takes {' and '.join(_THRESHOLDS)}, not {name!r}")
            check_probability(f"thresholds[{name}]", value)
        object.__setattr__(self, "thresholds", dict(self.thresholds))

    def _check_mode(self, name: str, action: Action) -> None:
        if self.mode == "optimistic" and action.severity is Severity.ANNOTATE:
            raise ValueError(
                f"{name}: annotate needs mode='verify_first'; in 'optimistic' the text is already out"
            )

    def action_for(self, verdict: Verdict) -> Action:
        """The action for a settled claim."""
        return self.rules.get((verdict.category, verdict.claim.importance), release())

    def action_unresolved(self, importance: Importance, reason: UnresolvedReason | None = None) -> Action:
        """The action for a claim without a verdict; for the reason LANGUAGE the importance does not count."""
        if reason is UnresolvedReason.LANGUAGE:
            return self.other_language or self.unresolved[Importance.VITAL]
        return self.unresolved.get(importance, release())

    @classmethod
    def default(cls, *, deadline: float = 5.0) -> Policy:
        """Contradicted claims are replaced, whatever their importance, and VITAL ones without a verdict."""
        return cls(deadline=deadline)

    @classmethod
    def strict(cls, *, deadline: float = 5.0) -> Policy:
        """Nothing passes that is contradicted or has no verdict, whatever its importance."""
        return cls(unresolved=_no_unresolved(), deadline=deadline)

    @classmethod
    def grounded(cls, *, deadline: float = 5.0) -> Policy:
        """Strict, and VITAL claims must have evidence: those that lack it are replaced by a notice."""
        rules = {(Category.LACKING_EVIDENCE, Importance.VITAL): replace()}
        return cls(rules=rules, unresolved=_no_unresolved(), deadline=deadline)

    @classmethod
    def vital(cls, *, deadline: float = 5.0) -> Policy:
        """The defaults, except that contradicted claims that are not VITAL are released."""
        milder = (Importance.OKAY, Importance.LESS_IMPORTANT)
        rules = {(Category.CONTRADICTED, importance): release() for importance in milder}
        return cls(rules=rules, deadline=deadline)

    @classmethod
    def observing(
        cls, *, deadline: float = 5.0, mode: Literal["verify_first", "optimistic"] = "verify_first"
    ) -> Policy:
        """Everything is released and reported; with mode 'optimistic' nothing is held back either."""
        return cls(
            rules={key: release() for key in _default_rules()},
            unresolved={importance: release() for importance in _default_unresolved()},
            deadline=deadline,
            mode=mode,
        )

    @classmethod
    def named(cls, name: str, *, deadline: float = 5.0) -> Policy:
        """The policy of one of `NAMES`, as commands and the proxy's page take it; ValueError for another."""
        if name not in cls.NAMES:
            raise ValueError(f"name must be one of {', '.join(cls.NAMES)}, not {name!r}")
        policy: Policy = getattr(cls, name)(deadline=deadline)
        return policy

    @classmethod
    def from_toml(cls, path: str | Path) -> Policy:
        """Read a policy file. Raises ValueError, which names the bad key, or OSError if it cannot be read.

        Each category has a table. It gives an action for each importance, as a name or `{action, text}`:

            mode = "verify_first"
            deadline = 2.0
            [contradicted]
            vital = "stop"
            okay = { action = "annotate", text = " [disputed]" }
            [unresolved]
            vital = "withhold"
        """
        try:
            table = tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"policy file {path} is not TOML: {error}") from error
        return cls(**_arguments(table))


def _check_rule(key: object, action: object) -> None:
    match key:
        case (Category(), Importance()) if isinstance(action, Action):
            return
    raise ValueError(f"rules takes (Category, Importance): Action, not {key!r}: {action!r}")


def _arguments(table: dict[str, Any]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    rules: dict[tuple[Category, Importance], Action] = {}
    categories = {category.value: category for category in Category}
    for key, value in table.items():
        if key in _PLAIN_KEYS:
            arguments[key] = value
        elif key == "unresolved":
            arguments[key] = _row(key, value)
        elif key == "other_language":
            arguments[key] = _action(key, value)
        elif key in categories:
            rules |= {(categories[key], rank): action for rank, action in _row(key, value).items()}
        else:
            allowed = [*_PLAIN_KEYS, "unresolved", "other_language", *categories]
            raise ValueError(f"policy key {key!r} is unknown; it takes {', '.join(allowed)}")
    return {**arguments, "rules": rules}


def _row(category: str, row: object) -> dict[Importance, Action]:
    ranks = {rank.value: rank for rank in Importance}
    if not isinstance(row, dict):
        raise ValueError(f"[{category}] must be a table of {', '.join(ranks)}")
    unknown = sorted(set(row) - set(ranks))
    if unknown:
        raise ValueError(f"[{category}] has no importance {unknown[0]!r}; it takes {', '.join(ranks)}")
    return {ranks[rank]: _action(f"{category}.{rank}", value) for rank, value in row.items()}


def _action(where: str, value: object) -> Action:
    row = value if isinstance(value, dict) else {"action": value}
    unknown = sorted(set(row) - {"action", "text"})
    if unknown:
        raise ValueError(f"{where} has no key {unknown[0]!r}; it takes action and text")
    name, wording = row.get("action"), row.get("text")
    if not isinstance(name, str) or name not in _MAKERS:
        raise ValueError(f"{where}: action must be one of {', '.join(_MAKERS)}, not {name!r}")
    if wording is None and name == "annotate":
        raise ValueError(f"{where}: action 'annotate' needs text, the mark to add")
    if wording is None:
        return _MAKERS[name]()
    if name in _WITHOUT_WORDING:
        raise ValueError(f"{where}: action {name!r} takes no text")
    if not isinstance(wording, str):
        raise ValueError(f"{where}: text must be a string, not {wording!r}")
    return _MAKERS[name](wording)
