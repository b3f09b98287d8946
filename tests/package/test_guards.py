"""Guards for continuous integration: thresholds, a baseline with a tolerance, and papers judged strictly."""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ackclock
from ackclock.cli import main
from ackclock.errors import InputError
from ackclock.measures.guards import against_baseline, read_guard, read_tolerance

REPOSITORY = Path(__file__).resolve().parents[2]
RUN = ["--scenario", "two-megabit", "--no-report", "--duration", "6 s"]

MINE = """
class Mine:
    \"\"\"AIMD with a window that is never below `floor`.\"\"\"

    floor = 2.0

    def __init__(self, start):
        self.cwnd = start.initial_window

    def on_ack(self, ack):
        if ack.may_grow:
            self.cwnd += ack.delivered / self.cwnd

    def on_congestion(self, event):
        self.cwnd = 1.0 if event.restart else max(self.cwnd / 2, self.floor)
"""


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ackclock", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, said.err

    return run


def summary(**means: float) -> pl.DataFrame:
    rows = [{"label": "a", "metric": key, "n": 3, "mean": value} for key, value in means.items()]
    return pl.DataFrame(rows)


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("a.fairness < 0.9", True),
        ("a.fairness < 0.89", False),
        ("fairness <= 0.89", True),
        ("a.goodput < 5 Mbit/s", True),
        ("a.goodput < 5 Mbps", True),
        ("a.goodput < 4000 kbps", False),
        ("a.goodput_bit_per_s < 4000000", False),
        ("a.goodput > 3.9Mbit/s", True),
        ("mean_rtt > 40 ms", True),
        ("mean_rtt > 0.05", False),
        ("a.loss >= 2 %", True),
        ("a.loss > 2%", False),
    ],
)
def test_conditions_have_units_and_labels(text: str, fails: bool) -> None:
    means = summary(fairness=0.89, goodput_bit_per_s=4e6, mean_rtt_s=0.045, loss_share=0.02)
    assert bool(read_guard(text).findings(means, ["a"])) == fails


def test_a_finding_tells_its_value_from_the_threshold() -> None:
    (line,) = read_guard("a.fairness < 0.9").findings(summary(fairness=0.899996), ["a"])
    assert line == "a.fairness < 0.9: a has 0.899996"
    (far,) = read_guard("a.goodput < 10 Gbit/s").findings(summary(goodput_bit_per_s=240e6), ["a"])
    assert far == "a.goodput < 10 Gbit/s: a has 240.0 Mbit/s"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.fairnes < 0.9", 'no metric is named "fairnes"; did you mean "fairness"'),
        ("a.fairness", "no condition; expected a label, a metric"),
        ("a.goodput < 5 Mb", 'goodput: found "5 Mb"; expected "bit/s", "kbit/s"'),
        ("a.fairness < 9 %", 'fairness: found "9 %"; it has no unit'),
        ("a.timeouts < few", 'timeouts: "few" is no number'),
    ],
)
def test_a_wrong_condition_is_explained(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_guard(text)


def test_labels_and_metrics_that_are_not_there() -> None:
    with pytest.raises(InputError, match='no label is named "b"'):
        read_guard("b.fairness < 0.9").findings(summary(fairness=1.0), ["a"])
    with pytest.raises(InputError, match="a has no fairness in this scenario"):
        read_guard("a.fairness < 0.9").findings(summary(timeouts=1.0), ["a"])


def test_a_tolerance_is_a_share_of_the_larger_mean() -> None:
    old, new = summary(goodput_bit_per_s=100e3, timeouts=0), summary(goodput_bit_per_s=98e3, timeouts=0)
    assert against_baseline(new, ["a"], old, 0.02) == []
    (line,) = against_baseline(new, ["a"], old, 0.019)
    assert line == "a.goodput: 98.0 kbit/s, was 100.0 kbit/s (-2.0%)"
    assert against_baseline(old, ["a"], old, 0.0) == []
    (line,) = against_baseline(summary(goodput_bit_per_s=100e3, timeouts=1), ["a"], old, 0.5)
    assert line == "a.timeouts: 1.0, was 0.0"
    assert read_tolerance("2%") == read_tolerance("2 %") == read_tolerance("0.02") == 0.02
    with pytest.raises(InputError, match="expected a share of at least 0"):
        read_tolerance("-2%")


def test_an_engineer_guards_an_algorithm_in_ci(command: Any) -> None:
    """A threshold that holds, a change of the algorithm, the threshold broken, the change seen."""
    Path("mine.py").write_text(MINE)
    guarded = ["compare", "cubic", "mine.py:Mine", "-s", "lossy-link", "--seeds", "3", "--no-report"]
    code, out, err = command(*guarded, "--fail-if", "mine.goodput < 1.2 Mbit/s", "-o", "known")
    assert (code, err) == (0, "")
    label = json.loads(command(*guarded, "--json", "-o", "again")[1])["labels"][1]
    code, _, err = command(*guarded, "-o", "other", "--baseline", "known", "--tolerance", "2%")
    assert (code, err) == (0, "")
    Path("mine.py").write_text(MINE.replace("max(self.cwnd / 2, self.floor)", "1.0"))
    code, out, err = command(
        *guarded, "-o", "other", "--baseline", "known", "--tolerance", "2%",
        "--fail-if", f"{label}.goodput < 1.2 Mbit/s", "--json",
    )  # fmt: skip
    assert code == 1
    lines = [line.partition("failed: ")[2] for line in err.splitlines() if "failed: " in line]
    assert any(line.startswith(f"{label}.goodput < 1.2 Mbit/s: {label} has ") for line in lines)
    assert any(line.startswith(f"{label}.goodput: ") and "was" in line for line in lines)
    assert not any(line.startswith("cubic.") for line in lines)
    assert json.loads(out)["failures"] == lines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fail-if", "speed < 1"], '--fail-if: no metric is named "speed"'),
        (["--baseline", "nowhere"], "nowhere/tables/summary.parquet: no table of a comparison"),
        (["--tolerance", "2%"], "--tolerance is about a baseline"),
        (["--width", "ieee"], 'no width is named "ieee"'),
    ],
)
def test_wrong_options_end_before_anything_runs(command: Any, options: list[str], message: str) -> None:
    code, out, err = command("compare", "sack", "cubic", *RUN, *options)
    assert code == 2
    assert message in err
    assert not out
    assert not Path("results").exists()


