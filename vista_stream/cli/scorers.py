"""Builds the scorer of `vista-stream score` from its options: method, stages and LLM."""

from __future__ import annotations

import argparse
import math
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vista_stream.cli import CommandError
from vista_stream.cli.llm import open_sender
from vista_stream.cli.loading import load_verifier
from vista_stream.cli.summary import stage_line
from vista_stream.scoring.nuggets import VerifyMatcher
from vista_stream.scoring.outlay import Outlay, Prices
from vista_stream.scoring.scorer import Conditions, NuggetMatcher, Scorer, TwoWayCategorise, VistaScorer
from vista_stream.stages.llm.prompt import load_prompt
from vista_stream.stages.select import select_stages
from vista_stream.stages.stages import Stages

if TYPE_CHECKING:
    from vista_stream.stages.llm.client import LlmClient

METHODS = ("vista", "factscore", "llm-judge")
STAGES = ("decompose", "rank", "verify", "categorise", "judge")
_FOR_AN_LLM = ("model", "base_url", "cache", "zero_shot", "prices", "timeout")
_TIMEOUT = 120.0
"""Seconds that a server has for a reply; a request is sent at most three times."""
_NUGGETS = ("nuggets_make", "nuggets_label", "nuggets_match")


def check_options(args: argparse.Namespace) -> None:
    """Raise CommandError for LLM options when no LLM is used, or stage options when there are no stages."""
    staged = {"--stages": args.stages, "--verifier": args.verifier != "embedded"}
    unused = [name for name, value in (staged | {"--make-nuggets": args.make_nuggets}).items() if value]
    if args.method == "llm-judge" and unused:
        raise CommandError(f"{unused[0]} is not for --method llm-judge, which asks its one question")
    given = [f"--{name.replace('_', '-')}" for name in _FOR_AN_LLM if getattr(args, name)]
    if given and not _prompts(args):
        raise CommandError(
            f"{given[0]} is for an LLM, and none is asked: say what it does by --stages all, or some of "
            f"{','.join(_prompted(args))}, or by --method llm-judge"
        )


def connect(args: argparse.Namespace) -> LlmClient | None:
    """A client of the LLM that the options name; None if they need none.

    Raises CommandError for a missing option or package, a bad address or a cache that cannot be opened.
    """
    if not _prompts(args):
        return None
    if not args.model:
        raise CommandError("--model NAME is needed: name the LLM on its server")
    sender = open_sender(args.base_url, timeout=args.timeout or _TIMEOUT, option="--base-url")
    from vista_stream.stages.llm.client import LlmClient, Style

    style = Style(exemplars=not args.zero_shot)
    try:
        return LlmClient(
            args.model, client=sender, cache=args.cache, concurrency=args.concurrency, style=style
        )
    except sqlite3.Error as error:
        raise CommandError(f"--cache {args.cache}: {error}") from error


def build_scorer(args: argparse.Namespace, client: LlmClient | None) -> Scorer:
    """The scorer that the options name; raises CommandError, or ModelLoadError for a missing model."""
    if args.method == "llm-judge":
        from vista_stream.scoring.judge import JudgeScorer

        assert client is not None
        return JudgeScorer(client, history=not args.no_history)
    llm = _stages(args)
    sequential = args.method == "vista"
    conditions = Conditions(
        whole_turns="decompose" in llm,
        whole_ranking="rank" in llm,
        history=sequential and not args.no_history,
        common_ground=sequential and not args.no_background,
    )
    stages = _selected(args, llm, client)
    matcher: NuggetMatcher = VerifyMatcher(stages.verify)
    maker = None
    if args.make_nuggets:
        from vista_stream.stages.llm.nuggets import LlmNuggets

        assert client is not None
        matcher = maker = LlmNuggets(client)
    return VistaScorer(stages, conditions=conditions, matcher=matcher, maker=maker)


