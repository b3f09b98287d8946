"""The report and the figures: complete, self-contained, the same again, and true to the data.

Long because all its tests share a few reports.
"""

import base64
import hashlib
import io
import json
import math
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from PIL import Image
from rich.console import Console

import ackclock
from ackclock.measures.digits import with_interval
from ackclock.report import charts, dots, figures, style, tables, templates, topology
from ackclock.report.capacity import mean_capacity
from ackclock.report.comparison_document import comparison_document
from ackclock.report.curves import thinned
from ackclock.report.images import ImageProcess
from ackclock.report.json_text import dumps
from ackclock.report.page import render
from ackclock.report.series_reader import FLOWS_SHOWN
from ackclock.report.time_figures import time_figures
from ackclock.runs.result import Comparison

SMALL: dict[str, Any] = {
    "name": "small",
    "title": "Two share <2 Mbit/s>",
    "duration": "6 s",
    "warm_up": "1 s",
    "topology": {
        "dumbbell": {
            "pairs": 2,
            "bottleneck": {"rate": "2 Mbit/s", "delay": "20 ms", "buffer": "10 packets"},
            "access": {"rate": "10 Mbit/s", "delay": "10 ms"},
        }
    },
    "tcp": {"mss": "960 bytes"},
    "flow": [{"name": "tcp", "start_jitter": "1 s"}],
    "udp": [{"name": "udp", "rate": "1 Mbit/s", "packet": "1000 bytes", "pattern": "poisson"}],
}
ALGORITHMS = ["tahoe", "reno", "newreno", "sack", "vegas"]


@pytest.fixture(scope="module")
def race() -> Comparison:
    return ackclock.compare(ALGORITHMS, SMALL, seeds=3, series=True)


@pytest.fixture(scope="module")
def single() -> Comparison:
    return ackclock.replicate(SMALL, series=True)


@pytest.fixture(scope="module")
def page(race: Comparison) -> str:
    return render(race)


