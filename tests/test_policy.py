import dataclasses
from fractions import Fraction
from itertools import pairwise

import pytest

from vista_stream import policy as policy_module
from vista_stream.claims import Category, Claim, Evidence, Importance, Span, UnresolvedReason, Verdict
from vista_stream.policy import (
    EARLIER_NOTICE,
    NOTICE,
    PLAIN_NOTICE,
    UNRESOLVED_NOTICE,
    UNSUPPORTED_NOTICE,
    Action,
    Policy,
    Severity,
    annotate,
    raise_,
    release,
    replace,
    stop,
    withhold,
)

VITAL = Importance.VITAL


def verdict(category: Category, importance: Importance) -> Verdict:
    claim = Claim(id=0, sentence=0, text="It is so.", span=Span(0, 9), importance=importance)
    return Verdict(claim=claim, category=category)


def test_by_default_a_contradicted_claim_is_replaced_and_nothing_else():
    policy = Policy()
    for category in Category:
        for importance in Importance:
            action = policy.action_for(verdict(category, importance))
            assert action == (replace() if category is Category.CONTRADICTED else release())


def test_contradictions_that_matter_less_may_be_released():
    policy = Policy.vital(deadline=2.0)
    assert policy.deadline == 2.0
    assert policy.action_for(verdict(Category.CONTRADICTED, VITAL)) == replace()
    assert policy.action_unresolved(VITAL).severity is Severity.REPLACE
    for importance in (Importance.OKAY, Importance.LESS_IMPORTANT):
        assert policy.action_for(verdict(Category.CONTRADICTED, importance)) == release()


def test_by_default_an_unresolved_claim_is_closed_for_vital_and_open_for_the_rest():
    policy = Policy()
    assert policy.action_unresolved(VITAL).severity is Severity.REPLACE
    assert policy.action_unresolved(Importance.OKAY) == release()
    assert policy.action_unresolved(Importance.LESS_IMPORTANT) == release()


def test_a_claim_in_another_language_is_treated_as_vital_whatever_its_importance(tmp_path):
    own = Policy(other_language=withhold())
    for importance in Importance:
        foreign = importance, UnresolvedReason.LANGUAGE
        assert Policy().action_unresolved(*foreign) == replace(UNRESOLVED_NOTICE)
        assert Policy.observing().action_unresolved(*foreign) == release()
        assert own.action_unresolved(*foreign) == withhold()
        assert own.action_unresolved(importance) == Policy().action_unresolved(importance)
    assert Policy.from_toml(written(tmp_path, 'other_language = "withhold"')) == own
    with pytest.raises(ValueError, match="other_language must be an Action or None, not 'release'"):
        Policy(other_language="release")
    with pytest.raises(ValueError, match="other_language: annotate needs mode='verify_first'"):
        Policy(other_language=annotate("?"), mode="optimistic")


@pytest.mark.parametrize(
    ("origin", "document", "notice"),
    [
        ("reference", "reference 1", NOTICE),
        ("common_ground", "background", NOTICE),
        ("common_ground", "turn 1", EARLIER_NOTICE),
    ],
)
def test_the_notice_says_whether_a_reference_or_the_conversation_contradicts(origin, document, notice):
    evidence = Evidence(text="It is not.", document=document, span=Span(0, 10), sentence=0, origin=origin)
    settled = dataclasses.replace(verdict(Category.CONTRADICTED, VITAL), evidence=evidence)
    assert Policy().action_for(settled).text(settled) == notice


def test_the_notice_for_an_unresolved_claim_names_no_reason_since_there_are_several():
    assert Policy().action_unresolved(VITAL).text(None) == (
        "[A statement here was withheld: it could not be checked.]"
    )


def test_own_rules_are_added_to_the_defaults_as_in_a_file(tmp_path):
    policy = Policy(
        rules={(Category.LACKING_EVIDENCE, VITAL): annotate(" [no source]")},
        unresolved={Importance.OKAY: withhold()},
    )
    assert policy.action_for(verdict(Category.CONTRADICTED, VITAL)) == replace()
    assert policy.action_for(verdict(Category.LACKING_EVIDENCE, VITAL)) == annotate(" [no source]")
    assert policy.action_unresolved(VITAL).severity is Severity.REPLACE
    assert policy.action_unresolved(Importance.OKAY) == withhold()
    file = """
        [lacking_evidence]
        vital = { action = "annotate", text = " [no source]" }
        [unresolved]
        okay = "withhold"
    """
    assert Policy.from_toml(written(tmp_path, file)) == policy