def describe(args: argparse.Namespace) -> dict[str, Any]:
    """How the dialogues are scored: the `setup` of every record and report."""
    setup: dict[str, Any] = {"method": args.method}
    if args.method != "llm-judge":
        llm = _stages(args)
        local = {"verify": args.verifier}
        setup |= {s: "llm" if s in llm else local.get(s, "embedded") for s in STAGES[:-1]}
        setup["judge"] = "llm" if "judge" in llm else "none"
    if args.method == "factscore":
        setup["categorise"] = "two-way"
    prompts = _prompts(args)
    if prompts:
        setup["model"] = args.model
        setup["shots"] = "zero-shot" if args.zero_shot else "few-shot"
        setup["prompts"] = {name: load_prompt(name).version for name in prompts}
    setup["history"] = not args.no_history and args.method != "factscore"
    setup["common_ground"] = not args.no_background and args.method == "vista"
    return setup


def read_prices(value: str) -> Prices:
    """The prices in "IN,OUT", two numbers of 0 or more; raises ArgumentTypeError for anything else."""
    parts = value.split(",")
    try:
        prompt, completion = (float(part) for part in parts)
    except ValueError:
        prompt = completion = -1.0
    if not (0 <= prompt < math.inf and 0 <= completion < math.inf):
        raise argparse.ArgumentTypeError(f"takes two prices with a comma, as in 0.15,0.6, not {value!r}")
    return Prices(prompt, completion)


def read_seconds(value: str) -> float:
    """A number of seconds above 0; raises ArgumentTypeError for anything else."""
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"takes a number of seconds above 0, not {value!r}")
    return seconds


def outlay_lines(outlay: Outlay) -> Iterator[str]:
    """What a run cost, in lines: one for the time of the stages, one for each prompt sent to an LLM."""
    if outlay.stages:
        yield stage_line(outlay.stages)
    costs = []
    for name, entry in outlay.spent.items():
        cost = outlay.cost(entry)
        costs += [] if cost is None else [cost]
        yield (
            f"{name} ({entry.version}): {entry.calls} calls, {entry.cached} from the cache, "
            f"{entry.repairs} repairs, {entry.prompt_tokens} + {entry.completion_tokens} tokens, "
            f"{entry.seconds:.1f} s" + ("" if cost is None else f", cost {cost:.4f}")
        )
    if costs:
        yield f"cost of all prompts: {sum(costs):.4f}"


def _stages(args: argparse.Namespace) -> tuple[str, ...]:
    """The stages that an LLM does."""
    if args.stages == "all":
        return STAGES
    named = tuple(name.strip() for name in args.stages.split(",") if name.strip())
    unknown = [name for name in named if name not in STAGES]
    if unknown:
        raise CommandError(f"--stages takes {', '.join(STAGES)} or all, not {unknown[0]!r}")
    return named


def _prompts(args: argparse.Namespace) -> list[str]:
    """The prompts that the options need."""
    if args.method == "llm-judge":
        return ["judge_turn"]
    llm = _stages(args)
    names = [name for name in _prompted(args) if name in llm]
    if "verify" in names and _two_way(args, llm):
        names[names.index("verify")] = "verify_two_way"
    return names + (list(_NUGGETS) if args.make_nuggets else [])


def _prompted(args: argparse.Namespace) -> tuple[str, ...]:
    """The stages that an LLM can do; FActScore has neither `categorise` nor `judge`."""
    return STAGES[:3] if args.method == "factscore" else STAGES


def _two_way(args: argparse.Namespace, llm: tuple[str, ...]) -> bool:
    return "categorise" in llm or args.method == "factscore"


def _selected(args: argparse.Namespace, llm: tuple[str, ...], client: LlmClient | None) -> Stages:
    verifier = None if args.verifier == "embedded" else load_verifier(args.verifier)
    factscore = args.method == "factscore"
    verify: Any = "embedded" if verifier is None else verifier
    if "verify" in llm:
        verify = "llm"
        if factscore and client is not None:
            from vista_stream.stages.llm.verify import LlmVerify

            verify = LlmVerify(client, contradictions=False)
    categorise: Any = TwoWayCategorise() if factscore else "llm" if "categorise" in llm else "embedded"
    return select_stages(
        decompose="llm" if "decompose" in llm else "embedded",
        rank="llm" if "rank" in llm else "embedded",
        verify=verify,
        categorise=categorise,
        judge="llm" if "judge" in llm and not factscore else None,
        client=client,
    )
