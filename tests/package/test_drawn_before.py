"""Figures and report of a sweep are drawn again only if what they show, or what draws them, has changed."""

import warnings
from pathlib import Path
from typing import Any

import pytest

import ackclock
from ackclock import sweeps
from ackclock.errors import DrawingWarning
from ackclock.sweeps import figures, report

PLAN: dict[str, Any] = {
    "name": "small",
    "scenario": "two-megabit",
    "algorithms": ["reno"],
    "settings": {"duration": "1 s"},
    "grid": {"topology.dumbbell.bottleneck.buffer": ["3 packets", "12 packets"]},
}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> ackclock.Sweep:
    return ackclock.sweep(PLAN, tmp_path_factory.mktemp("store"))


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The metrics of which figures are drawn."""
    drawn: list[str] = []
    draw = figures.draw

    def noted(sweep: Any, key: str, width: Any = None) -> Any:
        drawn.append(key)
        return draw(sweep, key, width)

    monkeypatch.setattr(figures, "main_metrics", lambda _: ["goodput_bit_per_s"])
    monkeypatch.setattr(figures, "draw", noted)
    return drawn


def contents(folder: Path) -> dict[str, bytes]:
    names = [path for path in folder.rglob("*") if path.is_file() and path.name != "provenance.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in names if path.name != "SHA256SUMS"}


def test_nothing_is_drawn_twice(done: ackclock.Sweep, drawings: list[str], tmp_path: Path) -> None:
    report.write(done, tmp_path)
    before = contents(tmp_path)
    assert drawings == ["goodput_bit_per_s"]
    assert "report.html" in before
    report.write(done, tmp_path)
    assert drawings == ["goodput_bit_per_s"], "it is there already"
    assert contents(tmp_path) == before
    report.write(done, tmp_path, formats=("svg", "pdf"))
    assert len(drawings) == 2, "another format"
    (tmp_path / "figures" / "goodput_bit_per_s.pdf").unlink()
    report.write(done, tmp_path, formats=("svg", "pdf"))
    assert len(drawings) == 3, "a figure was removed"
    more = ackclock.sweep({**PLAN, "seeds": 2}, tmp_path / "store")
    report.write(more, tmp_path, formats=("svg", "pdf"))
    assert len(drawings) == 4, "other runs"


def test_other_code_draws_anew(
    done: ackclock.Sweep, drawings: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report.write(done, tmp_path)
    package = tmp_path / "other"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.setattr(sweeps, "__file__", str(package / "__init__.py"))
    report.write(done, tmp_path)
    assert len(drawings) == 2


def test_a_report_that_lacks_a_figure_is_drawn_again(
    done: ackclock.Sweep, drawings: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> bytes:
        raise ValueError("no font")

    with monkeypatch.context() as patch:
        patch.setattr(report, "image", broken)
        with pytest.warns(DrawingWarning, match="no font"):
            report.write(done, tmp_path)
    assert (tmp_path / "report.html").is_file()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report.write(done, tmp_path)
    assert len(drawings) == 2
    assert (tmp_path / "figures" / "goodput_bit_per_s.svg").is_file()
