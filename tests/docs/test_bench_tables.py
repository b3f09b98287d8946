"""The tables of the performance page are those of the published run, whatever it has."""

import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXTENSION = DOCS / "_extensions" / "bench.py"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """The extension, which is no part of a package."""
    spec = spec_from_file_location("bench", EXTENSION)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def case(speed: float, peers: dict[str, Any], title: str = "") -> dict[str, Any]:
    return {
        "title": title,
        "packets_per_cpu_s": speed,
        "packets_per_cpu_s_at_best": speed,
        "at_least": 12e6,
        "go_for": None,
        "events_per_packet": 2.0,
        "peak_memory_bytes": 4.2e6,
        "peers": peers,
    }


RESULTS = {
    "S10": case(14.5e6, {"bare loop": {"packets_per_cpu_s": 37e6}, "htsim": {"packets_per_cpu_s": 0.3e6}}),
    "1 % loss": case(1.25e6, {}, "one flow with losses"),
    "bbr3": case(4.7e6, {"bare loop": {"skipped": "no rustc"}}),
    "idle": {"connections": 7},
    "commands": {
        "runs": 5, "comparison_cpu_s": 1.5, "simulating_cpu_s": 0.03, "sweep_cpu_s_per_run": 0.0012,
        "sweep_simulating_cpu_s_per_run": 0.0006, "sweep_elapsed_s_per_run": 0.0008,
    },
    "provenance": {
        "command": "python -m benches", "commit": "0123456789abcdef", "date": "2026-11-26T00:00:00",
    },
    "machine": {"cores": 2, "processor": "EPYC"},
}  # fmt: skip


def test_speeds_stand_with_their_shares(bench: ModuleType) -> None:
    assert list(bench.shares(RESULTS)) == [
        "| case | bare loop | Ackclock | htsim |",
        "|---|---|---|---|",
        "| S10 | 37.0 | 14.5 (39 %) | 0.300 (0.8 %) |",
        "| one flow with losses | – | 1.25 | – |",
        "| bbr3 | – | 4.70 | – |",
    ]


def test_costs_stand_beside_the_aims(bench: ModuleType) -> None:
    rows = list(bench.costs(RESULTS))
    assert len(rows) == 5
    assert rows[2] == "| S10 | 14.5 | 14.5 | 12.0 | – | 2.0 | 4 MB |"


@pytest.mark.parametrize(
    ("part", "words"), [("commands", "1.20 ms per run"), ("machine", "commit 0123456789ab on 2026-11-26")]
)
def test_sentences_are_of_the_run(bench: ModuleType, part: str, words: str) -> None:
    assert words in " ".join(bench.SHOWN[part](RESULTS))


def test_readers_of_the_markdown_see_the_published_run(bench: ModuleType) -> None:
    text = (DOCS / "how-fast.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^```{bench} (\w+)\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE))
    results = json.loads(bench.PUBLISHED.read_text(encoding="utf-8"))
    assert shown == {part: "\n".join(show(results)) for part, show in bench.SHOWN.items()}