def test_release_switches_a_default_off():
    policy = Policy(rules={(Category.CONTRADICTED, VITAL): release()}, unresolved={VITAL: release()})
    assert policy.action_for(verdict(Category.CONTRADICTED, VITAL)) == release()
    assert policy.action_unresolved(VITAL) == release()


def kept(policy: Policy) -> set[tuple[Category | None, Importance]]:
    """What a policy keeps from the reader; None stands for claims without a verdict."""
    decided = {(c, i): policy.action_for(verdict(c, i)) for c in Category for i in Importance}
    decided |= {(None, importance): policy.action_unresolved(importance) for importance in Importance}
    return {key for key, action in decided.items() if action.severity >= Severity.REPLACE}


CONTRADICTED = {(Category.CONTRADICTED, importance) for importance in Importance}
UNRESOLVED = {(None, importance) for importance in Importance}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("observing", set()),
        ("vital", {(Category.CONTRADICTED, VITAL), (None, VITAL)}),
        ("default", CONTRADICTED | {(None, VITAL)}),
        ("strict", CONTRADICTED | UNRESOLVED),
        ("grounded", CONTRADICTED | UNRESOLVED | {(Category.LACKING_EVIDENCE, VITAL)}),
    ],
)
def test_what_each_named_policy_keeps_from_the_reader(name, expected):
    policy = Policy.named(name, deadline=2.0)
    assert policy == getattr(Policy, name)(deadline=2.0)
    assert policy.deadline == 2.0
    assert kept(policy) == expected


def test_each_named_policy_keeps_more_than_the_one_before_it():
    each = [kept(Policy.named(name)) for name in Policy.NAMES]
    assert all(lenient < stricter for lenient, stricter in pairwise(each))


def test_a_deadline_is_a_float():
    deadline = Policy(deadline=Fraction(1, 2)).deadline
    assert (deadline, type(deadline)) == (0.5, float)


@pytest.mark.parametrize("name", Policy.NAMES)
def test_a_named_policy_has_the_deadline_of_the_default(name):
    assert getattr(Policy, name)().deadline == Policy.named(name).deadline == Policy().deadline


def test_the_default_by_its_name_is_the_default():
    assert Policy.default() == Policy()


def test_a_sentence_without_evidence_says_so_where_it_must_be_grounded():
    settled = verdict(Category.LACKING_EVIDENCE, VITAL)
    assert Policy.grounded().action_for(settled).text(settled) == UNSUPPORTED_NOTICE


@pytest.mark.parametrize("name", ["lax", "", "from_toml", None, ["strict"]])
def test_a_name_that_no_policy_has_is_told_with_those_there_are(name):
    with pytest.raises(ValueError, match="name must be one of observing, vital, default, strict, grounded"):
        Policy.named(name)


@pytest.mark.parametrize("mode", ["verify_first", "optimistic"])
def test_observing_releases_whatever_is_found(mode):
    policy = Policy.observing(deadline=2.0, mode=mode)
    for importance in Importance:
        assert policy.action_unresolved(importance) == release()
        for category in Category:
            assert policy.action_for(verdict(category, importance)) == release()
    assert (policy.deadline, policy.mode) == (2.0, mode)


def test_a_policy_is_a_value():
    own = {(Category.OUT_OF_SCOPE, VITAL): stop()}
    policy = Policy(rules=own)
    assert Policy(rules={}, unresolved={}) == Policy()
    assert dataclasses.replace(policy, deadline=5.0) == policy
    assert dataclasses.replace(Policy.observing(), deadline=9.0) == Policy.observing(deadline=9.0)
    own.clear()
    assert policy.action_for(verdict(Category.OUT_OF_SCOPE, VITAL)) == stop()


def test_thresholds_that_are_not_named_are_the_models_own():
    assert Policy().thresholds == {}
    given = {"contradiction": 0.9}
    policy = Policy(thresholds=given)
    given.clear()
    assert policy.thresholds == {"contradiction": 0.9}
    assert dataclasses.replace(policy, deadline=2.0).thresholds == {"contradiction": 0.9}


