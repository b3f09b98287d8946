"""Designed experiments: the points of each kind of design, and analyses judged by known responses."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.errors import InputError
from ackclock.sweeps import design as designs
from ackclock.sweeps import design_views, effects, response_figures, responses
from ackclock.sweeps.figures import described
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


def of_little_noise(values: Mapping[str, Any], _label: str, _seed: int) -> float:
    """A large effect of A, and noise that depends on the point alone."""
    code = int("".join("1" if level > 0 else "0" for level in coded(values)), 2)
    return 5 * coded(values)[0] + float(np.random.default_rng(code).normal(scale=0.2))


def test_seeds_that_agree_are_one_observation() -> None:
    three = answered(planned(4, seeds=3, kind="full-factorial"), of_little_noise)
    one = answered(planned(4, kind="full-factorial"), of_little_noise)
    assert three.effects().equals(one.effects())
    assert set(three.effects()["n"]) == {1}
    decided = three.effects().filter(pl.col("is_decided"))["term"].unique().to_list()
    assert decided == ["A"], "the others are noise, though every seed repeats it"
    view = design_views.effects_view(three, "goodput_bit_per_s")
    assert view is not None
    assert "by Lenth's margin (all seeds agree, for nothing is random)" in view.note


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


def test_indices_of_few_samples_come_without_warnings() -> None:
    def delay(values: Mapping[str, Any], _label: str, _seed: int) -> float:
        return float(str(values[f"{BOTTLENECK}.delay"]).split()[0])

    def above(values: Mapping[str, Any], label: str, seed: int) -> float:
        return float(delay(values, label, seed) > 44)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = answered(planned(ranges=RANGES, kind="saltelli", samples=2), delay).sobol_indices()
        step = answered(planned(ranges=RANGES, kind="saltelli", samples=8), above)
        assert step.sobol_indices().is_empty() or step.sobol_indices()["total_order"].is_not_nan().all()
        figures = step.design_figures()
    assert few["factor"].n_unique() == 3
    assert figures


def of_four(algorithms: Mapping[str, float], plan: Any) -> Sweep:
    """Two responses: one that each algorithm has throughout, one that is the point's alone."""
    done = answered(
        {**plan, "algorithms": dict.fromkeys(algorithms, "reno")}, lambda _v, label, _s: algorithms[label]
    )
    return Sweep(done.plan, done.runs.with_columns(mean_rtt_s=(pl.col("point") % 2).cast(pl.Float64)), {})


def test_clusters_are_those_of_algorithms_that_respond_alike() -> None:
    """Ward's distance of two algorithms is Euclid's, of two pairs sqrt(2) that of their middles."""
    levels = {"a": 0.0, "c": 10.0, "b": 0.1, "d": 10.3}
    done = of_four(levels, planned(3, kind="full-factorial"))
    deviation = float(np.std(list(levels.values()) * 8, ddof=1))
    table = done.clusters()
    assert [sorted([*row["first"], *row["second"]]) for row in table.iter_rows(named=True)] == [
        ["a", "b"], ["c", "d"], ["a", "b", "c", "d"],
    ]  # fmt: skip
    assert table["size"].to_list() == [2, 2, 4]
    of_eight_points = math.sqrt(8) / deviation
    expected = [0.1 * of_eight_points, 0.3 * of_eight_points, math.sqrt(2) * 10.1 * of_eight_points]
    assert table["distance"].to_list() == pytest.approx(expected)


def test_the_responses_together_are_drawn_as_far_as_they_go() -> None:
    titles = [
        title for title, _ in of_four({"a": 1, "b": 2}, planned(3, kind="full-factorial")).response_figures()
    ]
    assert titles == [
        "Correlation of the responses",
        "Principal components of the responses",
        "Algorithms by their responses",
    ]
    assert not answered(planned(3, kind="full-factorial"), lambda *_: 1.0).response_figures()


def noisy(labels: int, factors: int = 5) -> Sweep:
    algorithms = {f"variant{number}": "reno" for number in range(labels)}
    plan = {**planned(factors, seeds=5, kind="fractional-factorial", runs=16), "algorithms": algorithms}
    rng = np.random.default_rng(8)
    return answered(plan, lambda values, _l, _s: 1e6 * (9 + coded(values)[1] + rng.normal(scale=0.3)))


def test_bars_of_main_effects_overlap_unless_the_interval_leaves_out_zero() -> None:
    done = noisy(2)
    figure = dict(done.design_figures())["Goodput: main effects"]
    rows = {(row["label"], row["term"]): row for row in done.effects().iter_rows(named=True)}
    panels = [panel for panel in figure.axes if panel.get_visible()]
    assert len(panels) == 5
    for letter, panel in zip("ABCDE", panels, strict=True):
        for number, bars in enumerate(panel.containers):
            (low, high) = (np.array(segment)[:, 1] for segment in bars[2][0].get_segments())
            row = rows[f"variant{number}", letter]
            are_apart = low[1] < high[0] or high[1] < low[0]
            assert are_apart == (row["low"] > 0 or row["high"] < 0)


def test_effects_of_many_algorithms_have_a_row_each() -> None:
    figure = dict(noisy(7).design_figures())["Goodput: main effects"]
    panel = figure.axes[1]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == [f"variant{n}" for n in range(7)]
    assert panel.get_title(loc="left") == "B: delay"
    middles = np.asarray(panel.collections[-1].get_offsets())[:, 0]
    assert middles.tolist() == pytest.approx([2000] * 7, rel=0.2)  # kbit/s


def test_names_and_marks_of_a_half_normal_plot_lie_within_its_frame() -> None:
    figure = dict(noisy(3).design_figures())["Goodput: effects by size"]
    figure.canvas.draw()
    for panel in (panel for panel in figure.axes if panel.get_visible()):
        frame = panel.get_window_extent()
        boxes = [text.get_window_extent() for text in panel.texts]
        assert boxes
        assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 and box.y1 <= frame.y1 for box in boxes)
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
        marks = panel.collections[-1]
        assert np.asarray(marks.get_offsets())[:, 1].max() < 0.95 * panel.get_ylim()[1]
        colours = {tuple(colour) for colour in np.asarray(marks.get_facecolor()).tolist()}
        assert len(colours) == 2, "decided and undecided"


def test_names_are_spread_out_between_two_bounds() -> None:
    assert response_figures.spread_out([0.2, 0.22, 0.5], 0.1, 0, 1) == pytest.approx([0.16, 0.26, 0.5])
    assert response_figures.spread_out([0, 0.01, 0.5], 0.1, 0, 1) == pytest.approx([0, 0.1, 0.5])
    assert response_figures.spread_out([0.9, 0.95, 0.99], 0.1, 0, 1) == pytest.approx([0.8, 0.9, 1])


def test_a_count_per_second_keeps_its_name_and_unit() -> None:
    assert described("flows_completed_per_s", 5) == ("flows completed", "1/s", 1.0)
    assert described("smoothed_rtt_s", 0.1)[0] == "smoothed rtt"
    assert described("goodput_web_bit_per_s", 5e6)[:2] == ("goodput web", "kbit/s")


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
            {"design": {"kind": "plackett-burman"}, "grid": {f"x{place}": [0, 1] for place in range(24)}},
            "design.kind: found plackett-burman with 24 axes; expected at most 23",
        ),
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
    for name in ("correlation", "components", "loadings", "scores", "clusters"):
        assert pl.read_parquet(folder / "tables" / f"{name}.parquet").height > 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "2^(3-1) fractional factorial of resolution III: C = AB" in page
    assert "Effects on goodput" in page
