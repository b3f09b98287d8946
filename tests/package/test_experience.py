"""What calls, films, pages and users say of a person, in the same columns."""

import math
from pathlib import Path

import polars as pl
import pytest

import ackclock
from ackclock import Result
from ackclock.columns import EXPERIENCE, TABLES
from ackclock.report.charts import charts
from ackclock.report.experience import experience_document, experience_views
from ackclock.report.tables import summary_view
from ackclock.runs.result import Comparison

TABLES_OF_PEOPLE = ("calls", "films", "pages", "users")

READER = {"name": "reader", "page": "small", "backward": True, "start": "1 s"}

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
        READER,
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


@pytest.fixture(scope="module")
def race() -> Comparison:
    """The first command of the documentation, with half of its algorithms and another group of calls."""
    return ackclock.compare(["cubic", "copa"], "call-beside-download", seeds=2)


def test_the_first_comparison_says_what_a_download_does_to_a_call(race: Comparison) -> None:
    """CUBIC fills the buffer of 250 ms behind 20 ms of propagation; Copa keeps some packets in it."""
    (head, unit), *_ = summary_view(race).columns[1:]
    assert (head, unit) == ("Call delay, 95 %", "ms")
    found = {row["label"]: row["mean"] for row in race.summary.filter(metric="call_delay_s").to_dicts()}
    assert 0.2 < found["cubic"] <= 0.27 + 0.001
    assert found["copa"] < 0.05
    cubic = race.table("calls").filter(label="cubic", seed=1)
    assert race.runs.filter(label="cubic", seed=1)["call_delay_s"][0] == cubic["delay_p95_s"].max()
    assert race.runs["call_freezes"].is_nan().all(), "datagrams have no picture that freezes"


def test_a_comparison_has_the_calls_of_each_competitor_in_neighbouring_lines(race: Comparison) -> None:
    (view,) = (each for each in experience_views(race) if each.title == "Calls")
    assert [row[0].text for row in view.rows][:3] == ["hear, cubic", "hear, copa", "speak, cubic"]
    heads = [head for head, _ in view.columns]
    assert "Freezes" not in heads, "datagrams of a constant rate have no picture"
    assert "Ramp-up" not in heads, "nor a rate to ramp up to"
    assert "±" in view.rows[0][heads.index("95 %")].text


def test_the_document_has_the_numbers_of_the_table(race: Comparison) -> None:
    calls = experience_document(race)["calls"]
    (see,) = (each for each in calls if (each["label"], each["name"]) == ("cubic", "see"))
    flow = race.result("cubic").flows.filter(name="see")["flow"][0]
    mine = race.table("calls").filter(label="cubic", flow=flow)["delay_p95_s"]
    assert see["delay_p95_s"]["mean"] == pytest.approx(mine.mean())
    assert see["delay_p95_s"]["n"] == 2
    assert see["longest_stall_s"] is None


def test_calls_of_a_group_are_averaged_and_pages_counted_in_a_comparison() -> None:
    calls = {"name": "call", "algorithm": "gcc", "start": "1 s", "count": 2}
    table = {**SCENARIO, "flow": [READER], "call": [calls]}
    race = ackclock.compare(["reno", "cubic"], table)
    found = experience_document(race)
    (one, other) = found["calls"]
    assert (one["label"], one["name"], other["label"]) == ("reno", "call", "cubic")
    each = race.table("calls").filter(label="reno")["rate_bit_per_s"]
    assert each.len() == 2
    assert one["rate_bit_per_s"]["mean"] == pytest.approx(each.mean())
    assert one["stalls"]["mean"] == race.runs.filter(label="reno")["call_freezes"][0] / 2
    assert [page["name"] for page in found["pages"]] == ["reader", "reader"]
    (view,) = (each for each in experience_views(race) if each.title == "Pages")
    assert [row[0].text for row in view.rows] == ["reno", "cubic"]
    assert "Stalled: " in view.note


def test_pages_are_in_the_order_of_their_groups_and_not_of_their_arrival() -> None:
    """The page over HTTP/2 is the first to be there."""
    (view,) = (
        each for each in experience_views(ackclock.replicate("page-load", seeds=1)) if each.title == "Pages"
    )
    assert [row[0].text for row in view.rows] == ["http1", "http2", "http3"]


def test_requests_of_a_group_are_counted_together_in_a_comparison() -> None:
    asks = {
        "name": "web",
        "count": 2,
        "request": {"size": {"constant": "1 packet"}},
        "response": {"size": {"constant": "5 packets"}},
    }
    race = ackclock.compare(["reno", "cubic"], {**SCENARIO, "duration": "5 s", "flow": [asks], "call": []})
    (one, other) = experience_document(race)["requests"]
    assert (one["name"], one["label"], other["label"]) == ("web", "reno", "cubic")
    assert one["count"]["mean"] == race.result("reno").responses.height
    assert race.result("reno").responses["flow"].n_unique() == 2


def test_the_first_charts_of_a_comparison_are_of_people(race: Comparison) -> None:
    first = charts(race)[0]
    assert first.key == "people"
    names = [chart["y"]["name"] for chart in first.charts]  # type: ignore[index]
    # Datagrams do not freeze, and a chart of nothing but zeros says nothing.
    assert names == ["call delay, 95 %", "call loss"]
    assert race.runs["call_loss_share"].max() > 0  # type: ignore[operator]