@pytest.mark.parametrize(
    "edge",
    [
        *({"on_disagreement": name} for name in ("later", "earlier", "contradicted")),
        {"thresholds": {"entailment": 1, "contradiction": 1.0}},
        {"deadline": 1e-9},
    ],
)
def test_what_is_just_allowed_is_taken(edge):
    policy = Policy(**edge)
    assert {name: getattr(policy, name) for name in edge} == edge


def test_wording_may_be_a_callable_of_the_verdict():
    settled = verdict(Category.CONTRADICTED, VITAL)
    assert annotate(lambda v: f" [{v.category}]").text(settled) == " [contradicted]"
    assert stop("bye").text(None) == "bye"


@pytest.mark.parametrize("make", [annotate, replace, stop])
@pytest.mark.parametrize("wording", [None, 3, ["x"]])
def test_a_wording_is_text_or_a_callable(make, wording):
    with pytest.raises(ValueError, match="wording must be a str, or a callable that makes one, not"):
        make(wording)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "late"}, "mode must be 'verify_first' or 'optimistic', not 'late'"),
        ({"deadline": 0}, "deadline must be a number of seconds above 0, not 0"),
        ({"deadline": float("nan")}, "deadline must be"),
        ({"deadline": 10**400}, "deadline must be a number that fits a float"),
        ({"on_verifier_error": "ignore"}, "on_verifier_error must be"),
        ({"on_store_error": "ignore"}, "on_store_error must be 'continue' or 'raise', not 'ignore'"),
        (
            {"on_disagreement": "newest"},
            "on_disagreement must be 'later', 'earlier' or 'contradicted', not 'newest'",
        ),
        ({"on_disagreement": ["later"]}, r"on_disagreement must be .* not \['later'\]"),
        ({"rules": {Category.CONTRADICTED: stop()}}, r"rules takes \(Category, Importance\): Action"),
        ({"rules": {(Category.CONTRADICTED, VITAL): "stop"}}, "rules takes"),
        ({"rules": [stop()]}, "rules must be a mapping to Actions"),
        ({"unresolved": None}, "unresolved must be a mapping to Actions, not None"),
        ({"deadline": True}, "deadline must be a number of seconds above 0, not True"),
        ({"deadline": "soon"}, "deadline must be a number of seconds above 0, not 'soon'"),
        ({"unresolved": {"vital": stop()}}, "unresolved takes Importance: Action"),
        ({"thresholds": 0.9}, "thresholds must be a mapping to probabilities, not 0.9"),
        ({"thresholds": None}, "thresholds must be a mapping to probabilities, not None"),
        ({"thresholds": {"neutral": 0.9}}, "thresholds takes entailment and contradiction, not 'neutral'"),
        (
            {"thresholds": {"entailment": 0}},
            r"thresholds\[entailment\] must be a probability above 0 .* not 0",
        ),
        ({"thresholds": {"contradiction": 1.01}}, "at most 1, not 1.01"),
        ({"thresholds": {"contradiction": float("nan")}}, "at most 1, not nan"),
        ({"thresholds": {"contradiction": "0.9"}}, "at most 1, not '0.9'"),
        ({"thresholds": {"contradiction": True}}, "at most 1, not True"),
        (
            {"mode": "optimistic", "rules": {(Category.CONTRADICTED, VITAL): annotate("!")}},
            r"rules\[contradicted, vital\]: annotate needs mode='verify_first'",
        ),
        (
            {"mode": "optimistic", "unresolved": {VITAL: annotate("!")}},
            r"unresolved\[vital\]: annotate needs mode='verify_first'",
        ),
    ],
)
def test_what_cannot_be_is_a_value_error_that_says_which(arguments, message):
    with pytest.raises(ValueError, match=message):
        Policy(**arguments)


