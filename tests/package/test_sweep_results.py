"""What a sweep leaves: its tables, its table for LaTeX, its figures, and how it is read again."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli.app import app
from ackclock.report import style
from ackclock.sweeps import figures, report

BUFFER = "topology.dumbbell.bottleneck.buffer"
PLAN: dict[str, Any] = {
    "name": "small",
    "scenario": "two-megabit",
    "algorithms": ["newreno", "vegas"],
    "seeds": 2,
    "settings": {"duration": "2 s"},
    "grid": {BUFFER: ["3 packets", "12 packets"]},
}


def saved(folder: Path) -> ackclock.Sweep:
    done = ackclock.sweep(PLAN, folder / "store")
    report.write(done, folder, report=False)
    return done


def test_loading_a_sweep_says_how_one_is_read(tmp_path: Path) -> None:
    saved(tmp_path)
    with pytest.raises(ackclock.InputError, match=r"results of a sweep; ackclock\.sweep\(PLAN, .*store"):
        ackclock.load(tmp_path)


def test_a_quantity_that_is_alike_in_all_seeds_has_an_interval_of_zero(tmp_path: Path) -> None:
    """As a comparison prints it. Seeds that are alike in all have no interval."""
    whole = saved(tmp_path)
    runs = whole.runs.with_columns(goodput_bit_per_s=pl.lit(5e6))
    (row, *_) = report.summary_view(
        replace(whole, runs=runs), chosen=["goodput_bit_per_s", "mean_rtt_s"]
    ).rows
    assert row[-2].text == "5\u2009000.0 ± 0.0"
    same = runs.with_columns(pl.col(pl.Float64).first(), seed=pl.col("seed"))
    (row, *_) = report.summary_view(
        replace(whole, runs=same), chosen=["goodput_bit_per_s", "mean_rtt_s"]
    ).rows
    assert row[-2].text == "5\u2009000.0"


def test_numbers_of_the_whole_run_are_marked_as_in_comparisons(tmp_path: Path) -> None:
    done = saved(tmp_path)
    assert "†" not in str(report.summary_view(done))
    plan = {**PLAN, "seeds": 1, "settings": {"duration": "2 s", "warm_up": "1 s"}}
    view = report.summary_view(ackclock.sweep(plan, tmp_path / "warm"))
    marked = {heading for heading, _ in view.columns if heading.endswith("†")}
    assert marked == {"Retransmissions†", "Timeouts†"}
    assert "† Over the whole run; the others from 1 s on." in view.note
    plan = {**plan, "settings": {"duration": "2 s"}, "grid": {"warm_up": ["0 s", "1 s"]}}
    view = report.summary_view(ackclock.sweep(plan, tmp_path / "both"))
    assert "the others from the end of the warm-up on." in view.note


def test_a_row_of_fewer_seeds_says_how_many(tmp_path: Path) -> None:
    whole = saved(tmp_path)
    view = report.summary_view(whole)
    assert "Seeds" not in {name for name, _ in view.columns}
    assert "Means over 2 seeds" in view.note
    cut = replace(whole, runs=whole.runs.head(5))
    view = report.summary_view(cut)
    place = [name for name, _ in view.columns].index("Seeds")
    assert [row[place].text for row in view.rows] == ["2", "2", "1"]
    assert "Means over the finished seeds" in view.note


def test_the_table_for_latex_has_every_row_or_those_chosen(tmp_path: Path) -> None:
    grid = {BUFFER: [f"{buffer} packets" for buffer in range(3, 25)]}
    done = ackclock.sweep({**PLAN, "seeds": 1, "grid": grid, "settings": {"duration": "1 s"}}, tmp_path)
    rows = [line for line in done.to_latex().splitlines() if line.endswith("\\\\")]
    assert len(rows) == 2 * len(grid[BUFFER]) + 2, "headings and units"
    assert rows[0].startswith("Buffer & Algorithm & "), "capitals, as in comparisons"
    assert r"\begin{longtable}{ll" in done.to_latex(), "longer than a page"
    chosen = done.to_latex(metrics=["goodput"], algorithms=["vegas"], where={BUFFER: "5 packets"})
    *_, row = [line for line in chosen.splitlines() if line.endswith("\\\\")]
    assert chosen.count(r"\\") == 3
    assert row.startswith("vegas & ")
    assert row.count("&") == 1
    title = done.plan.titles[BUFFER].capitalize()
    assert f"{title}: 5 packets." in chosen, "the note names the value that no row has"
    assert chosen == done.to_latex(metrics=["goodput"], algorithms=["vegas"], where={title: "5 packets"})
    for wrong in ({"metrics": ["goodputs"]}, {"algorithms": ["vega"]}, {"where": {BUFFER: "1 packets"}}):
        with pytest.raises(ackclock.InputError, match="did you mean"):
            done.to_latex(**wrong)


def test_a_repeated_sweep_draws_what_the_first_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "main_metrics", lambda _: ["goodput_bit_per_s"])
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'name = "cli"\nscenario = "two-megabit"\nalgorithms = ["reno"]\nsettings.duration = "1 s"\n'
        f'[grid]\n{BUFFER} = ["3 packets", "40 packets"]\n',
        encoding="utf-8",
    )
    out = tmp_path / "out"
    command = ["sweep", str(plan), "-o", str(out)]
    arguments = ["--figure-format", "pdf", "--width", "ieee-column"]
    assert CliRunner().invoke(app, [*command, *arguments]).exit_code == 0
    sizes = {path.name: path.stat().st_size for path in (out / "figures").iterdir()}
    assert {name.rpartition(".")[2] for name in sizes} == {"pdf"}
    page = (out / "report.html").read_text(encoding="utf-8")
    assert CliRunner().invoke(app, command).exit_code == 0
    found = list((out / "figures").iterdir())
    assert {path.name for path in found} == set(sizes)
    # Inches become points of a seventy-second.
    assert all(b"/MediaBox [ 0 0 252 " in path.read_bytes() for path in found)
    width = re.findall(r'<svg[^>]* width="([\d.]+)pt"', page)
    assert [float(found) for found in width] == [pytest.approx(72 * style.TEXT_WIDTH, abs=1)]


def test_what_is_not_there_is_called_so(tmp_path: Path) -> None:
    with pytest.raises(ackclock.InputError, match=r"nothing\.toml: there is no such file"):
        ackclock.sweep(tmp_path / "nothing.toml", tmp_path / "store")
    with pytest.raises(ackclock.InputError, match="nothing: there is no such folder"):
        ackclock.load(tmp_path / "nothing")
    with pytest.raises(ackclock.InputError, match="this is no results folder"):
        ackclock.load(tmp_path)
