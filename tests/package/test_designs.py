"""Designed experiments: the points of each kind of design, and analyses judged by known responses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.errors import InputError
from ackclock.sweeps import design as designs
from ackclock.sweeps import effects, responses
from ackclock.sweeps.plan import load_plan
from ackclock.sweeps.sweep import Sweep

BOTTLENECK = "topology.dumbbell.bottleneck"
FACTORS: dict[str, list[Any]] = {
    f"{BOTTLENECK}.rate": ["2 Mbit/s", "8 Mbit/s"],
    f"{BOTTLENECK}.delay": ["5 ms", "40 ms"],
    f"{BOTTLENECK}.buffer": ["5 packets", "50 packets"],
    "flow.0.count": [1, 3],
    "tcp.segments_per_ack": [1, 2],
    "tcp.initial_window": ["2 packets", "10 packets"],
    "tcp.mss": ["500 bytes", "1460 bytes"],
}
RANGES = {
    f"{BOTTLENECK}.rate": {"low": "1 Mbit/s", "high": "100 Mbit/s", "scale": "log"},
    f"{BOTTLENECK}.delay": {"low": "5 ms", "high": "45 ms"},
    f"{BOTTLENECK}.buffer": {"low": "5 packets", "high": "4000 packets"},
}


def planned(factors: int = 0, seeds: int = 1, ranges: Mapping[str, Any] | None = None, **design: Any) -> Any:
    grid = dict(list(FACTORS.items())[:factors])
    given: dict[str, Any] = {"name": "designed", "scenario": "two-megabit", "algorithms": ["reno", "vegas"]}
    given |= {"seeds": seeds, "settings": {"duration": "2 s"}, "grid": grid}
    return {**given, "design": design, **({"ranges": ranges} if ranges else {})}


def answered(plan: Any, response: Callable[[Mapping[str, Any], str, int], float]) -> Sweep:
    """A finished sweep whose runs have the response given as their goodput."""
    loaded = load_plan(plan)
    rows = [
        {
            "point": point.index, **point.values, "label": label, "seed": seed, "bottleneck": "",
            "goodput_bit_per_s": response(point.values, label, seed),
        }
        for point in loaded.points for label in loaded.algorithms for seed in loaded.seeds
    ]  # fmt: skip
    schema = {"point": pl.UInt32, "seed": pl.UInt64}
    return Sweep(loaded, pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None), {})


def coded(values: Mapping[str, Any]) -> list[int]:
    high: dict[str, Any] = {name: pair[1] for name, pair in FACTORS.items()}
    return [1 if values[name] == high[name] else -1 for name in values]


# The resolutions of the NIST/SEMATECH e-Handbook of Statistical Methods, table 5.3.3.4.7.
TABLED = [
    (3, 4, 3), (4, 8, 4), (5, 8, 3), (5, 16, 5), (6, 8, 3), (6, 16, 4), (6, 32, 6), (7, 8, 3), (7, 16, 4),
    (7, 32, 4), (7, 64, 7), (8, 16, 4), (8, 32, 4), (8, 64, 5), (9, 16, 3), (9, 32, 4), (9, 64, 4),
    (9, 128, 6), (10, 16, 3), (10, 32, 4), (10, 64, 4), (10, 128, 5), (11, 16, 3), (11, 32, 4), (11, 64, 4),
    (11, 128, 5), (15, 16, 3),
]  # fmt: skip


@pytest.mark.parametrize(("factors", "runs", "resolution"), TABLED)
def test_a_fraction_has_the_resolution_of_the_tables(factors: int, runs: int, resolution: int) -> None:
    base = runs.bit_length() - 1
    words = designs.generators_for(factors, base)
    assert designs.resolution_of(words, base) == resolution


def test_the_points_of_a_fraction_are_orthogonal() -> None:
    levels = effects.coded_levels(load_plan(planned(7, kind="fractional-factorial", runs=16)))
    assert levels.shape == (16, 7)
    np.testing.assert_array_equal(levels.T @ levels, 16 * np.eye(7))


@pytest.mark.parametrize("kind", ["full-factorial", "plackett-burman"])
def test_the_other_designs_of_two_levels_are_orthogonal(kind: str) -> None:
    levels = effects.coded_levels(load_plan(planned(5, kind=kind)))
    assert len(levels) == {"full-factorial": 32, "plackett-burman": 8}[kind]
    np.testing.assert_array_equal(levels.T @ levels, len(levels) * np.eye(5))


def test_a_generator_makes_its_factor_the_product_and_its_aliases() -> None:
    plan = load_plan(planned(4, kind="fractional-factorial", generators=["D = -ABC"]))
    levels = effects.coded_levels(plan)
    np.testing.assert_array_equal(levels[:, 3], -levels[:, 0] * levels[:, 1] * levels[:, 2])
    aliases = {term.name: term.names[1:] for term in effects.terms(plan)}
    # I = -ABCD, so AB = -CD.
    assert aliases["A"] == ()
    assert aliases["AB"] == ("-CD",)


def test_effects_are_those_of_the_response() -> None:
    def response(values: Mapping[str, Any], label: str, seed: int) -> float:
        a, b, c, d, e = coded(values)
        noise = 0.01 * ((seed * 7919 + a + 2 * b + 4 * c) % 5)
        return 100 + 3 * a - 2 * b + 1.5 * a * c + (0.5 * e if label == "vegas" else 0) + noise + 0 * d

    done = answered(planned(5, seeds=4, kind="fractional-factorial", resolution=5), response)
    table = done.effects("goodput")
    found = {(row["label"], row["term"]): row for row in table.iter_rows(named=True)}
    for label, term, effect in (("reno", "A", 6), ("reno", "B", -4), ("reno", "AC", 3), ("vegas", "E", 1)):
        assert found[label, term]["effect"] == pytest.approx(effect, abs=0.03)
        assert found[label, term]["is_decided"]
    assert found["reno", "E"]["effect"] == pytest.approx(0, abs=0.03)
    assert not found["reno", "DE"]["is_decided"]


def test_an_alias_takes_the_effect_of_the_interaction_with_its_sign() -> None:
    done = answered(
        planned(4, kind="fractional-factorial", generators=["D = -ABC"]),
        lambda values, _label, _seed: 5.0 * coded(values)[2] * coded(values)[3],
    )
    row = done.effects().filter(label="reno", term="AB").row(0, named=True)
    assert row["effect"] == pytest.approx(-10)
    assert row["aliases"] == "-CD"


def test_a_seed_that_lacks_the_metric_somewhere_is_left_out() -> None:
    done = answered(
        planned(3, seeds=3, kind="full-factorial"),
        lambda values, _label, seed: math.nan if seed == 2 and coded(values)[0] > 0 else seed,
    )
    assert done.effects()["n"].to_list() == [2] * done.effects().height


def test_lenths_margin_of_noise_is_wide() -> None:
    """Ye and Hamada (2000): of 15 effects 5 % exceed 2.156 pseudo errors, where Lenth's t has 2.571."""
    rng = np.random.default_rng(5)
    samples = rng.normal(size=(400, 15))
    margins = np.array([effects.lenth_margin(noise, 0.95) for noise in samples])
    exceeded = np.abs(samples) > margins[:, None] * 2.156 / 2.571
    assert np.mean(exceeded) == pytest.approx(0.05, abs=0.01)


