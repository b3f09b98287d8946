"""The walk from an idea to a paper, from its page alone."""

import re
import zlib
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "from-idea-to-paper.md"
INCH = 72.0


def test_the_page_gives_a_figure_and_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    algorithm, experiment = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in (algorithm + experiment).splitlines() if line.strip()]) <= 20
    assert len([line for line in experiment.splitlines() if line.strip()]) < 15
    Path("quarter.py").write_text(algorithm)
    exec(compile(experiment, str(PAGE), "exec"), {})  # noqa: S102 - our own page
    for name in ("goodput.pdf", "delay.pdf", "results/race/figures/goodput.pdf"):
        pdf = Path(name).read_bytes()
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", pdf)
        assert box is not None
        assert float(box[1]) == pytest.approx(3.5 * INCH, abs=0.5)
        assert b"/Type3" not in pdf
        assert any(b"BT" in content for content in contents(pdf))
    table = Path("race.tex").read_text(encoding="utf-8")
    assert [row.partition(" &")[0] for row in table.splitlines() if row.count(r"$\pm$") > 1] == [
        "quarter",
        "cubic",
        "bbr3",
    ]
    assert list(Path("results/race/algorithms").rglob("quarter.py"))


def contents(pdf: bytes) -> list[bytes]:
    """The streams of a PDF file."""
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        try:
            found.append(zlib.decompress(stream))
        except zlib.error:
            continue
    return found
