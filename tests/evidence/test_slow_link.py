"""A slow link: its plans agree, its tables have every row, and the page divides rightly."""

import csv
import json

import numpy as np
import polars as pl
import pytest

from ackclock.sweeps.plan import load_plan
from verification.comparisons.publication import folder
from verification.comparisons.slow_link.__main__ import PLANS, REPOSITORY, TODAY, USERS, by_link

PAGE = (REPOSITORY / "docs" / "slow-link.md").read_text(encoding="utf-8")


def values(plan: str, axis: str) -> list[str]:
    """The values of an axis."""
    (found,) = (each for each in load_plan(PLANS / f"{plan}.toml").axes if each.name == axis)
    return [str(value) for value, _ in found.values]


def test_both_plans_have_the_same_senders_and_gateways() -> None:
    one, links = (
        {each.name: dict(each.values) for each in load_plan(PLANS / f"{name}.toml").axes}
        for name in ("plan", "links")
    )
    for axis in ("sender", "gateway"):
        assert links[axis].items() <= one[axis].items()
    assert TODAY in links["sender"]


def test_a_page_has_the_bytes_that_the_page_says() -> None:
    """60 kB in ten seconds are 48 kbit/s for each user; the page divides rates by it."""
    scenario = json.loads(load_plan(PLANS / "plan.toml").scenario.to_json())
    size = scenario["flow"][0]["size"]["lognormal"]
    median = float(size["median"].removesuffix(" packets"))
    packets = np.ceil(np.random.default_rng(1).lognormal(np.log(median), size["sigma"], 200_000))
    mean_objects = np.arange(1, 16).mean()
    assert mean_objects * packets.mean() * 1448 == pytest.approx(60e3, rel=0.03)
    for rate, users in ((512, 11), (2000, 42), (10_000, 208)):
        assert round(rate / 48) == users
        assert f"{users}" in PAGE


def test_tables_have_every_gateway_and_sender() -> None:
    rows: list[list[str]] = []
    for file in ("gateways.csv", "senders.csv"):
        with (folder("slow-link") / file).open(encoding="utf-8", newline="") as opened:
            rows = list(csv.reader(opened))
        assert [row[0] for row in rows[1:]] == values("plan", "gateway")
        assert f"slow-link/{file}" in PAGE
    assert rows[0][1:] == values("plan", "sender")


def test_a_cell_has_load_time_stall_and_share() -> None:
    runs = pl.DataFrame(
        [
            {
                "sender": TODAY,
                "rate": "1 Mbit/s",
                "gateway": "CoDel",
                USERS: users,
                "page_median_s": time,
                "longest_stall_s": 3.25,
                "finished_share": 0.5,
            }
            for users, time in ((500, 80.0), (500, 82.0), (20, 1.04))
        ]
    )
    assert by_link(runs) == [
        ["sender", "rate", "users", "CoDel"],
        [TODAY, "1 Mbit/s", "20", "1.0 / 3.2 (50)"],
        [TODAY, "1 Mbit/s", "500", "81 / 3.2 (50)"],
    ]
