"""Reports of built-in scenarios have what the descriptions promise, and draw nothing that is not so."""

import numpy as np

import ackclock
from ackclock.measures.digits import number
from ackclock.report import tables
from ackclock.report.curves import TimeFigure
from ackclock.report.experience import experience_views
from ackclock.report.page import render
from ackclock.report.time_figures import time_figures
from ackclock.report.topology import facts
from ackclock.runs.result import Comparison
from ackclock.scenarios.load import load_scenario


def run(name: str, duration: str) -> Comparison:
    return ackclock.replicate(name, settings={"duration": duration}, series=True)


def throughput(comparison: Comparison) -> TimeFigure:
    return next(each for each in time_figures(comparison) if each.quantity.key == "goodput-over-time")


def labels(figure: TimeFigure) -> list[str]:
    return [curve.label for curve in figure.panels[0].curves]


def test_a_legend_names_no_call_where_it_has_no_line() -> None:
    figures = {each.quantity.key: labels(each) for each in time_figures(run("rmcat-long-tcp", "6 s"))}
    assert figures["window"] == ["download (newreno)"]
    assert figures["rtt"] == ["download (newreno)", "call (nada)"]


def test_calls_have_their_percentiles() -> None:
    """Before the download begins, a packet of 200 bytes takes 20 ms, and 0.08 ms at 20 Mbit/s."""
    comparison = run("call-beside-download", "11 s")
    (view,) = experience_views(comparison)
    assert view.title == "Calls"
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in view.rows}
    assert rows.keys() == {"hear", "speak", "see", "show"}
    assert rows["hear"][0] == "20.1"
    # 80 kbit/s, less the 20 ms of the last packet's way.
    assert rows["hear"][4:] == ["0.00", "0.0", "79.4"]
    assert "Lost, worst second" in render(comparison)


def test_requests_have_their_times() -> None:
    """Those of requests after the warm-up."""
    comparison = run("rrul", "12 s")
    (view,) = experience_views(comparison)
    responses = comparison.results[0].tables["responses"]
    counted = sum(time >= 10 for time in responses["request_s"])
    assert view.title == "Requests"
    assert [row[0].text for row in view.rows] == ["ping"]
    assert int(view.rows[0][1].text) in (counted - 1, counted)


def test_a_curve_ends_with_its_flow() -> None:
    """The download lasts from 10 to 30 s."""
    comparison = run("call-beside-download", "40 s")
    finish = float(comparison.results[0].flows["finish_s"][0])
    for figure in time_figures(comparison):
        if figure.quantity.key in ("window", "rtt", "in_flight"):
            times = figure.panels[0].curves[0].time
            assert times[0] >= 10
            assert finish - 0.2 < times[-1] <= finish
        if figure.quantity.key == "goodput-over-time":
            assert figure.panels[0].curves[0].time[-1] > 39


def test_the_fair_share_is_of_flows_that_share() -> None:
    """Over a link that changes it changes too; flows with links of their own have none."""
    assert labels(throughput(run("policing", "5 s"))) == ["policed", "shaped"]
    shared = throughput(run("wifi-home", "5 s"))
    assert labels(shared) == ["tcp1", "tcp2", "fair share"]
    assert np.ptp(shared.panels[0].curves[-1].value) > 1
    assert shared.quantity.unit == "Mbit/s"


def test_counts_of_groups_are_of_the_whole_run() -> None:
    view = tables.group_view(run("l4s-home", "12 s"))
    heads = [heading for heading, _ in view.columns]
    assert heads[-3:] == ["Retransmissions†", "Timeouts†", "Flows"]
    assert [row[-2].text for row in view.rows] == ["0", "0"]


def test_a_small_number_beside_large_ones_is_not_zero() -> None:
    assert [number(value, 1) for value in (95.72, 0.016, 0.0, -0.04)] == [
        "95.7",
        "0.016",
        "0.0",
        "-0.040",
    ]
    assert number(1e-9, 1) == "0.0"


def test_the_facts_of_the_network_name_pages_and_films() -> None:
    loads = {name: facts(load_scenario(name)) for name in ("page-load", "film-beside-downloads")}
    assert ("QUIC", "page median-mobile over HTTP/3") in loads["page-load"]
    assert ("TCP", "film by bola") in loads["film-beside-downloads"]


def test_a_flow_with_an_algorithm_of_its_own_is_said_to_keep_it() -> None:
    pages = ackclock.compare(["cubic"], "page-load", settings={"duration": "6 s"})
    assert tables.compared_line(pages).endswith(
        "Flows that name an algorithm keep it: http3 (rfc9002+cubic)."
    )