def test_a_latin_hypercube_has_a_sample_in_each_stratum() -> None:
    plan = load_plan(planned(ranges=RANGES, kind="latin-hypercube", samples=20, seed=3))
    rates = [float(str(point.values[f"{BOTTLENECK}.rate"]).split()[0]) for point in plan.points]
    assert sorted(int(20 * math.log10(rate) / 2) for rate in rates) == list(range(20))
    buffers = [str(point.values[f"{BOTTLENECK}.buffer"]) for point in plan.points]
    assert all(text.removesuffix(" packets").isdigit() for text in buffers)
    again = load_plan(planned(ranges=RANGES, kind="latin-hypercube", samples=20, seed=3))
    assert [point.values for point in again.points] == [point.values for point in plan.points]


def test_sobol_indices_are_those_of_ishigamis_function() -> None:
    """Ishigami and Homma 1990, with a = 7 and b = 0.1: S = (.3139, .4424, 0), S_T = (.5576, .4424, .2437)."""

    def response(values: Mapping[str, Any], _label: str, _seed: int) -> float:
        rate, delay, buffer = (float(str(value).split()[0]) for value in values.values())
        x1, x2 = (math.pi * (2 * share - 1) for share in (math.log10(rate) / 2, (delay - 5) / 40))
        x3 = math.pi * (2 * (buffer - 5) / 3995 - 1)
        return math.sin(x1) + 7 * math.sin(x2) ** 2 + 0.1 * x3**4 * math.sin(x1)

    done = answered(planned(ranges=RANGES, kind="saltelli", samples=512), response)
    table = done.sobol_indices().filter(label="reno")
    assert table["first_order"].to_list() == pytest.approx([0.3139, 0.4424, 0], abs=0.05)
    assert table["total_order"].to_list() == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.05)