class Loads(HTMLParser):
    """Collects what a browser would fetch, and the ids and text of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        for name in ("src", "href", "srcset", "data", "poster", "action"):
            value = values.get(name)
            if value and tag != "a" and not value.startswith(("data:", "#")):
                self.loads.append(f"{tag} {name}={value}")
        if values.get("id"):
            self.ids.append(str(values["id"]))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(page: str) -> Loads:
    parser = Loads()
    parser.feed(page)
    return parser


def test_the_report_fetches_nothing(page: str) -> None:
    assert parsed(page).loads == []
    style_sheets = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert "url(" not in style_sheets
    assert "@import" not in style_sheets
    assert "http" not in style_sheets


def test_the_policy_of_a_report_lets_it_run_its_own_scripts_alone(page: str) -> None:
    head = page[: page.index("<title>")]
    policy = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', head)[0]
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'", "connections, frames, workers, fonts and media"
    assert not parts.keys() & {"connect-src", "frame-src", "worker-src", "object-src"}
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    allowed = parts["script-src"].split()
    assert {f"'sha256-{digest}'" for digest in hashes} <= set(allowed)
    assert all(one.startswith("'sha256-") for one in allowed)


def test_the_report_is_small_enough_to_send(page: str) -> None:
    assert 1_200_000 < len(page) < 2_500_000


def test_the_report_has_every_part(page: str) -> None:
    ids = parsed(page).ids
    for part in (
        "network",
        "results",
        "goodput",
        "window",
        "goodput-over-time",
        "rtt",
        "in_flight",
        "queue",
        "drops",
    ):
        assert part in ids
    assert "differences" in ids
    assert "provenance" in ids
    assert page.count("data-chart=") == 2 + 4 + 5 + 1 + 5 + 5 + 5 + 1


def test_the_report_says_what_was_run(page: str, race: Comparison) -> None:
    text = " ".join(parsed(page).text)
    assert "Two share <2 Mbit/s>" in text  # escaped in the source
    assert "<2 Mbit" not in page
    assert ackclock.__version__ in text
    for label in race.labels:
        assert label in text
    assert "poisson" in text


def test_a_run_has_flows_and_links_instead_of_differences(single: Comparison) -> None:
    page = render(single)
    ids = parsed(page).ids
    assert "differences" not in ids
    assert "window" in ids
    assert "left-&gt;right" in page


def test_a_report_without_series_still_stands(tmp_path: Path) -> None:
    race = ackclock.compare(["reno", "vegas"], SMALL)
    folder = race.save(tmp_path / "results", figure_formats=["svg"])
    assert "goodput" in parsed((folder / "report.html").read_text()).ids
    assert (folder / "figures" / "goodput.svg").is_file()
    assert not (folder / "figures" / "window.svg").exists()


def test_udp_alone_is_reported(tmp_path: Path) -> None:
    alone = {**SMALL, "flow": []}
    folder = ackclock.replicate(alone, series=True).save(tmp_path / "results", figure_formats=["svg"])
    assert (folder / "figures" / "queue.svg").is_file()


def test_figures_are_the_same_again_byte_by_byte(race: Comparison) -> None:
    about = figures.describe(race)
    first, second = (
        {name: figures.image(figure, "svg", about) for name, figure in figures.draw_all(race).items()}
        for _ in range(2)
    )
    assert first == second
    expected = {
        "window",
        "goodput-over-time",
        "rtt",
        "in_flight",
        "queue",
        "drops",
        "goodput",
        "goodput-against-delay",
    }
    assert set(first) == expected


def test_figures_say_where_they_come_from(race: Comparison) -> None:
    about = figures.describe(race)
    figure = dots.metric_dots(race, "goodput_bit_per_s")
    svg = figures.image(figure, "svg", about).decode()
    png = Image.open(io.BytesIO(figures.image(figure, "png", about)))
    root = ET.fromstring(svg)  # noqa: S314 - our own
    assert root.tag.endswith("svg")
    for words in ("seeds 1, 2, 3", f"ackclock {ackclock.__version__}", "scenario small", "sha256"):
        assert words in svg
        assert words in png.text["Description"]  # type: ignore[attr-defined]
    assert "<dc:date>" not in svg


def test_a_capacity_that_seeds_draw_is_marked_by_its_mean(race: Comparison) -> None:
    rates = {"choice": ["1 Mbit/s", "3 Mbit/s"]}
    drawn = SMALL | {"draw": {"topology": {"dumbbell": {"bottleneck": {"rate": rates}}}}}
    capacity, name = mean_capacity(ackclock.compare(["reno"], drawn, seeds=6), payload=False)
    assert name == "mean capacity"
    assert 1e6 < capacity < 3e6
    assert mean_capacity(race, payload=False) == (2e6, "capacity")


def test_results_stand_before_everything_else(page: str) -> None:
    places = [page.index(f'<section id="{key}"') for key in ("results", "network", "goodput", "provenance")]
    assert places == sorted(places)


def test_axes_carry_units(race: Comparison) -> None:
    for name, figure in figures.draw_all(race).items():
        axis = figure.axes[-1]
        labels = [axis.get_xlabel(), *(a.get_ylabel() for a in figure.axes), figure.get_supylabel()]
        assert any("[" in label for label in labels), name
        if name not in ("goodput", "goodput-against-delay", "shares"):
            assert axis.get_xlabel() == "time [s]"


def test_every_algorithm_has_its_own_look() -> None:
    chosen = style.looks([*ALGORITHMS, "mine", "htcp", "westwood"])
    assert len({look.colour for look in chosen.values()}) == 8
    assert len({look.marker for look in chosen.values()}) == 8
    assert chosen["vegas"] == style.looks(["vegas"])["vegas"]
    cubic, mine = style.looks(["cubic", "mine"]).values()
    assert cubic.marker != mine.marker, "they are told apart in black and white, too"
    assert len(style.looks([f"variant{number}" for number in range(40)])) == 40


def test_thinning_keeps_ends_extremes_and_gaps() -> None:
    time = np.arange(20_000, dtype=np.float64)
    value = np.random.default_rng(1).normal(size=time.size)
    value[777], value[12_345] = 50, -50
    value[5000:5100] = np.nan
    thin_time, thin_value = thinned(time, value, 500)
    assert thin_time.size < 520
    assert thin_time[0] == 0
    assert thin_time[-1] == time[-1]
    assert np.nanmax(thin_value) == 50
    assert np.nanmin(thin_value) == -50
    assert np.isnan(thin_value).any()
    assert (np.diff(thin_time) > 0).all()
    assert np.array_equal(value[thin_time.astype(int)], thin_value, equal_nan=True)


def test_short_series_are_left_alone() -> None:
    time = np.arange(10.0)
    assert thinned(time, time * 2, 500)[0] is time


def test_goodput_over_time_adds_up_to_what_was_delivered(single: Comparison) -> None:
    drawn = {figure.quantity.key: figure for figure in time_figures(single)}
    curve = drawn["goodput-over-time"].panels[0].curves[0]
    result = single.results[0]
    width = curve.time[1] - curve.time[0]
    bytes_delivered = float(np.nansum(curve.value)) * 1e3 * width / 8
    assert bytes_delivered == pytest.approx(result.flows["bytes_delivered"][0], rel=0.01)


def test_the_drop_curve_ends_at_the_number_of_drops(race: Comparison) -> None:
    drawn = {figure.quantity.key: figure for figure in time_figures(race)}
    for curve in drawn["drops"].panels[0].curves:
        result = race.result(curve.label)
        link = result.links.row(by_predicate=pl.col("name") == race.bottleneck, named=True)["link"]
        assert curve.value[-1] == result.drops.filter(pl.col("link") == link).height


def test_many_flows_are_drawn_in_part_and_said_so() -> None:
    crowd = {**SMALL, "flow": [{"name": "tcp", "count": 9}], "udp": []}
    drawn = time_figures(ackclock.replicate(crowd, series=True))
    assert len(drawn[0].panels[0].curves) == FLOWS_SHOWN
    assert "of 9" in drawn[0].note
    compared = time_figures(ackclock.compare(["reno", "sack"], crowd, series=True))
    assert {figure.quantity.key: len(figure.panels) for figure in compared}["goodput-over-time"] == 1


def test_the_page_holds_the_data_of_every_chart(race: Comparison, page: str) -> None:
    drawn = charts.charts(race)
    assert [group.key for group in drawn][:3] == ["goodput", "seeds", "window"]
    written = re.search(r'<script type="application/json" id="charts-data">(.*?)</script>', page, re.DOTALL)
    assert written
    held = json.loads(written[1])
    assert held == [chart for group in drawn for chart in json.loads(json.dumps(group.charts))]
    (windows,) = (figure for figure in time_figures(race) if figure.quantity.key == "window")
    chart = next(chart for group in drawn if group.key == "window" for chart in group.charts)
    values = np.frombuffer(base64.b64decode(chart["curves"][0]["y"]), dtype="<f4")  # type: ignore[index]
    assert values.max() == np.float32(windows.panels[0].curves[0].value.max())


def test_charts_say_in_words_what_they_show(race: Comparison) -> None:
    for group in charts.charts(race):
        for chart in group.charts:
            assert re.search(r"\d", str(chart["alternative"])), group.key


def test_seeds_and_flows_of_all_seeds_have_charts() -> None:
    crowd = {**SMALL, "flow": [{"name": "tcp", "count": 5, "start_jitter": "1 s"}], "udp": []}
    race = ackclock.compare(["reno", "vegas"], crowd, seeds=3, series=True)
    groups = {group.key: group for group in charts.charts(race)}
    (flows,) = groups["flows"].charts
    curve = flows["curves"][0]  # type: ignore[index]
    shares = np.frombuffer(base64.b64decode(curve["y"]), dtype="<f4")
    assert shares.size == 3 * 5 + 1
    assert shares[-1] == 1
    dots = groups["seeds"].charts[0]["dots"]
    assert [len(dot["seeds"]) for dot in dots] == [3, 3]  # type: ignore[attr-defined]


def test_a_browser_draws_every_chart(race: Comparison, chromium: str, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    watch = "<script>addEventListener('error', (e) => document.body.dataset.failed = e.message)</script>"
    # A chart is drawn when a frame shows its place; a busy machine makes few unless they are asked for.
    frames = "<script>(function next() { requestAnimationFrame(next) })()</script>"
    # Ticks are grey; text, axes and grid have a tint.
    grey = """<script>setTimeout(() => {
      const charts = JSON.parse(document.getElementById('charts-data').textContent);
      const index = charts.findIndex((each) => each.marks);
      const place = document.querySelector(`[data-chart="${index}"]`);
      const view = [...Bokeh.index.roots].find((each) => place.contains(each.el));
      const canvas = view.export('png', true).canvas;
      const rgba = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      let count = 0;
      for (let at = 0; at < rgba.length; at += 4) {
        const [red, green, blue, alpha] = rgba.slice(at, at + 4);
        count += alpha > 60 && red === green && red === blue && red > 90 && red < 200;
      }
      document.body.dataset.grey = count;
    }, 7000)</script>"""
    printing = "<script>setTimeout(() => dispatchEvent(new Event('beforeprint')), 8000)</script>"
    # Before the page's policy, which refuses other scripts and holds for all that comes after it.
    scripts = f"{watch}{frames}{grey}{printing}"
    page.write_text(render(race).replace("<head>", f"<head>{scripts}"), encoding="utf-8")

    def drawn(height: int) -> str:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=9000", "--dump-dom"]
        done = subprocess.run(
            [chromium, *options, f"--user-data-dir={tmp_path}/profile", f"--window-size=1200,{height}",
             page.as_uri()],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        assert "data-failed" not in done.stdout
        return done.stdout

    charts_in_page = render(race).count("data-chart=")
    tall = drawn(9000)
    assert tall.count('data-drawn="yes"') == charts_in_page
    assert int(re.findall(r'data-grey="(\d+)"', tall)[0]) > 20, "ticks mark drops"
    assert drawn(700).count('data-drawn="yes"') == charts_in_page, (
        "a printed page has charts further down, too"
    )
    assert drawn(700).count('class="printed"') == charts_in_page, "pictures that fit the width of the paper"


def test_one_packet_is_in_the_singular() -> None:
    one = {**SMALL, "tcp": {"initial_window": "1 packets"}, "flow": [{"packets": 1}], "udp": []}
    said = dict(topology.facts(ackclock.load_scenario(one)))
    assert (said["Initial window"], said["TCP"]) == ("1 packet", "1 packet")


def test_tables_fit_the_paper_and_the_network_can_be_read_on_a_phone(
    race: Comparison, chromium: str, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    measure = """<script>addEventListener('load', () => {
      const box = (element) => element.getBoundingClientRect();
      const beyond = (table) => box(table).right - box(table.closest('section')).right;
      const tables = [...document.querySelectorAll('section > .scroll > table')];
      document.body.dataset.beyond = Math.max(...tables.map(beyond));
      const sketch = document.querySelector('svg.topology');
      document.body.dataset.letters = 13 * box(sketch).width / sketch.viewBox.baseVal.width;
    })</script>"""

    def measured(width: int, text: str) -> tuple[float, float]:
        page.write_text(text.replace("<head>", f"<head>{measure}"), encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"]
        done = subprocess.run(
            [chromium, *options, f"--user-data-dir={tmp_path}/profile", f"--window-size={width},900",
             page.as_uri()],
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        beyond, letters = re.findall(r'data-(?:beyond|letters)="(.*?)"', done.stdout)
        return float(beyond), float(letters)

    on_paper = render(race).replace("@media print", "@media all")
    beyond, _ = measured(718, on_paper)  # A4 with a centimetre's margins
    assert beyond < 0
    _, letters = measured(500, render(race))
    assert letters > 10


SHAPES: dict[str, dict[str, Any]] = {
    "dumbbell": SMALL["topology"],
    "parking lot": {
        "parking_lot": {
            "hops": 3,
            "link": {"rate": "2 Mbit/s", "delay": "5 ms", "buffer": "10 packets"},
            "access": {"rate": "10 Mbit/s", "delay": "1 ms"},
        }
    },
    "three tiers": {
        "three_tier": {
            "backbone": {"count": 6, "link": {"rate": "2 Mbit/s", "delay": "5 ms"}},
            "pop": {"count": 2, "link": {"rate": "2 Mbit/s", "delay": "1 ms"}},
            "access": {"count": 3, "link": {"rate": "1 Mbit/s", "delay": "1 ms"}},
        }
    },
    "star": {"star": {"hosts": 9, "link": {"rate": "2 Mbit/s", "delay": "1 ms", "buffer": "20 packets"}}},
    "graph": {
        "graph": {
            "link": [
                {"from": "src1", "to": "hub & spoke", "rate": "2 Mbit/s", "delay": "5 ms"},
                {
                    "from": "hub & spoke",
                    "to": "dst1",
                    "rate": "1 Mbit/s",
                    "delay": "5 ms",
                    "buffer": "20% bdp",
                },
            ]
        }
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_topology_is_drawn_as_valid_svg(shape: str) -> None:
    ends = {"from": "src1", "to": "dst1"} if shape in ("dumbbell", "parking lot", "graph") else {}
    document = {**SMALL, "topology": SHAPES[shape], "flow": [ends], "udp": []}
    sketch = topology.sketch(ackclock.load_scenario(document))
    root = ET.fromstring(sketch)  # noqa: S314 - our own
    texts = " ".join(node.text or "" for node in root.iter() if node.tag.endswith("text"))
    assert "2 Mbit/s" in texts


def test_lines_end_at_the_nodes_and_leave_their_names_free() -> None:
    root = ET.fromstring(topology.sketch(ackclock.load_scenario(SMALL)))  # noqa: S314 - our own
    boxes = [[float(box.get(key, 0)) for key in ("x", "y", "width", "height")] for box in root.iter("rect")]
    assert boxes
    circles = [[float(one.get(key, 0)) for key in ("cx", "cy", "r")] for one in root.iter("circle")]
    for line in root.iter("line"):
        for end in "12":
            x, y = float(line.get(f"x{end}", 0)), float(line.get(f"y{end}", 0))
            inside = [abs(x - left - w / 2) < w / 2 - 1 and abs(y - top - h / 2) < h / 2 - 1
                      for left, top, w, h in boxes]  # fmt: skip
            assert not any(inside)
            assert all(np.hypot(x - cx, y - cy) > r - 1 for cx, cy, r in circles)


def test_a_crowded_dumbbell_is_abridged() -> None:
    crowd = {**SMALL, "topology": {"dumbbell": {**SMALL["topology"]["dumbbell"], "pairs": 500}}}
    assert topology.sketch(ackclock.load_scenario(crowd)).count("<rect") == 6


def test_long_notes_and_labels_of_a_sketch_are_shortened_or_broken() -> None:
    """Three groups of flows at one host, over a link whose label has room, and two with long ones."""
    sketch = topology.sketch(ackclock.load_scenario("traffic-classes"))
    assert "lowest, strict + 2 more" in sketch
    root = ET.fromstring(topology.sketch(ackclock.load_scenario("wifi-home")))  # noqa: S314 - our own
    texts = [node.text or "" for node in root.iter() if node.tag.endswith("text")]
    assert "wifi-home: 20 Mbit/s to 90 Mbit/s" in texts
    assert max(map(len, texts)) <= 36


def printed(view: tables.View) -> str:
    console = Console(width=200, file=io.StringIO(), highlight=False)
    console.print(view.rich())
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_printed_tables_carry_units_and_intervals(race: Comparison) -> None:
    text = printed(tables.summary_view(race))
    assert "[kbit/s]" in text
    assert "±" in text
    assert "Student t" in tables.summary_view(race).note


@pytest.mark.parametrize(
    ("mean", "half", "digits", "text"),
    [
        (918.24, 3.14, 1, "918.2 ± 3.1"),
        (96.1, 0.0038, 1, "96.1000 ± 0.0038"),
        (-0.001, 0.02, 2, "0.00 ± 0.02"),
        (0.0004, 0.0, 1, "0.0004 ± 0.0000"),
        (0.07996, math.nan, 1, "0.080"),
        (0.07996, 0.00001, 1, "0.080 ± 0.000"),
        (0.07996, 0.2, 1, "0.1 ± 0.2"),
        (0.0, 3e-6, 1, "0.0 ± 0.0"),
        (0.0004, math.nan, 2, "0.00040"),
        (9148.5, 3398.9, 1, "9\u2009148.5 ± 3\u2009398.9"),
        (math.nan, math.nan, 1, "–"),
    ],
)
def test_a_mean_and_its_interval_have_the_same_decimals(
    mean: float, half: float, digits: int, text: str
) -> None:
    assert with_interval(mean, half, digits) == text


def test_a_difference_of_nothing_has_no_sign_of_a_loss() -> None:
    assert with_interval(-0.001, 0.02, 2, "+") == "+0.00 ± 0.02"


def test_a_difference_that_is_certain_is_not_zero() -> None:
    """It was "+0.0 ± 0.0*", both ways."""
    assert with_interval(-0.0034, 0.0, 1, "+") == "-0.0034 ± 0.0000"
    assert with_interval(2.5e-6, 1e-7, 1, "+") == "+0.0000025 ± 0.0000001"
    assert with_interval(0.0, 0.0, 1, "+") == "+0.0 ± 0.0"


def test_differences_are_antisymmetric(race: Comparison) -> None:
    (view,) = tables.difference_views(race)
    assert view.rows[0][2].text.lstrip("+-") == view.rows[1][1].text.lstrip("+-")
    assert view.rows[0][2].text[0] != view.rows[1][1].text[0]
    assert view.rows[0][1].text == ""


def test_one_seed_has_neither_intervals_nor_differences(single: Comparison) -> None:
    assert "±" not in printed(tables.summary_view(single))
    assert tables.difference_views(single) == []


def test_seeds_without_effect_are_said_to_have_none() -> None:
    fixed = {**SMALL, "flow": [{"name": "tcp"}], "udp": []}
    race = ackclock.compare(["reno", "sack"], fixed, seeds=3)
    view = tables.summary_view(race)
    assert "±" not in printed(view)
    assert "nothing in this scenario is random" in view.note
    assert tables.difference_views(race) == []


def test_documents_have_no_numbers_that_json_lacks(race: Comparison) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    text = dumps(comparison_document(race, "compare", "results/x"))
    document = json.loads(text, parse_constant=refuse)
    assert document["labels"] == ALGORITHMS
    assert document["summary"]["vegas"]["goodput_bit_per_s"]["n"] == 3
    assert document["runs"][0]["completion_s"] is None


def test_many_flows_are_shown_as_a_whole() -> None:
    crowd = ackclock.run(
        "three-tier",
        settings={"flow.0.count": 40, "duration": "4 s", "warm_up": "1 s", "trace.interval": "100 ms"},
    )
    assert "flow_series" not in crowd.tables
    assert "drops" not in crowd.tables
    comparison = Comparison(crowd.scenario, (crowd.label,), (crowd.seed,), (crowd,))
    found = {figure.quantity.key: figure for figure in time_figures(comparison)}
    assert {"active", "mean_window", "retransmission_rate", "goodput_of_all"} <= set(found)
    (curve,) = found["active"].panels[0].curves
    assert 0 < float(curve.value.max()) <= 40
    # Goodput over the run is what the flows were given, in Mbit/s.
    (goodput,) = found["goodput_of_all"].panels[0].curves
    given = float(crowd.flows["bytes_delivered"].sum()) * 8 / 1e6
    assert abs(goodput.value.sum() * 0.1 - given) < 0.01 * given


def test_figures_come_in_the_formats_asked_for(race: Comparison, tmp_path: Path) -> None:
    plain = race.save(tmp_path / "plain") / "figures"
    assert not plain.exists()  # drawn where they are asked for
    asked = race.save(tmp_path / "asked", figure_formats=("png", "pdf")) / "figures"
    assert {file.suffix for file in asked.iterdir()} == {".png", ".pdf"}
    assert (asked / "window.pdf").read_bytes().startswith(b"%PDF")
    assert (asked / "window.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ackclock.InputError, match='no figure format is named "jpg"'):
        race.save(tmp_path / "jpg", figure_formats=("jpg",))
    assert not (tmp_path / "jpg").exists()


def test_figures_are_rendered_here_where_no_process_can_be_started(
    race: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = race.save(tmp_path / "there", figure_formats=["svg"]) / "figures" / "window.svg"
    monkeypatch.setattr(sys, "executable", "")
    here = race.save(tmp_path / "here", figure_formats=["svg"]) / "figures" / "window.svg"
    assert here.read_bytes() == there.read_bytes()


def test_a_figure_that_cannot_be_sent_is_rendered_here(race: Comparison) -> None:
    figure = dots.metric_dots(race, "goodput_bit_per_s")
    figure.axes[0].xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    images = ImageProcess({"local": figure}, {"svg": {}}).images()
    assert isinstance(images["local", "svg"], bytes)


def test_a_figure_that_fails_leaves_the_others(race: Comparison) -> None:
    figure = dots.metric_dots(race, "goodput_bit_per_s")
    figure.axes[0].set_title(r"$\frac{$")
    images = ImageProcess(
        {"bad": figure, "good": dots.metric_dots(race, "goodput_bit_per_s")}, {"svg": {}}
    ).images()
    assert isinstance(images["bad", "svg"], str)
    assert isinstance(images["good", "svg"], bytes)


def test_in_a_table_of_many_columns_half_an_interval_may_stand_below_its_mean() -> None:
    """The columns at the right were out of sight on a page of 1280 pixels."""
    cells = tuple(tables.Cell("1\u2009257.8 ± 0.3") for _ in range(8))
    view = tables.View("", tuple(("delay, 95 %", "ms") for _ in cells), (cells,))
    macro = templates.environment().get_template("macros.html.j2").module.table  # type: ignore[attr-defined]
    page = macro(view)
    assert '<table class="many">' in page
    assert page.count("1\u202f257.8 ±\u00a00.3</td>") == 8


def test_a_number_in_a_report_stays_on_one_line() -> None:
    macro = templates.environment().get_template("macros.html.j2").module.table  # type: ignore[attr-defined]
    page = macro(tables.View("rack+reno 1\u2009166 ms", (("", ""),), ((tables.Cell("1\u2009166 ms"),),)))
    assert "1\u202f166 ms" in page
    assert "\u2009" not in page
