"""A sweep as an xarray Dataset: its axes are dimensions, and its values those of the runs."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import xarray

import ackclock
from ackclock.errors import InputError

BUFFER = "topology.dumbbell.bottleneck.buffer"
PLAN: dict[str, Any] = {
    "name": "small",
    "scenario": "two-megabit",
    "algorithms": ["newreno", "vegas"],
    "seeds": [7, 3],
    "settings": {"duration": "3 s"},
    "grid": {BUFFER: ["3 packets", "12 packets"]},
    "cases": {"load": {"light": {"flow.0.packets": 20}, "heavy": {"tcp.segments_per_ack": 2}}},
}


def test_axes_algorithms_and_seeds_are_dimensions(tmp_path: Path) -> None:
    done = ackclock.sweep(PLAN, tmp_path)
    found = done.to_xarray()
    assert isinstance(found, xarray.Dataset)
    assert dict(found.sizes) == {BUFFER: 2, "load": 2, "label": 2, "seed": 2}
    assert found["seed"].values.tolist() == [7, 3]
    for row in done.runs.iter_rows(named=True):
        at = found.sel({name: row[name] for name in (BUFFER, "load", "label", "seed")})
        assert float(at["goodput_bit_per_s"]) == row["goodput_bit_per_s"]
        assert np.array_equal(float(at["page_s"]), row["page_s"], equal_nan=True)
    assert found["mean_rtt_s"].attrs == {"units": "s", "long_name": "mean round-trip time over the TCP flows"}
    assert found.attrs["plan"] == "small"


def test_a_run_that_is_missing_is_nan(tmp_path: Path) -> None:
    done = ackclock.sweep(PLAN, tmp_path)
    partial = replace(done, runs=done.runs.head(5), interrupted=True)
    values = partial.to_xarray()["utilisation"]
    assert values.size == done.runs.height == 16
    assert values.values[np.isfinite(values.values)].tolist() == partial.runs["utilisation"].to_list()


def test_points_of_a_design_are_one_dimension(tmp_path: Path) -> None:
    plan = {
        "name": "samples",
        "scenario": "single-flow",
        "algorithms": ["reno"],
        "settings": {"duration": "3 s", "warm_up": "0 s"},
        "design": {"kind": "latin-hypercube", "samples": 4},
        "ranges": {"topology.dumbbell.bottleneck.delay": {"low": "5 ms", "high": "50 ms"}},
    }
    done = ackclock.sweep(plan, tmp_path)
    found = done.to_xarray()
    assert dict(found.sizes) == {"point": 4, "label": 1, "seed": 1}
    delay = "topology.dumbbell.bottleneck.delay"
    assert found[delay].values.tolist() == done.runs.sort("point")[delay].to_list()
    values = found["utilisation"].values[:, 0, 0]
    assert values.tolist() == done.runs.sort(pl.col("point"))["utilisation"].to_list()


def test_its_absence_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = ackclock.sweep({**PLAN, "cases": {}, "seeds": 1}, tmp_path)
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(InputError, match="pip install xarray"):
        done.to_xarray()