def written(tmp_path, text: str):
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_sets_what_it_names_and_leaves_the_rest(tmp_path):
    policy = Policy.from_toml(
        written(
            tmp_path,
            """
            deadline = 2
            on_verifier_error = "raise"
            on_store_error = "continue"
            on_disagreement = "earlier"
            [contradicted]
            okay = { action = "annotate", text = " [disputed]" }
            [lacking_evidence]
            vital = "withhold"
            less_important = "raise"
            [unresolved]
            vital = { action = "stop", text = "Sorry." }
            [thresholds]
            entailment = 0.8
            """,
        )
    )
    assert policy.deadline == 2
    assert policy.on_verifier_error == "raise"
    assert policy.on_store_error == "continue"
    assert policy.on_disagreement == "earlier"
    assert policy.rules == {
        (Category.CONTRADICTED, VITAL): replace(),
        (Category.CONTRADICTED, Importance.OKAY): annotate(" [disputed]"),
        (Category.CONTRADICTED, Importance.LESS_IMPORTANT): replace(),
        (Category.LACKING_EVIDENCE, VITAL): withhold(),
        (Category.LACKING_EVIDENCE, Importance.LESS_IMPORTANT): raise_(),
    }
    assert policy.unresolved == {VITAL: stop("Sorry.")}
    assert policy.thresholds == {"entailment": 0.8}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mode = ", "is not TOML"),
        pytest.param("mode = " + "[" * 100_000, "is not TOML", id="nested deep"),
        (
            "modus = 'x'",
            "policy key 'modus' is unknown; it takes mode, deadline, on_verifier_error, on_store_error, "
            "on_disagreement, thresholds, unresolved, other_language, verified, contradicted, ",
        ),
        ("deadline = 'soon'", "deadline must be a number of seconds above 0, not 'soon'"),
        ("deadline = true", "deadline must be a number of seconds above 0, not True"),
        ("contradicted = 'stop'", r"\[contradicted\] must be a table of vital, okay, less_important"),
        (
            "[contradicted]\nbig = 'stop'",
            r"\[contradicted\] has no importance 'big'; it takes vital, okay, less_important$",
        ),
        (
            "[contradicted]\nvital = 'explode'",
            "contradicted.vital: action must be one of release, annotate, .*, stop, raise, not 'explode'$",
        ),
        ("other_language = 'explode'", "^other_language: action must be one of"),
        ("[contradicted]\nvital = { action = 'release', text = 'x' }", "'release' takes no text"),
        ("[contradicted]\nvital = 'annotate'", "'annotate' needs text"),
        (
            "[contradicted]\nvital = { action = 'stop', txt = 'x' }",
            "contradicted.vital has no key 'txt'; it takes action and text",
        ),
        ("[contradicted]\nvital = { action = 'stop', text = 3 }", "vital: text must be a string, not 3"),
        ("[thresholds]\nneutral = 0.8", "thresholds takes entailment and contradiction, not 'neutral'"),
        ("thresholds = 0.8", "thresholds must be a mapping"),
        ("[unresolved]\nvital = 3", "unresolved.vital: action must be one of"),
    ],
)
def test_a_bad_file_says_what_is_wrong(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        Policy.from_toml(written(tmp_path, text))


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Policy.from_toml(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        (Category.LACKING_EVIDENCE, UNSUPPORTED_NOTICE),
        (Category.OUT_OF_SCOPE, PLAIN_NOTICE),
        (Category.ABSTENTION, PLAIN_NOTICE),
        (Category.VERIFIED, PLAIN_NOTICE),
    ],
)
def test_the_notice_says_nothing_that_was_not_found(category, expected):
    assert replace().text(verdict(category, VITAL)) == expected
    assert stop().text(None) == UNRESOLVED_NOTICE


@pytest.mark.parametrize("severity", ["stop", 99, None])
def test_an_action_names_a_severity_that_is_none(severity):
    with pytest.raises(ValueError, match="severity must be a Severity"):
        Action(severity)


def test_a_callable_that_gives_no_text_is_named():
    with pytest.raises(ValueError, match="must give a str, not int"):
        replace(lambda verdict: 3).text(None)


def test_a_policy_file_may_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_bytes(b"\xef\xbb\xbfdeadline = 2.0\n")
    assert Policy.from_toml(path).deadline == 2.0


@pytest.mark.parametrize(
    "notice",
    [
        policy_module.NOTICE,
        policy_module.EARLIER_NOTICE,
        policy_module.UNSUPPORTED_NOTICE,
        policy_module.PLAIN_NOTICE,
        policy_module.UNRESOLVED_NOTICE,
    ],
)
def test_a_text_is_read_without_the_guards_own_notices(notice: str) -> None:
    assert policy_module.without_notices(f"One is true. {notice} Two is, too.") == "One is true. Two is, too."
    assert policy_module.without_notices(notice) == ""


def test_equal_policies_have_one_hash():
    assert hash(Policy(thresholds={"entailment": 0.9})) == hash(Policy(thresholds={"entailment": 0.9}))
    assert hash(Policy()) == hash(Policy())
