"""Figures of sweeps: every panel can be read, and nothing impossible is drawn."""

import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.report.canvas import new_figure

BUFFER = "topology.dumbbell.bottleneck.buffer"
PLAN: dict[str, Any] = {
    "name": "small",
    "scenario": "two-megabit",
    "algorithms": ["newreno", "vegas"],
    "seeds": 2,
    "settings": {"duration": "4 s"},
}


@pytest.mark.parametrize("panels", [4, 5])
def test_every_panel_has_the_numbers_of_its_axis_or_one_below_it(tmp_path: Path, panels: int) -> None:
    delays = [f"{10 * (number + 1)} ms" for number in range(panels)]
    buffers = [f"{2 * (number + 1)} packets" for number in range(panels + 1)]
    grid = {BUFFER: buffers, "topology.dumbbell.bottleneck.delay": delays}
    plan = {**PLAN, "algorithms": ["reno"], "seeds": 1, "settings": {"duration": "1 s"}, "grid": grid}
    figure = ackclock.sweep(plan, tmp_path).plot("utilisation")
    figure.draw_without_rendering()
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert len(shown) == panels
    by_column: dict[float, list[Any]] = {}
    for axes in shown:
        by_column.setdefault(round(axes.get_position().x0, 3), []).append(axes)
    for column in by_column.values():
        lowest = min(column, key=lambda axes: axes.get_position().y0)
        assert any(label.get_visible() and label.get_text() for label in lowest.get_xticklabels())


def test_no_interval_is_drawn_beyond_what_is_possible(tmp_path: Path) -> None:
    """Student's interval of two seeds is wide: 0.9 and 1 give 0.95 ± 0.64."""
    swept = ackclock.sweep({**PLAN, "grid": {BUFFER: ["9 packets", "40 packets"]}}, tmp_path)
    shares = pl.when(pl.col("seed") == 1).then(0.9).otherwise(1.0)
    done = replace(swept, runs=swept.runs.with_columns(utilisation=shares))
    assert done.summary.filter(pl.col("metric") == "utilisation")["high"].to_list() == pytest.approx(
        [0.95 + 0.05 * 12.706] * 4, abs=1e-3
    )
    figure = done.plot("utilisation")
    (axes,) = figure.axes
    drawn = [np.asarray(path.vertices) for band in axes.collections for path in band.get_paths()]
    assert max(float(corners[:, 1].max()) for corners in drawn) == 100


def test_no_line_joins_values_that_are_no_numbers(tmp_path: Path) -> None:
    """Nothing lies between two queues: each algorithm has a point next to those of the others."""
    grid = {"topology.dumbbell.bottleneck.queue": ["droptail", "codel", "fq-codel"]}
    swept = ackclock.sweep({**PLAN, "settings": {"duration": "2 s"}, "grid": grid}, tmp_path)
    (axes,) = swept.plot("goodput").axes
    points = [line for line in axes.get_lines() if line.get_marker() not in ("_", "None")]
    assert len(points) == 2
    assert {line.get_linestyle() for line in points} == {"None"}
    first, second = (np.asarray(line.get_xdata(), dtype=float) for line in points)
    assert np.all(np.abs(first - np.arange(3)) < 0.5)
    assert np.all(second - first > 0.1)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["droptail", "codel", "fq-codel"]


@pytest.mark.parametrize("width", [None, "ieee-column"])
def test_long_names_of_cases_do_not_lie_over_each_other(tmp_path: Path, width: str | None) -> None:
    cases = {
        "drop-tail, 1 round trip": {BUFFER: "9 packets"},
        "drop-tail, 1000 packets": {BUFFER: "40 packets"},
        "unbreakable-name-of-some-queue": {BUFFER: "20 packets"},
    }
    for names in (list(cases)[:2], list(cases)):
        plan = {**PLAN, "algorithms": ["reno"], "seeds": 1, "settings": {"duration": "1 s"}, "grid": {}}
        chosen = {"cases": {"queue": {name: cases[name] for name in names}}}
        figure = ackclock.sweep({**plan, **chosen}, tmp_path).plot("goodput", width=width)
        figure.canvas.draw()
        (axes,) = figure.axes
        boxes = [label.get_window_extent() for label in axes.get_xticklabels()]
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
        assert boxes[0].x0 >= 0
        assert boxes[-1].x1 <= figure.bbox.x1


def test_words_of_cases_stay_whole_in_smaller_letters(tmp_path: Path) -> None:
    names = ["drop-tail", "protect retransmissions", "fair queueing"]
    plan = {**PLAN, "algorithms": ["reno"], "seeds": 1, "settings": {"duration": "1 s"}, "grid": {}}
    cases = {name: {BUFFER: f"{9 + place} packets"} for place, name in enumerate(names)}
    figure = ackclock.sweep({**plan, "cases": {"queue": cases}}, tmp_path).plot(
        "goodput", width="ieee-column"
    )
    shown = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert [text.replace("\n", " ").replace("- ", "-") for text in shown] == names


def test_fonts_of_a_pdf_are_truetype_and_publishers_refuse_type_3(tmp_path: Path) -> None:
    figure, (axes,) = new_figure(width="ieee-column")
    axes.set_xlabel("goodput [Mbit/s]")
    figure.savefig(tmp_path / "figure.pdf")
    pdf = (tmp_path / "figure.pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX measures its own fonts")
def test_a_figure_for_latex_has_its_fonts_and_prints_every_letter(tmp_path: Path) -> None:
    figure, (axes,) = new_figure(width="ieee-column")
    axes.set_xlabel("fq_codel & 5 % of #1")
    axes.set_yticks([0, 1], ["sub_packet", "$10^{-3}$"])
    figure.savefig(tmp_path / "figure.pgf")
    text = (tmp_path / "figure.pgf").read_text(encoding="utf-8")
    assert r"fq\_codel \& 5 % of \#1" in text, "matplotlib makes % a letter"
    assert r"sub\_packet" in text
    assert r"10^{-3}" in text
    assert r"\setmainfont" not in text
    assert axes.get_xlabel() == "fq_codel & 5 % of #1", "the figure is as before"
    figure.savefig(tmp_path / "figure.pdf", backend="pgf")
    pdf = (tmp_path / "figure.pdf").read_bytes()
    assert b"/FontFile2" not in pdf
