"""The simulator held to theory and to standards: the quick form of every check."""

import math
import shutil
from pathlib import Path

import pytest

from ackclock.measures.statistics import mean_interval
from ackclock.measures.verdict import Verdict
from verification.__main__ import main, save
from verification.checks import CHECKS, determinism, queueing, run_check, sawtooth
from verification.checks.runs import simulate


@pytest.mark.parametrize("check", CHECKS)
def test_every_comparison_holds(check: str, tmp_path: Path) -> None:
    report = run_check(check, quick=True)
    failed = [
        f"{verdict.what}: {verdict.finding}, not {verdict.expectation}"
        for verdict in report.verdicts
        if not verdict.holds
    ]
    assert not failed
    assert report.holds
    save(report, tmp_path)
    for kind in ("svg", "png"):
        picture = (tmp_path / f"{check}.{kind}").read_bytes()
        assert b"ackclock" in picture, "says where it comes from"


@pytest.mark.skipif(shutil.which("cargo") is None, reason="compares with a debug build, and there is no Rust")
def test_debug_and_release_builds_give_equal_bytes() -> None:
    for seed in (1, 2, 3):
        settings = determinism.settings(seed)
        assert determinism.fingerprint(simulate(settings)) == determinism.debug_fingerprint(settings)


def test_a_comparison_can_fail() -> None:
    assert Verdict.near("x", 1.1, 1.0, 0.2).holds
    assert not Verdict.near("x", 1.3, 1.0, 0.2).holds
    assert not Verdict.near("x", math.nan, 1.0, 0.2).holds
    assert not Verdict.near("x", 1.0, 1.1, 0.0).holds
    assert not Verdict.within("x", 3.0, 0, 2).holds
    assert not Verdict.within("x", 3.0, -math.inf, 2).holds
    assert not Verdict.within("x", 1.0, 2, math.inf).holds
    assert not Verdict.within("x", math.nan, 0, math.inf).holds
    assert not Verdict.each_within("x", [1.0, 2.0], [0.9, 2.1], [1.1, 2.2]).holds
    assert not Verdict.each_within("x", [1.0], [0.9, 1.9], [1.1, 2.1]).holds
    assert not Verdict.same("x", [1, 2], [2, 1]).holds
    assert not Verdict.agrees("x", mean_interval([1.0, 1.1, 0.9], 0.999), 5.0).holds


def test_the_theory_is_the_textbooks() -> None:
    """Against values that stand in books: Erlang's loss formula, Little's law, one BDP."""
    assert queueing.finite_queue(1.0, 1) == pytest.approx((0.5, 0.0))
    assert queueing.finite_queue(0.25, 1)[0] == pytest.approx(0.2)
    loss, waiting = queueing.finite_queue(0.5, 60)
    assert loss < 1e-9
    assert waiting == pytest.approx(0.5 * queueing.pollaczek_khinchine(0.5)), "Little's law"
    assert sawtooth.utilisation(0) == pytest.approx(0.75)
    assert sawtooth.utilisation(1) == pytest.approx(1)


def test_an_unknown_check_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--quick", "sawteeth"])
    assert stopped.value.code == 2
    assert "sawteeth" in capsys.readouterr().err
