"""Dockerfile, compose.yaml and what they mount: they parse, and what they name exists."""

import argparse
import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from vista_stream import cli

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
SCRAPE = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text(encoding="utf-8"))
(JOB,) = SCRAPE["scrape_configs"]
DASHBOARD = json.loads((ROOT / "deploy/grafana/dashboards/vista_stream.json").read_text(encoding="utf-8"))
INSTRUCTION = re.compile(r"^([A-Z]+) ((?:.*\\\n)*.*)$", re.M)
DOCKERFILE = INSTRUCTION.findall((ROOT / "Dockerfile").read_text(encoding="utf-8"))


def instructions(name):
    return [told.replace("\\\n", " ") for kind, told in DOCKERFILE if kind == name]


def parsed(words, monkeypatch):
    """The options, as the real command line reads them; it does nothing else."""

    def fail(self, status=0, message=""):
        pytest.fail(message)

    monkeypatch.setattr(argparse.ArgumentParser, "exit", fail)
    return cli._parser(words).parse_args(words)


@pytest.mark.parametrize("name", OURS)
def test_the_command_line_takes_a_services_command(name, monkeypatch):
    words = OURS[name]["command"]
    if words[0] == "verifier-serve" and words[0] not in cli.COMMANDS:
        pytest.skip("the verifier pool is not in this checkout")
    args = parsed(words, monkeypatch)
    assert args.host == "0.0.0.0"
    told = str(SERVICES[name].get("healthcheck", instructions("HEALTHCHECK")))
    assert f"127.0.0.1:{args.port}/" in told


def test_the_services_are_the_topology_and_find_each_other(monkeypatch):
    assert set(SERVICES) == {"proxy", "verifier-1", "verifier-2", "redis", "prometheus", "grafana"}
    proxy = SERVICES["proxy"]
    assert proxy["deploy"]["replicas"] == 2
    args = parsed(proxy["command"], monkeypatch)
    assert args.store.startswith("redis://redis:6379")
    pool = [urlsplit(url) for url in args.verifier.split(",")]
    assert [each.hostname for each in pool] == ["verifier-1", "verifier-2"]
    for each in pool:
        assert f"--port {each.port}" in " ".join(SERVICES[each.hostname]["command"])
    assert args.token_file == JOB["authorization"]["credentials_file"] == "/run/secrets/token"
    for service in ("proxy", "prometheus"):
        assert SERVICES[service]["secrets"] == ["token"]
    (found,) = JOB["dns_sd_configs"]
    assert (found["names"], found["port"]) == (["proxy"], args.port)


def test_what_a_service_waits_for_says_when_it_is_healthy():
    awaited = {name for each in SERVICES.values() for name in each.get("depends_on", ())}
    assert {"redis", "verifier-1", "verifier-2"} <= awaited <= set(SERVICES)
    for name in SERVICES["proxy"]["depends_on"]:
        assert "healthcheck" in SERVICES[name]


def test_images_of_others_are_pinned():
    for name in set(SERVICES) - set(OURS):
        assert re.search(r":v?\d+\.\d+", SERVICES[name]["image"]), name


def test_what_is_mounted_exists():
    volumes = [volume for service in SERVICES.values() for volume in service.get("volumes", ())]
    sources = [volume.split(":")[0] for volume in volumes]
    assert len(sources) > 4
    for source in sources:
        assert (ROOT / source).exists() if source.startswith("./") else source in COMPOSE["volumes"], source


def test_the_images_extras_exist():
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (extras,) = (told.removeprefix("EXTRAS=").split(",") for told in instructions("ARG"))
    assert {"cpu", "proxy", "redis", "metrics"} <= set(extras) <= set(known)


def test_the_image_is_built_from_files_that_the_context_has():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    copied = [words for told in instructions("COPY") if "--from" not in told for words in told.split()[:-1]]
    assert "vista_stream" in copied
    for source in copied:
        assert (ROOT / source).exists()
        assert f"!{source}" in ignored


def test_the_image_runs_its_command_as_nobody_in_particular(monkeypatch):
    (entry,), (command,), (user,) = (instructions(name) for name in ("ENTRYPOINT", "CMD", "USER"))
    assert json.loads(entry) == ["vista-stream"]
    args = parsed(json.loads(command), monkeypatch)
    assert (args.host, str(args.port)) == ("0.0.0.0", instructions("EXPOSE")[0])
    assert f"--uid {user} " in " ".join(instructions("RUN"))


def test_grafana_finds_its_data_source_and_its_dashboard():
    provisioning = ROOT / "deploy/grafana/provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources/prometheus.yaml").read_text())["datasources"]
    (provider,) = yaml.safe_load((provisioning / "dashboards/vista_stream.yaml").read_text())["providers"]
    assert source["url"] == "http://prometheus:9090"
    assert {panel["datasource"]["uid"] for panel in DASHBOARD["panels"]} == {source["uid"]}
    mounted = dict(volume.split(":")[:2] for volume in SERVICES["grafana"]["volumes"])
    assert mounted["./deploy/grafana/dashboards"] == provider["options"]["path"]


def test_panels_have_ids_of_their_own_and_do_not_overlap():
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) > 10
    taken = [
        (x, y)
        for grid in (panel["gridPos"] for panel in panels)
        for x in range(grid["x"], grid["x"] + grid["w"])
        for y in range(grid["y"], grid["y"] + grid["h"])
    ]
    assert len(set(taken)) == len(taken)
    assert max(x for x, _ in taken) < 24


def test_prometheus_reads_its_configuration():
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("needs promtool, of Debian's package prometheus")
    command = [promtool, "check", "config", "--syntax-only", str(ROOT / "deploy/prometheus/prometheus.yml")]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
