"""The waterfall of a page: what is drawn is when each object was found, asked for, begun and complete."""

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.report import charts, waterfall
from ackclock.report.experience import experience_views
from ackclock.report.series_reader import FLOWS_SHOWN
from ackclock.report.time_figures import time_figures

PAGES = ("http1", "http2", "http3")


@pytest.fixture(scope="module")
def race() -> ackclock.Comparison:
    return ackclock.compare(["sack"], "page-load")


def test_the_phases_of_an_object_follow_each_other(race: ackclock.Comparison) -> None:
    pages = waterfall.waterfalls(race)
    assert tuple(page.user for page in pages) == PAGES
    for page in pages:
        found, asked, arrived = ((low, high) for *_, low, high in page.phases)
        for low, high in (found, asked, arrived):
            assert np.all(high >= low)
        assert np.all(np.diff(found[0]) >= 0), "lines are in the order in which objects are found"
        assert page.load_s == arrived[1].max()


def test_only_a_pool_lets_objects_wait_for_a_connection(race: ackclock.Comparison) -> None:
    """Beyond the handshake, for which every document waits over TCP."""
    waits = {page.user: (page.phases[0][3] - page.phases[0][2])[1:] for page in waterfall.waterfalls(race)}
    assert np.all(waits["http2"] == 0)
    assert np.all(waits["http3"] == 0)
    assert waits["http1"].max() > 0.06, "longer than a round trip"


def test_figure_and_charts_have_axes_units_and_a_legend(race: ackclock.Comparison) -> None:
    pages = waterfall.waterfalls(race)
    figure = race.plot("waterfall")
    assert [axis.get_title(loc="left").split(",")[0] for axis in figure.axes] == [*PAGES]
    assert figure.axes[-1].get_xlabel() == "time from the request for the page [s]"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "waits for a connection", "asked for", "arrives",
    ]  # fmt: skip
    for chart in waterfall.charts(pages):
        assert chart["legend"]
        assert "objects" in str(chart["alternative"])


def test_each_group_of_users_has_its_load_times(race: ackclock.Comparison) -> None:
    (view,) = [view for view in experience_views(race) if view.title == "Pages"]
    assert [row[0].text for row in view.rows] == sorted(PAGES, key=lambda user: load_s(race, user))
    heads = [heading for heading, _ in view.columns]
    shown = {row[0].text: float(row[heads.index("Longest")].text) for row in view.rows}
    assert shown == {user: pytest.approx(load_s(race, user), abs=0.005) for user in PAGES}


def load_s(race: ackclock.Comparison, user: str) -> float:
    """The load time of a user's only page, from the tables of the run."""
    (number,) = race.results[0].users.filter(pl.col("name") == user)["user"]
    (page,) = race.results[0].pages.filter(pl.col("user") == number).iter_rows(named=True)
    return float(page["finish_s"] - page["start_s"])


def test_runs_without_browsers_have_no_waterfall() -> None:
    race = ackclock.compare(["sack"], "fast-open")
    assert waterfall.waterfalls(race) == ()


def test_connections_of_pages_have_no_fairness(race: ackclock.Comparison) -> None:
    """Six connections carry one page, and one carries another: equal goodputs are not what is asked for."""
    assert "fairness" not in race.summary["metric"].to_list()


def test_curves_show_every_version_and_end_with_the_last_page(race: ackclock.Comparison) -> None:
    """Eight connections, of which six are HTTP/1.1's; the run goes on for 30 s, the pages for some five."""
    series = ackclock.replicate("page-load", series=True)
    drawn = {figure.quantity.key: figure for figure in time_figures(series)}
    names = [curve.label for curve in drawn["window"].panels[0].curves]
    assert len(names) == FLOWS_SHOWN
    assert {name.partition(".")[0] for name in names} == set(PAGES)
    assert "6 of 8 TCP flows" in drawn["window"].note
    last_s = max(load_s(race, user) for user in PAGES)
    (rates,) = drawn["goodput-over-time"].panels
    for chart in charts.charts(series):
        if chart.key in ("window", "goodput-over-time", "queue"):
            assert last_s < chart.charts[0]["x"]["range"][1] < last_s + 1  # type: ignore[index]
    assert max(curve.time[-1] for curve in rates.curves) < last_s + 1
    # What is shown is all that was delivered.
    width = rates.curves[0].time[1] - rates.curves[0].time[0]
    (http2,) = (curve for curve in rates.curves if curve.label.startswith("http2"))
    unit = {"kbit/s": 1e3, "Mbit/s": 1e6}[drawn["goodput-over-time"].quantity.unit]
    delivered = series.results[0].flows.filter(pl.col("name") == "http2.1")["bytes_delivered"][0]
    assert np.nansum(http2.value) * unit * width / 8 == pytest.approx(delivered, rel=0.02)
