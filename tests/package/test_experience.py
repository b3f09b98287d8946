"""What calls, films, pages and users say of a person, in the same columns."""

import math
from pathlib import Path

import polars as pl
import pytest

import ackclock
from ackclock import Result
from ackclock.columns import EXPERIENCE, TABLES

TABLES_OF_PEOPLE = ("calls", "films", "pages", "users")

SCENARIO = {
    "name": "people",
    "duration": "30 s",
    "topology": {
        "dumbbell": {
            "pairs": 4,
            "bottleneck": {"rate": "3 Mbit/s", "delay": "20 ms", "buffer": "100 ms"},
            "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        }
    },
    "flow": [
        {"name": "film", "film": {"length": "20 s", "buffer": "12 s"}, "start": "2 s"},
        {"name": "reader", "page": "small", "backward": True, "start": "1 s"},
        {"name": "pool", "pool": {"connections": 2}, "size": {"constant": "30 packets"}, "start": "3 s"},
    ],
    "call": [{"name": "call", "algorithm": "gcc", "start": "1 s", "stop": "20 s"}],
}


@pytest.fixture(scope="module")
def result() -> Result:
    return ackclock.run(SCENARIO)


@pytest.mark.parametrize("name", TABLES_OF_PEOPLE)
def test_the_tables_begin_alike(result: Result, name: str) -> None:
    who, *columns = (each for each in result.tables[name].columns if each not in ("label", "seed", "name"))
    assert who in ("flow", "user")
    assert tuple(columns[: len(EXPERIENCE)]) == EXPERIENCE
    declared = [each for each in TABLES[name].columns if each not in (who, "name")]
    assert tuple(declared[: len(EXPERIENCE)]) == EXPERIENCE


def test_the_tables_can_be_put_below_each_other(result: Result) -> None:
    tables = [
        result.tables[name].select(pl.lit(name).alias("of"), *EXPERIENCE) for name in ("calls", "films")
    ]
    assert pl.concat(tables)["of"].to_list() == ["calls", "films"]
    assert {"rate_bit_per_s"} <= set(result.calls.columns) & set(result.films.columns)


def test_the_page_of_results_names_the_columns() -> None:
    text = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
    section = text.partition("### What people notice")[2].partition("### ")[0]
    assert all(f"`{column}`" in section for column in (*EXPERIENCE, *TABLES_OF_PEOPLE[:2]))


def test_a_call_lasts_until_it_stops(result: Result) -> None:
    assert result.calls["start_s", "finish_s"].row(0) == (1.0, 20.0)
    assert result.calls["waited_s"].to_list() == result.calls["stall_s"].to_list()


def test_a_film_is_over_when_all_of_it_is_seen(result: Result) -> None:
    """20 s of film, and what the viewer waits for it."""
    film = result.films.row(0, named=True)
    assert film["start_s"] == 2
    assert film["waited_s"] == pytest.approx(film["startup_s"] + film["stall_s"], abs=1e-9)
    assert film["finish_s"] == pytest.approx(2 + 20 + film["waited_s"], abs=1e-6)


def test_a_user_waits_for_all_pages(result: Result) -> None:
    pages = result.pages.filter(pl.col("user") == 0)
    user = result.users.row(0, named=True)
    assert pages["waited_s"].sum() == pytest.approx(user["waited_s"])
    assert pages["waited_s"][0] == pytest.approx(pages["finish_s"][0] - 1, abs=1e-9)
    assert user["finish_s"] == pages["finish_s"][-1]
    assert user["start_s"] == 1


def test_a_user_whose_page_is_under_way_has_not_finished() -> None:
    flow = {"page": "median-desktop", "backward": True, "think": {"constant": "1 s"}}
    cut = ackclock.run({**SCENARIO, "flow": [flow], "call": []})
    assert math.isnan(cut.pages["finish_s"][-1])
    assert math.isnan(cut.users["finish_s"][0])
    assert cut.users["waited_s"][0] == pytest.approx(cut.pages["waited_s"].sum())
