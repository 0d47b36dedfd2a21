"""Grafana's dashboard asks for what a running proxy has: metrics, labels, and values of labels."""

import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from vista_stream import Category, Policy
from vista_stream.testing import ScriptedStages

PANELS = json.loads(
    (Path(__file__).parents[3] / "deploy/grafana/dashboards/vista_stream.json").read_text(encoding="utf-8")
)["panels"]
QUERIES = [target["expr"] for panel in PANELS for target in panel["targets"]]
METRIC = re.compile(r"\b(vista_\w+)(?:\{([^}]*)\})?")
BY = re.compile(r"by \(([^)]*)\) \(rate\((vista_\w+)")


@pytest.mark.asyncio
async def test_every_query_finds_its_metric_and_its_labels(start_upstream, start_proxy):
    stages = ScriptedStages({"elephants": Category.CONTRADICTED}, delay=lambda text: 9 * ("long" in text))
    proxy = await start_proxy(await start_upstream(), stages=stages, policy=Policy(deadline=1.5))
    await proxy.ask()
    async with proxy.http.get("/metrics") as response:
        families = text_string_to_metric_families(await response.text())
    samples = [sample for family in families for sample in family.samples]
    found: dict[str, dict[str, set[str]]] = {sample.name: {} for sample in samples}
    for sample in samples:
        for label, value in sample.labels.items():
            found[sample.name].setdefault(label, set()).add(value)

    asked = [(name, wanted or "") for query in QUERIES for name, wanted in METRIC.findall(query)]
    assert len(asked) > 15
    for name, wanted in asked:
        assert name in found, name
        for label, value in re.findall(r'(\w+)="([^"]*)"', wanted):
            assert value in found[name][label], (name, label, value)
    grouped = [pair for query in QUERIES for pair in BY.findall(query)]
    assert len(grouped) > 5
    for labels, name in grouped:
        assert set(labels.split(", ")) <= set(found[name]), (name, labels)


def test_every_panel_says_what_it_shows():
    assert all(panel["title"] and panel["description"] and panel["targets"] for panel in PANELS)
