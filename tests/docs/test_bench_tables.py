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


def spread(middle: float, by: float = 0.02) -> dict[str, float]:
    return {"median": middle, "low": middle * (1 - by), "high": middle * (1 + by)}


def case(speed: float, peers: dict[str, Any], title: str = "") -> dict[str, Any]:
    return {
        "title": title,
        "simulated_s": 100.0,
        "utilisation": 0.88,
        "packets_per_cpu_s": spread(speed),
        "at_least": 12e6,
        "go_for": None,
        "events_per_packet": 2.0,
        "peak_memory_bytes": 4.2e6,
        "peers": peers,
    }


def peer(speed: float, ratio: float, without_set_up: float) -> dict[str, Any]:
    return {
        "utilisation": 0.87,
        "packets_per_cpu_s": spread(speed, 0),
        "ratio": spread(ratio, 0),
        "ratio_without_set_up": spread(without_set_up, 0),
    }


RESULTS = {
    "S10": case(14.5e6, {"bare loop": peer(37e6, 0.39, 0.39), "htsim": peer(0.3e6, 48, 24)}),
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
    "machine": {"cores": 2, "processor": "EPYC", "others_share": 0.013},
}  # fmt: skip


def test_speeds_stand_with_their_shares(bench: ModuleType) -> None:
    assert list(bench.SHOWN["shares"](RESULTS)) == [
        "| case | bare loop | Ackclock | htsim |",
        "|---|---|---|---|",
        "| S10 | 37 | 14.5 (14.2 to 14.8), 39 % | 0.30, 0.8 % |",
        "| one flow with losses | – | 1.25 (1.23 to 1.27) | – |",
        "| bbr3 | – | 4.7 (4.6 to 4.8) | – |",
    ]


def test_ratios_stand_with_and_without_set_up(bench: ModuleType) -> None:
    assert list(bench.SHOWN["ratios"](RESULTS))[2:] == ["| S10 | 48; without set-up 24 |"]


def test_utilisations_stand_with_the_simulated_time(bench: ModuleType) -> None:
    assert list(bench.SHOWN["utilisations"](RESULTS))[2:] == ["| S10 | 100 s | 88 % | 87 % | 87 % |"]


def test_costs_stand_beside_the_aims(bench: ModuleType) -> None:
    rows = list(bench.SHOWN["costs"](RESULTS))
    assert len(rows) == 5
    assert rows[2] == "| S10 | 14.5 (14.2 to 14.8) | 69 | 12 | – | 2.0 | 4 MB |"


@pytest.mark.parametrize(
    ("part", "words"), [("commands", "1.20 ms per run"), ("machine", "other programs used 1.3%")]
)
def test_sentences_are_of_the_run(bench: ModuleType, part: str, words: str) -> None:
    assert words in " ".join(bench.SHOWN[part](RESULTS))


def test_readers_of_the_markdown_see_the_published_run(bench: ModuleType) -> None:
    text = (DOCS / "how-fast.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^```{bench} (\w+)\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE))
    results = json.loads(bench.PUBLISHED.read_text(encoding="utf-8"))
    assert shown == {part: "\n".join(show(results)) for part, show in bench.SHOWN.items()}
