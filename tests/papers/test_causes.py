"""Causes of statements that were not reproduced: the settings that are named do decide."""

import importlib
import json
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

from ackclock import papers
from ackclock.measures.users import longest_stalls

NEARER_S = (0.217, 0.272, 0.294, 0.318, 0.325, 0.328, 0.339, 0.339)
"""Eight round trips of propagation between 200 and 400 ms, the nearest to the model of 24 draws."""


def of(key: str, name: str) -> tuple[papers.Context, ModuleType]:
    """A paper's context, and a module of its measurements."""
    paper = papers.load_paper(key)
    module = importlib.import_module(f".{name}", papers.load_measure(paper.folder).__name__)
    return papers.Context(paper, quick=False, workers=1), module


def share(key: str, sizes: tuple[int, ...], segments_per_ack: int = 2, seed: int = 1) -> float:
    """The losses of pages of these sizes that a timeout repairs with a proposal, over standard TCP's."""
    _, table = of("burst-tcp", "chapter3.s3_3_4_table_1")
    rows = {row.key: row for row in (table.STANDARD, *table.PROPOSALS)}
    sources = rows[key].sources
    mine = table.recovery(rows[key], sources, seed, sizes, segments_per_ack)
    return float(mine / table.recovery(table.STANDARD, sources, seed, sizes))


def test_byte_counting_gives_back_less_than_delayed_acknowledgments_take() -> None:
    small, large = (4, 6, 8, 10), (10, 20)
    assert share("bc", small) == pytest.approx(0.889, abs=1e-3)
    assert share("bc", large) == pytest.approx(0.778, abs=1e-3)
    assert share("standard", small, segments_per_ack=1) == pytest.approx(0.815, abs=1e-3)
    assert share("standard", large, segments_per_ack=1) < share("bc", large)


def test_the_sizes_of_pages_decide_whether_cbi_spares_timeouts() -> None:
    assert share("cbi", (4, 6, 8, 10)) > 1
    assert np.mean([share("cbi", (24, 32), seed=seed) for seed in (1, 2, 3)]) < 0.75


def test_the_sizes_of_pages_decide_whether_cbi_solves_delayed_acknowledgments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, table = of("burst-tcp", "chapter3.s3_3_4_table_1")
    cbi = next(row for row in table.PROPOSALS if row.key == "cbi")

    def delay(seeds: range) -> float:
        return float(np.mean([table.delayed(cbi, 2, n) / table.delayed(table.STANDARD, 2, n) for n in seeds]))

    assert delay(range(1, 4)) > 1
    monkeypatch.setattr(table, "ODD_AND_EVEN", (32, 48))
    assert delay(range(1, 9)) < 0.75


@pytest.mark.parametrize("key", ["p-http", "sctp"])
def test_the_page_of_a_connection_decides_on_overshoot_and_timeout(key: str) -> None:
    _, table = of("burst-tcp", "chapter3.s3_3_4_table_1")
    _, users = of("burst-tcp", "chapter3.s3_3_4_users")
    row = next(row for row in table.PROPOSALS if row.key == key)
    assert table.overshoot(row, 1, 1) < 1
    assert table.timeout(row, 1, 1) < 1.2
    path = users.Path(table.ELEPHANT)
    setting = users.Setting(row, 1, 1, (path,), think_s=2.0, narrow=True, segments_per_ack=1)
    first = users.pages(setting.run()).filter(pl.col("page") == 0)
    assert first["lost"].to_list() == [31]


def test_a_stricter_convergence_of_standard_tcp_takes_the_chapters_time() -> None:
    context, study = of("mesonet", "study")
    windows = study.grid(context, (42,), study.ABSTRACT, ("tcp",))["tcp", 42].windows
    assert [round(windows.convergence_s(level)) for level in (0.7, 0.8, 0.9)] == [24, 32, 44]
    assert [round(windows.convergence_s(level)) for level in (0.93, 0.99)] == [51, 82]


@pytest.mark.parametrize(
    ("threshold", "rate", "buffer"),
    [("", "", 0.98), ("400 packets", "", 0.93), ("400 packets", "100000 packets/ms", 0.92)],
)
def test_thresholds_and_links_decide_on_the_buffer_of_fast(threshold: str, rate: str, buffer: float) -> None:
    context, study = of("mesonet", "study")
    settings = {"tcp.algorithm": study.specification("fast-80", study.ABSTRACT)}
    settings |= {"acknak.initial_ssthresh": threshold} if threshold else {}
    settings |= {f"topology.graph.link.{link}.rate": rate for link in (0, 1, 3, 4, 5, 6) if rate}
    found = study.Outcome.of(context.run(study.dumbbell(context, 42, settings)), 42)
    assert found.buffer == pytest.approx(buffer, abs=0.005)


def test_the_draw_of_round_trips_decides_on_figure_11() -> None:
    context, validation = of("sub-packet", "validation")
    base = validation.both(validation.Case())["random"]
    loads = [flows for flows in validation.LOADS if flows >= 40]

    def apart(rtts_s: tuple[float, ...]) -> float:
        cases = [replace(base, flows=flows, rtts_s=rtts_s, epochs=True) for flows in loads]
        _, study = of("sub-packet", "study")
        found = validation.heavy(study.simulate(context, cases))
        return float(validation.agreement(found, validation.READINGS["full"]).samples[0])

    assert apart(validation.RTTS_S) == pytest.approx(0.060, abs=0.001)
    assert apart(NEARER_S) < 0.05


PAGES: dict[str, Any] = {
    "size": {"lognormal": {"median": "13 packets", "sigma": 1.5}},
    "think": {"exponential": {"mean": "300 s"}},
    "pool": {"connections": 4, "objects": {"exponential": {"mean": "19 objects"}}},
}
"""What web users fetch."""


@pytest.mark.parametrize(("changed", "percent"), [({}, 84), ({"start_jitter": "600 s"}, 36), (PAGES, 49)])
def test_the_beginnings_and_the_pages_of_users_decide_on_hangs(
    changed: dict[str, Any], percent: float
) -> None:
    context, users = of("sub-packet", "webusers")
    case = users.both(users.Case(flows=800))["random"]
    document = json.loads(users.scenario(context, case, 400, 4).to_json())
    group = document["flow"][0]
    if "size" in changed:
        del group["packets"]
    document["flow"] = [{**group, **changed}]
    hangs = longest_stalls(context.run(context.load(document))).to_numpy()
    assert 100 * float((hangs > 60).mean()) == pytest.approx(percent, abs=5)
