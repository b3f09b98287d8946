"""The map in a sweep's report: its numbers, and what a reader does with it in a browser."""

import json
import re
import subprocess
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ackclock
from ackclock.sweeps.map_data import map_data

BUFFER = "topology.dumbbell.bottleneck.buffer"
PLAN = {
    "name": "map",
    "scenario": "two-megabit",
    "algorithms": ["sack+reno", "rack+cubic"],
    "seeds": 2,
    "settings": {"duration": "2 s", "warm_up": "0 s"},
    "grid": {
        BUFFER: ["2 packets", "4 packets", "8 packets"],
        "tcp.initial_window": ["1 packets", "2 packets", "4 packets", "8 packets"],
        "tcp.segments_per_ack": [1, 2],
    },
}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> ackclock.Sweep:
    return ackclock.sweep(PLAN, tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def report(done: ackclock.Sweep, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return done.save(tmp_path_factory.mktemp("saved") / "map") / "report.html"


def test_every_mean_has_its_place(done: ackclock.Sweep) -> None:
    found: Any = map_data(done)
    assert [axis["title"] for axis in found["axes"]] == ["initial window", "buffer", "segments per ack"]
    assert [axis["unit"] for axis in found["axes"]] == ["packets", "packets", ""]
    (shares,) = (metric for metric in found["metrics"] if metric["title"] == "Utilisation")
    cell = done.summary.row(
        by_predicate=(pl.col("metric") == "utilisation")
        & (pl.col("label") == list(done.plan.algorithms)[1])
        & (pl.col("tcp.segments_per_ack") == 2)
        & (pl.col(BUFFER) == "8 packets")
        & (pl.col("tcp.initial_window") == "4 packets"),
        named=True,
    )
    place = ((2 * 3 + 2) * 2 + 1) * 2 + 1
    mean, half = 100 * cell["mean"], 50 * (cell["high"] - cell["low"])
    assert shares["mean"][place] == round(mean, shares["decimals"][place])
    assert shares["half"][place] == round(half, shares["decimals"][place])
    assert shares["seeds"][place] == 2
    assert len(shares["mean"]) == 4 * 3 * 2 * 2


def test_a_mean_is_rounded_once(done: ackclock.Sweep) -> None:
    """Six digits of 19.3544608 are 19.3545, and three decimals of those 19.355."""
    apart = pl.when(pl.col("seed") == 1).then(-1652.8).otherwise(1652.8)
    runs = done.runs.with_columns(goodput_bit_per_s=19354460.8 + apart)
    found: Any = map_data(replace(done, runs=runs))
    goodput = next(each for each in found["metrics"] if each["title"] == "Goodput")
    assert (goodput["mean"][0], goodput["half"][0], goodput["decimals"][0]) == (19.354, 0.021, 3)


def test_one_axis_has_no_map(tmp_path: Path) -> None:
    plan = {**PLAN, "grid": {BUFFER: ["2 packets", "4 packets"]}}
    assert map_data(ackclock.sweep(plan, tmp_path)) is None


STEPS = r"""
const seen = {};
const all = (chosen) => [...document.querySelectorAll(chosen)];
const cells = () => all("#map td[data-x]");
const press = (key, more = {}) =>
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
const choose = (name, value) => {
  const list = all(`#map [name="${name}"]`)[0];
  list.value = String(value);
  list.dispatchEvent(new Event("change"));
};
const readout = () => all('#map [data-part="readout"] b')[0].textContent;
const columns = () => all("#map figure")[0].querySelectorAll("tfoot th").length;
const rows = () => all("#map figure")[0].querySelectorAll("tbody tr").length;

seen.cells = cells().length;
seen.tabs = all('#map td[tabindex="0"]').length;
seen.values = all("#map td b").filter((text) => text.offsetWidth > 0).length;
all('#map td[tabindex="0"]')[0].focus();
seen.first = readout();
press("ArrowRight"); press("ArrowUp");
seen.moved = readout();
press("ArrowRight", { shiftKey: true }); press("ArrowUp", { shiftKey: true });
seen.marked = all("#map td.marked").length;
press("Enter");
seen.closer = [columns(), rows()];
seen.focus = document.activeElement.tagName;
press("ArrowRight");
seen.panned = [readout(), columns()];
press("Escape");
seen.whole = [columns(), rows()];
choose("metric", 1);
seen.metric = all("#map table")[0].getAttribute("aria-label");
choose("axis-2", 1);
seen.slice = readout();
choose("up", 2);
seen.up = rows();
all('#map [name="algorithm-0"]')[0].click();
seen.panels = all("#map figure").length;
choose("across-from", 2);
seen.from = columns();
const from = cells()[0], to = cells()[1];
from.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, button: 0, pointerType: "mouse" }));
to.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" }));
to.dispatchEvent(new PointerEvent("pointerup", { bubbles: true, pointerType: "mouse" }));
seen.dragged = [columns(), rows()];
seen.numbers = all('#map [data-part="numbers"] tbody tr').length;
all('#map [name="everything"]')[0].click();
seen.everything = [columns(), rows()];
document.body.dataset.seen = JSON.stringify(seen);
"""


def test_a_reader_moves_zooms_and_chooses(report: Path, chromium: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    watch = "<script>addEventListener('error', (e) => document.body.dataset.failed = e.message)</script>"
    steps = f"<script>addEventListener('load', () => {{ {STEPS} }});</script>"
    # Before the page's policy, which refuses other scripts and holds for all that comes after it.
    text = report.read_text(encoding="utf-8").replace("<head>", f"<head>{watch}{steps}", 1)
    page.write_text(text, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000", "--dump-dom"]
    shown = subprocess.run(
        [chromium, *options, f"--user-data-dir={tmp_path}/profile", "--window-size=1200,900", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout  # fmt: skip
    assert "data-failed" not in shown
    told = re.search(r'data-seen="(.*?)"', shown)
    assert told is not None, "the steps did not come to their end"
    assert json.loads(unescape(told[1])) == {
        "cells": 4 * 3 * 2,
        "tabs": 1,
        "values": 4 * 3 * 2,
        "first": "initial window 1 packets, buffer 2 packets, segments per ack 1",
        "moved": "initial window 2 packets, buffer 4 packets, segments per ack 1",
        "marked": 2 * 2 * 2,
        "closer": [2, 2],
        "focus": "TD",
        "panned": ["initial window 8 packets, buffer 8 packets, segments per ack 1", 2],
        "whole": [4, 3],
        "metric": "sack+reno: Utilisation",
        "slice": "initial window 8 packets, buffer 8 packets, segments per ack 2",
        "up": 2,
        "panels": 1,
        "from": 2,
        "dragged": [2, 1],
        "numbers": 2,
        "everything": [4, 2],
    }
