"""Figures are kept as data: small, readable, and enough to draw them again."""

import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from ackclock.errors import InputError
from ackclock.report.figure_data import SCHEMA, figure_data, written
from ackclock.report.figure_svg import figure_svg
from ackclock.report.figures import image
from verification import figures

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 4_000_000
MOST_PICTURES = 20


def sample() -> Figure:
    figure = Figure(figsize=(4, 3))
    linear, logarithmic = figure.subplots(1, 2)
    time = np.linspace(0, 10, 2001)
    linear.plot(time, 20 + 10 * np.sin(time), color="#0072b2", label="a wave")
    linear.plot([2, 4], [12, 28], "o", color="#d55e00")
    linear.set(xlim=(0, 10), ylim=(0, 40), xlabel="time in s")
    linear.legend()
    logarithmic.plot([1e-5, 1e-3, 1e-1], [1, 3, 9], color="#009e73")
    logarithmic.set(xscale="log", xlim=(1e-6, 1), ylim=(0, 10))
    return figure


def data_of(figure: Figure) -> dict[str, object]:
    found: dict[str, object] = json.loads(image(figure, "json", {"Title": "sample", "Description": "words"}))
    return found


def test_the_data_are_in_the_units_of_the_axes_and_thinned_to_what_is_seen() -> None:
    data = figure_data(image(sample(), "svg", {"Title": "sample"}).decode())
    linear, logarithmic = data["panels"]
    wave = next(item for item in linear["items"] if item[0] == "line" and item[-1] == "a wave")
    time, value = np.array(wave[2]), np.array(wave[3])
    assert 20 < time.size < 300
    assert np.abs(value - (20 + 10 * np.sin(time))).max() < 0.3  # a point of the page is 0.2 of the axis
    marks = next(item for item in linear["items"] if item[0] == "marks")
    assert marks[3] == pytest.approx([2, 4], abs=0.02)
    assert marks[4] == pytest.approx([12, 28], abs=0.1)
    line = next(item for item in logarithmic["items"] if item[0] == "line")
    assert line[2] == pytest.approx([1e-5, 1e-3, 1e-1], rel=0.02)
    assert line[3] == pytest.approx([1, 3, 9], abs=0.05)


def test_a_figure_is_drawn_from_its_data_where_it_was() -> None:
    drawn = figure_svg(json.loads(written(figure_data(image(sample(), "svg", {"Title": "s"}).decode()))))
    wave = re.search(r'<path d="M([^"]*)" style="[^"]*stroke:#0072b2[^"]*" clip-path', drawn)
    assert wave is not None
    original = re.search(
        r'<path d="M ([\d.]+) ([\d.]+)[^"]*"[^>]*stroke: #0072b2', image(sample(), "svg", {}).decode()
    )
    assert original is not None
    place = [float(number) for number in wave[1].split()[:2]]
    assert place == pytest.approx([float(original[1]), float(original[2])], abs=0.15)
    assert ">a wave</text>" in drawn


def test_every_published_figure_is_whole() -> None:
    files = [file for file in tracked("published/*.json") if "papers" not in file.parts]
    texts = {file: text for file in files if SCHEMA in (text := file.read_text(encoding="utf-8"))[:100]}
    assert len(texts) > 20
    for file, text in texts.items():
        try:
            ET.fromstring(figure_svg(json.loads(text)))  # noqa: S314 - our own
        except ET.ParseError as error:
            pytest.fail(f"{file.relative_to(ROOT)}: browsers refuse the figure: {error}")


def test_other_data_are_refused() -> None:
    with pytest.raises(ValueError, match="ackclock-figure/1"):
        figure_svg({"schema": "ackclock-league/2"})


def test_what_is_drawn_is_not_drawn_again_until_its_data_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = tmp_path / "published"
    published.mkdir()
    monkeypatch.setattr(figures, "PUBLISHED", published)
    monkeypatch.setattr(figures, "CACHE", tmp_path / "cache")
    figures.keys.cache_clear()
    try:
        (published / "mine.json").write_text(written(data_of(sample())), encoding="utf-8")
        first = figures.drawn("mine")
        made = first.stat().st_mtime_ns
        assert figures.drawn("mine").stat().st_mtime_ns == made
        (published / "mine.json").write_text(
            written(data_of(sample()) | {"title": "other"}), encoding="utf-8"
        )
        assert "<title>other</title>" in figures.drawn("mine").read_text(encoding="utf-8")
        with pytest.raises(InputError, match='did you mean "mine"'):
            figures.drawn("mina")
    finally:
        figures.keys.cache_clear()


def tracked(*patterns: str) -> list[Path]:
    done = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("an exported tree has no list of files")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_what_is_published_stays_small() -> None:
    size = sum(file.stat().st_size for file in tracked("published"))
    assert size <= MOST_BYTES, "round what is published, and store nothing twice"


def test_pictures_are_kept_for_the_readme_and_the_gallery_alone() -> None:
    pictures = tracked(*(f"published/**.{kind}" for kind in ("svg", "png", "webp", "pdf")))
    assert 0 < len(pictures) <= MOST_PICTURES, "the documentation draws figures from their data"