def test_components_and_correlation_of_responses_that_move_together() -> None:
    done = answered(planned(3, seeds=2, kind="full-factorial"), lambda values, _l, _s: sum(coded(values)))
    runs = done.runs.with_columns(
        mean_rtt_s=-2 * pl.col("goodput_bit_per_s"), utilisation=(pl.col("point") % 2).cast(pl.Float64)
    )
    both = Sweep(done.plan, runs, {})
    table = responses.correlation(both)
    assert table.filter(response="goodput_bit_per_s")["mean_rtt_s"].item() == pytest.approx(-1)
    found = responses.principal_components(both)
    assert found.explained["share"].sum() == pytest.approx(1)
    assert found.explained["share"][-1] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"design": {"kind": "factorial"}}, "design.kind: found 'factorial'; expected one of full-factorial"),
        ({"design": {"kind": "fractional-factorial", "run": 8}}, 'did you mean "runs"?'),
        ({"design": {"kind": "fractional-factorial", "runs": 12}}, "runs: found 12; expected a power of two"),
        ({"design": {"kind": "fractional-factorial"}}, "exactly one of runs, resolution, generators"),
        (
            {"design": {"kind": "fractional-factorial", "generators": ["D = AE"]}},
            'generators: found "D = AE"; expected one of D as a product of A, B, C',
        ),
        ({"grid": {**FACTORS, "tcp.segments_per_ack": [1, 2, 3]}}, "two values, low and high"),
        ({"design": {"kind": "sobol", "samples": 12}, "ranges": RANGES}, "a power of two from 2"),
        ({"design": {"kind": "sobol", "samples": 8}}, "ranges: found None"),
        (
            {"design": {"kind": "sobol", "samples": 8}, "ranges": {"flow.0.count": {"low": 3, "high": 1}}},
            "a low bound below the high one",
        ),
    ],
)
def test_a_wrong_design_is_refused_by_its_key(change: dict[str, Any], said: str) -> None:
    plan = {**planned(4, kind="full-factorial"), **change}
    with pytest.raises(InputError, match=r"design|ranges|grid") as raised:
        load_plan(plan)
    assert said in str(raised.value)


def test_a_plan_is_saved_with_its_design(tmp_path: Path) -> None:
    for plan in (
        planned(4, kind="fractional-factorial", generators=["D = ABC"]),
        planned(ranges=RANGES, kind="latin-hypercube", samples=5, seed=9),
    ):
        loaded = load_plan(plan)
        again = load_plan(loaded.save(tmp_path / str(len(loaded.points))))
        assert [point.values for point in again.points] == [point.values for point in loaded.points]
        assert again.design == loaded.design


def test_a_design_is_run_and_drawn(tmp_path: Path) -> None:
    plan = planned(3, kind="fractional-factorial", resolution=3)
    done = ackclock.sweep(plan, tmp_path / "store")
    assert done.runs.height == 4 * 2
    folder = done.save(tmp_path / "out")
    names = {path.name for path in (folder / "figures").iterdir()}
    assert {
        "goodput_bit_per_s-main-effects.svg",
        "goodput_bit_per_s-half-normal.svg",
        "clusters.svg",
    } <= names
    assert pl.read_parquet(folder / "tables" / "effects.parquet").height > 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "2^(3-1) fractional factorial of resolution III: C = AB" in page
    assert "Effects on goodput" in page