def test_a_condition_on_no_label_ends_before_anything_runs(
    command: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ackclock.runs.compare.simulate", None)
    code, _, said = command("compare", "reno", "cubic", *RUN, "--fail-if", "cubci.goodput < 1 Mbit/s")
    assert (code, said) == (2, 'ackclock: --fail-if: no label is named "cubci"; did you mean "cubic"?\n')


def test_an_output_that_replaces_another_comparison_says_so(command: Any) -> None:
    first = ["compare", "sack", "cubic", *RUN, "-o", "out"]
    assert command(*first)[2] == ""
    assert command(*first)[2] == ""
    _, _, err = command("compare", "sack", "vegas", *RUN, "-o", "out")
    assert err.startswith("ackclock: out held the results of another command, which are replaced: ")
    assert err.endswith(f"{shlex.join(first)}\n")


def test_a_sweep_that_replaces_another_says_so(command: Any, tmp_path: Path) -> None:
    text = 'scenario = "single-flow"\nalgorithms = ["reno"]\nseeds = 1\n'
    text += '[settings]\nduration = "2 s"\nwarm_up = "0 s"\n'
    for name in ("one.toml", "two.toml"):
        (tmp_path / name).write_text(text)
    first = ["sweep", str(tmp_path / "one.toml"), "-o", "out", "--no-report"]
    assert "replace" not in command(*first)[2] + command(*first)[2]
    err = command("sweep", str(tmp_path / "two.toml"), "-o", "out", "--no-report")[2]
    assert "out holds the results of another command, which these will replace: " in err
    assert f"{shlex.join(first)}\n" in err


def test_strict_reproductions_fail_for_what_is_not_reproduced(command: Any) -> None:
    words = (
        "reproduce",
        "tcp-variants",
        "--from",
        str(REPOSITORY / "published/papers/tcp-variants"),
        "--trust",
    )
    relaxed, strict = command(*words), command(*words, "--strict")
    assert relaxed[0] == 0
    failed = [line for line in strict[2].splitlines() if "failed: tcp-variants: " in line]
    verdicts = json.loads(command(*words, "--json")[1])["tally"]["verdicts"]
    assert len(failed) == verdicts["not reproduced"]
    assert strict[0] == (1 if failed else 0)


def test_documents_name_their_schema_and_the_page_describes_it(command: Any) -> None:
    page = (REPOSITORY / "docs" / "json.md").read_text(encoding="utf-8")
    plan = {"name": "p", "scenario": "two-megabit", "seeds": 1, "settings": {"duration": "5 s"}}
    Path("plan.toml").write_text(
        "\n".join(f"{key} = {json.dumps(value)}" for key, value in plan.items() if key != "settings")
        + '\n[settings]\nduration = "5 s"\n'
    )
    found = {
        "ackclock-comparison/1": json.loads(command("compare", "sack", "cubic", *RUN, "--json")[1]),
        "ackclock-sweep/1": json.loads(command("sweep", "plan.toml", "--no-report", "--json")[1]),
        "ackclock-provenance/1": json.loads(Path("results/two-megabit-compare/provenance.json").read_text()),
    }
    for schema, document in found.items():
        assert document["schema"] == schema
        section = page.partition(f"`{schema}`")[2].partition("\n## ")[0]
        for key in document:
            assert f"`{key}`" in section, (schema, key)
    assert "ackclock-reproduction/1" in page
    assert "ackclock-evaluation/1" in page


def test_a_comparison_saved_from_python_is_a_baseline(command: Any) -> None:
    race = ackclock.compare(["sack", "cubic"], "two-megabit", settings={"duration": "6 s"})
    race.save("known", report=False)
    code, _, err = command("compare", "sack", "cubic", *RUN, "-o", "out", "--baseline", "known")
    assert (code, err) == (0, "")
