"""The comparison with other simulators: measures on windows made by hand, and that it runs without them."""

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest

from verification.comparisons.high_speed.__main__ import main
from verification.comparisons.high_speed.dumbbell import ALGORITHMS, FAST, STEP_S, Algorithm, Dumbbell
from verification.comparisons.high_speed.measures import Growth, Sharing, kept, stretches
from verification.comparisons.high_speed.simulators import Trace, ns2, ours

DUMBBELL = Dumbbell("hand", "by hand", 12_000_000, 20, 8.0, delay_s=0.05)
"""A thousand packets per second, a round trip of 0.1 s."""


def sawtooth(low: float, high: float, per_s: float) -> Trace:
    """Two flows that rise from `low` to `high` and fall back, the second one never; with no queue."""
    time = np.arange(0, DUMBBELL.end_s, STEP_S)
    period = (high - low) / per_s
    tooth = low + per_s * (time % period)
    ssthresh = np.where(time < period, 1e9, low + 1e-9 * (time // period))
    flat = np.full_like(time, 7.0)
    return Trace(
        time,
        np.column_stack([tooth, flat]),
        np.column_stack([ssthresh, np.full_like(time, np.inf)]),
        np.column_stack([600 * time, 200 * time]),
        np.zeros_like(time),
        8 * time,
        "2000-01-01",
    )


def test_growth_and_back_off_are_read_off_a_sawtooth() -> None:
    trace = sawtooth(50, 100, 25)
    parts = stretches(trace)
    assert [round(part.begin_s) for part in parts] == [2, 4, 6]
    assert kept(parts) == pytest.approx((0.5, 0.5), rel=0.01)
    # 25 packets per second, ten round trips per second.
    assert Growth.of(parts, DUMBBELL, 0.5).at(1) == pytest.approx(2.5)
    assert Growth.of(parts, DUMBBELL, 0.5).around(80) == pytest.approx(2.5)
    assert np.isnan(Growth.of(parts, DUMBBELL, 0.5).at(4)), "no tooth lasts so long"


def test_a_cut_to_the_same_threshold_is_a_cut() -> None:
    trace = sawtooth(50, 100, 25)
    trace.ssthresh[trace.time >= 2, 0] = 50
    assert len(stretches(trace)) == 3


@pytest.mark.skipif(shutil.which("ns") is None, reason="compares with ns-2, and there is none")
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.key)
def test_ours_with_linuxs_parameters_come_near_linux_in_ns2(algorithm: Algorithm) -> None:
    """The fraction kept agrees within a twentieth, growth within a sixth or Linux's truncation of H-TCP's."""
    dumbbell = FAST.shorter(24)
    parts = [stretches(ours("rack", dumbbell, algorithm.ours[-1])), stretches(ns2(dumbbell, algorithm))]
    # The upper quartile: Linux's H-TCP keeps a half more often.
    mine, linux = (kept(found)[1] for found in parts)
    assert mine == pytest.approx(linux, rel=0.05)
    if algorithm.key == "htcp":
        begun = [[part for part in found if part.flow == 0 and part.begin_s < 2] for found in parts]
        mine, linux = (Growth.of(found, dumbbell, 0.5).at(4) for found in begun)
        assert 0.8 * mine < linux < mine
    elif algorithm.key == "bic":
        mine, linux = (float(np.quantile(Growth.of(found, dumbbell, 0.5).gain, 0.1)) for found in parts)
        assert mine == pytest.approx(linux, rel=1 / 6)
    else:
        mine, linux = (Growth.of(found, dumbbell, 0.1).per_packet() for found in parts)
        assert mine == pytest.approx(linux, rel=1 / 6)


def test_shares_are_of_what_is_delivered() -> None:
    shares = Sharing.of(sawtooth(50, 100, 25), DUMBBELL)
    assert shares.goodput == pytest.approx(0.8)
    assert shares.jain == pytest.approx(0.8), "(3 + 1)^2 / (2 (9 + 1))"
    assert shares.loss == pytest.approx(0.01)
    assert shares.windows == pytest.approx((75, 7), rel=0.01)


def test_simulators_that_are_missing_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert main(["--quick", "--folder", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert "ns-2 is not installed" in said
    assert "ns-3 or a compiler is not installed" in said
    rows = list(csv.DictReader((tmp_path / "fast.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["algorithm"] for row in rows} == {"H-TCP", "BIC", "HSTCP", "Scalable"}
    assert {row["run"] for row in rows}.isdisjoint({"ns-2", "ns-3"})
    # The fraction kept is that of the papers, independent of other events in a few seconds.
    found = {row["run"]: row["kept"] for row in rows}
    assert found["scalable"].startswith("0.8")
    assert found["bic"] == "0.80"
