"""Files of other programs: those programs read ours, and theirs are read.

Flent reads exports by its own package, and writes what is read here. iperf3 and ss have measured the same
connections, in `tests/measurements/`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import flent.resultset
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import ackclock
from ackclock import cli, formats
from ackclock.errors import InputError
from ackclock.formats import socket_statistics
from ackclock.measures.time_sequence import time_sequences
from ackclock.report import overlay
from ackclock.report.time_figures import time_figures
from ackclock.runs.result import Comparison

MEASUREMENTS = Path(__file__).resolve().parents[1] / "measurements"
IPERF3 = MEASUREMENTS / "iperf3-3.12.json"
SS = MEASUREMENTS / "ss.log"
SCENARIO: dict[str, Any] = {
    "duration": "10 s",
    "flow.0.count": 2,
    "topology.dumbbell.pairs": 3,
    "trace.packets": ["left->right", "right->left"],
}
PLAIN: dict[str, Any] = {
    "name": "plain",
    "duration": "2 s",
    "topology": {
        "graph": {
            "link": [{"from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "5 ms", "buffer": "9 packets"}]
        }
    },
    "flow": [{"from": "a", "to": "b"}],
}
"""A scenario that records neither series nor packets."""


@pytest.fixture(scope="module")
def race() -> Comparison:
    settings = {**SCENARIO, "trace.packets": json.dumps(SCENARIO["trace.packets"])}
    return ackclock.compare(["cubic", "bbr3"], "two-megabit", settings=settings, series=True)


@pytest.fixture(scope="module")
def saved(race: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results folder of the comparison with all exports."""
    folder = race.save(tmp_path_factory.mktemp("race") / "results", report=False)
    for name in formats.EXPORTS:
        outcome = CliRunner().invoke(cli.app, ["export", str(folder), "--as", name])
        assert outcome.exit_code == 0, outcome.output
    return folder


def test_flent_opens_a_run(saved: Path, race: Comparison) -> None:
    found = flent.resultset.load(str(saved / "exports" / "cubic-seed1.flent.gz"))
    assert found.title == "tcp_nup - cubic, seed 1"
    assert found.meta("TEST_PARAMETERS") == {"upload_streams": "2"}
    assert found.meta("STEP_SIZE") == pytest.approx(0.2)
    assert set(found.series_names) == {
        *("TCP upload::1", "TCP upload::2", "TCP upload avg", "TCP upload sum", "TCP upload fairness"),
        "Ping (ms) ICMP",
    }
    goodput = race.result("cubic").flow_series.filter((pl.col("flow") == 0) & (pl.col("time_s") > 0))
    assert np.mean(found["TCP upload::1"]) * 1e6 == pytest.approx(
        goodput["goodput_bit_per_s"].mean(), rel=1e-9
    )
    parts = zip(found["TCP upload::1"], found["TCP upload::2"], strict=True)
    assert found["TCP upload sum"] == pytest.approx([one + other for one, other in parts])
    samples = found.raw_values["TCP upload::1"]
    assert [each["tcp_cwnd"] for each in samples if "tcp_cwnd" in each] == goodput[
        "cwnd_packets"
    ].drop_nans().to_list()


def test_a_file_that_flent_writes_is_read(tmp_path: Path) -> None:
    made = flent.resultset.new(SimpleNamespace(NAME="tcp_nup", TITLE="lab", STEP_SIZE=0.2, TOTAL_LENGTH=1.0))
    made.metadata["T0"] = made.metadata["TIME"]
    made.x_values = [0.2, 0.4, 0.6]
    made.add_result("TCP upload::1", [10.0, None, 12.0])
    made.add_result("TCP upload sum", [10.0, None, 12.0])
    made.add_result("Ping (ms) ICMP", [20.0, 30.0, 40.0])
    made._calculate_t0()
    made.raw_values = {
        "TCP upload::1": [{"t": made.t0 + 0.5, "val": 11.0, "tcp_cwnd": 31.0, "tcp_rtt": 25.0}]
    }
    file = tmp_path / "lab.flent.gz"
    made.dump_file(str(file))
    found = formats.read(file)
    assert set(found.flows) == {"TCP upload::1", "Ping (ms) ICMP"}
    upload = found.series.filter(pl.col("flow") == "TCP upload::1")
    assert upload["goodput_bit_per_s"].drop_nulls().to_list() == [10e6, 12e6]
    (window,) = upload.filter(pl.col("cwnd_packets").is_not_null()).rows(named=True)
    assert (window["time_s"], window["cwnd_packets"], window["srtt_s"]) == pytest.approx(
        (0.5, 31.0, 0.025), abs=1e-5
    )
    assert found.series["rtt_s"].drop_nulls().to_list() == pytest.approx([0.02, 0.03, 0.04])


def test_a_run_that_was_exported_is_read_back(saved: Path, race: Comparison) -> None:
    series = race.result("bbr3").flow_series.filter((pl.col("flow") == 1) & (pl.col("time_s") > 0))
    by_flent = formats.read(saved / "exports" / "bbr3-seed1.flent.gz")
    mine = by_flent.series.filter((pl.col("flow") == "TCP upload::2") & pl.col("cwnd_packets").is_not_null())
    assert mine["cwnd_packets"].to_list() == series["cwnd_packets"].drop_nans().to_list()
    assert mine["time_s"].to_list() == pytest.approx(series["time_s"].to_list())
    by_iperf3 = formats.read(saved / "exports" / "bbr3-seed1.iperf3.json")
    last = by_iperf3.series.filter(pl.col("flow") == "stream 6").row(-1, named=True)
    assert last["retransmissions"] == series["retransmissions"][-1]
    assert last["time_s"] == 10


def test_the_document_has_the_shape_of_iperf3s(saved: Path) -> None:
    """Each key of ours is one of the real document's, with a value of the same kind."""
    ours = json.loads((saved / "exports" / "cubic-seed1.iperf3.json").read_text())
    theirs = json.loads(IPERF3.read_text())
    # The first is printed instead of tcp_mss where no size was asked for, the second by versions after 3.12.
    added = {"start.tcp_mss_default", "start.test_start.interval"}
    assert {path for path in paths(ours) if path not in paths(theirs)} - added == set()
    needed = {
        "start.connected.socket", "start.test_start.protocol", "start.test_start.num_streams",
        "intervals.streams.bits_per_second", "intervals.streams.retransmits", "intervals.streams.snd_cwnd",
        "intervals.streams.rtt", "intervals.sum.bits_per_second", "end.streams.sender.retransmits",
        "end.streams.receiver.bytes", "end.sum_sent.bits_per_second", "end.sum_received.bits_per_second",
        "end.cpu_utilization_percent.host_total",
    }  # fmt: skip
    assert needed <= paths(ours)


def paths(document: object, before: str = "") -> set[str]:
    """The keys of a document with those that lead to them."""
    if isinstance(document, list):
        return set().union(*(paths(each, before) for each in document))
    if not isinstance(document, dict):
        return {before.removesuffix(".")}
    return set().union(*(paths(value, f"{before}{key}.") for key, value in document.items()))


def test_iperf3s_own_document_is_read() -> None:
    found = formats.read(IPERF3)
    assert found.program == "iperf 3.12"
    assert found.flows == ["stream 5", "stream 7"]
    document = json.loads(IPERF3.read_text())
    rates = [one["streams"][0]["bits_per_second"] for one in document["intervals"]]
    mine = found.series.filter(pl.col("flow") == "stream 5")
    means = mine.drop_nulls("goodput_bit_per_s")
    assert means["goodput_bit_per_s"].to_list() == rates
    # The mean of the first half second, from 0 to 0.5 s, stands at its middle; a window is read at its end.
    assert means["time_s"].to_list() == pytest.approx(
        [0.25 + 0.5 * number for number in range(len(rates))], abs=0.01
    )
    rtts = [one["streams"][0]["rtt"] / 1e6 for one in document["intervals"]]
    read = mine.drop_nulls("srtt_s")
    assert read["srtt_s"].to_list() == pytest.approx(rtts)
    assert read["time_s"].to_list() == [one["streams"][0]["end"] for one in document["intervals"]]


def test_ss_and_iperf3_saw_the_same_connections() -> None:
    """The window in bytes, since the MSS that iperf3 was asked for is not that of the connection."""
    by_ss, by_iperf3 = formats.read(SS), formats.read(IPERF3)
    _control, first, second = by_ss.flows
    for socket, stream in ((first, "stream 5"), (second, "stream 7")):
        theirs = by_ss.series.filter(pl.col("flow") == socket)
        mine = by_iperf3.series.filter(pl.col("flow") == stream)
        assert theirs["cwnd_packets"].max() * 1388 == pytest.approx(mine["cwnd_packets"].max() * 1400)  # type: ignore[operator]
        assert theirs["goodput_bit_per_s"].mean() == pytest.approx(mine["goodput_bit_per_s"].mean(), rel=0.1)
        assert 20e-6 < float(theirs["srtt_s"].mean()) < 200e-6  # type: ignore[arg-type]


def test_looks_of_ss_may_begin_with_their_time() -> None:
    by_flent = SS.read_text()
    looks = [look for look in re.split(r"^---\n", by_flent, flags=re.MULTILINE) if look.strip()]
    times = [re.search(r"Time: (\S+)", look)[1] for look in looks]  # type: ignore[index]
    bare = "".join(
        f"{time}\n{look.partition('Time:')[0].strip()}\n" for time, look in zip(times, looks, strict=True)
    )
    assert socket_statistics.read(bare.encode()).series.equals(formats.read(SS).series)


def test_retransmissions_and_packets_in_flight_of_ss() -> None:
    """`unacked` and `retrans` are printed only if they are not 0 (iproute2, misc/ss.c)."""
    line = (
        "ESTAB 0 0 10.0.0.1:40000 10.0.0.2:5201\n"
        "\t cubic cwnd:20 ssthresh:14 rtt:40.5/2.1 bytes_acked:{} {}\n"
    )
    text = f"1000000.0\n{line.format(1000, '')}1000001.0\n{line.format(126_000, 'unacked:7 retrans:1/3')}"
    first, second = socket_statistics.read(text.encode()).series.rows(named=True)
    assert (first["in_flight_packets"], first["retransmissions"], first["goodput_bit_per_s"]) == (0, 0, None)
    assert (second["in_flight_packets"], second["retransmissions"]) == (7, 3)
    assert second["goodput_bit_per_s"] == 1e6
    assert (second["ssthresh_packets"], second["srtt_s"]) == (14, pytest.approx(0.0405))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.txt", b"nothing", "found no measurement that is known; expected a data file of Flent"),
        (
            "a.json",
            b'{"start": {}, "intervals": [',
            "this is no complete JSON: expecting value at line 1, column 29",
        ),
        ("a.json", b'{"start": {"connected"', "this is no complete JSON: expecting ':' delimiter at line 1"),
        ("a.json", b'{"other": 1}', "found no measurement that is known"),
        (
            "a.json",
            b'{"start": {}, "intervals": [{}]}',
            "damaged the JSON of iperf3 --json: there is no 'streams'",
        ),
        (
            "a.json",
            b'{"start": {}, "intervals": [], "error": "error - unable to connect"}',
            "a.json: iperf3 could not measure: unable to connect",
        ),
        (
            "a.json",
            b'{"error": "unable to connect to server: Connection refused"}\n',
            "a.json: iperf3 could not measure: unable to connect to server: Connection refused",
        ),
        ("a.gz", b"\x1f\x8b\x08damaged", "damaged a data file of Flent"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(InputError, match=re.escape(said)):
        formats.read(file)


ARGUMENTS = {"line": 4, "uarrow": 2, "darrow": 2, "dtick": 2, "diamond": 2, "atext": 2}
"""The commands of xplot that we write, with the numbers that each takes (xplot.org 0.90, demo.0)."""

COLOURS = {"white", "green", "red", "orange"}


def commands(text: str) -> Iterator[tuple[str, list[float]]]:
    """The commands of a plot, held to the grammar: types, title, labels, commands, go."""
    lines = iter(text.splitlines())
    assert next(lines) == "timeval double"
    for line in lines:
        name, *numbers = line.split()
        if name in ("title", "xlabel", "ylabel"):
            assert not numbers
            assert next(lines)
        elif name in COLOURS:
            assert not numbers
        elif name == "go":
            assert list(lines) == []
        else:
            assert len(numbers) == ARGUMENTS[name], line
            yield name, [float(number) for number in numbers]
            if name.endswith("text"):
                assert next(lines) == "R"


def test_a_time_sequence_graph_has_the_grammar_of_xplot(saved: Path, race: Comparison) -> None:
    files = sorted((saved / "exports").glob("cubic-*.xpl"))
    assert [file.name for file in files] == ["cubic-seed1-tcp1.xpl", "cubic-seed1-tcp2.xpl"]
    result = race.result("cubic")
    found = list(commands(files[0].read_text()))
    strokes = [numbers for name, numbers in found if name == "line" and numbers[0] == numbers[2]]
    data = result.packets.filter((pl.col("flow") == 0) & (pl.col("payload_bytes") > 0))
    segments = {
        (round(row["time_s"], 6), row["sequence"], row["sequence"] + row["payload_bytes"])
        for row in data.rows(named=True)
    }
    assert segments <= {(time, first, last) for time, first, _, last in strokes}
    again = [numbers for name, numbers in found if name == "atext"]
    row = result.flows.row(by_predicate=pl.col("flow") == 0, named=True)
    lost_again = row["retransmissions"] - len(again)
    assert 0 <= lost_again <= row["retransmissions"] / 4, "a retransmission may be dropped before the capture"
    drops = [numbers for name, numbers in found if name == "diamond"]
    assert len(drops) == result.drops.filter(pl.col("flow") == 0).height


def test_acknowledgments_of_a_time_sequence_never_pass_the_segments(race: Comparison) -> None:
    for each in time_sequences(race.result("bbr3")):
        both = each.acknowledgments.join_asof(
            each.segments.with_columns(pl.col("last").cum_max()), on="time_s"
        )
        assert (both["acknowledgment"] <= both["last"]).all()


def test_a_run_without_a_capture_has_no_time_sequence(tmp_path: Path) -> None:
    folder = ackclock.run(PLAIN).save(tmp_path / "run", report=False)
    for name, said in (("xpl", "packets: not recorded"), ("flent", "flow_series: not recorded")):
        outcome = CliRunner().invoke(cli.app, ["export", str(folder), "--as", name])
        assert said in str(outcome.exception)
    outcome = CliRunner().invoke(cli.app, ["export", str(folder), "--as", "wireshark"])
    assert "trace.packets" in str(outcome.exception)
    outcome = CliRunner().invoke(cli.app, ["export", str(folder), "--as", "iperf"])
    assert 'no format is named "iperf"; did you mean "iperf3"' in str(outcome.exception)


def test_equal_runs_have_equal_exports(saved: Path, race: Comparison, tmp_path: Path) -> None:
    again = race.save(tmp_path / "again", report=False)
    for name in formats.EXPORTS:
        CliRunner().invoke(cli.app, ["export", str(again), "--as", name])
    names = sorted(file.name for file in (saved / "exports").iterdir())
    assert names == sorted(file.name for file in (again / "exports").iterdir())
    for name in names:
        assert (saved / "exports" / name).read_bytes() == (again / "exports" / name).read_bytes(), name


def test_a_measurement_lies_over_a_run(race: Comparison, tmp_path: Path) -> None:
    folder = race.save(tmp_path / "race", report=False)
    words = ["overlay", str(folder), str(IPERF3), str(SS), "--shift", "2"]
    outcome = CliRunner().invoke(cli.app, words)
    assert outcome.exit_code == 0, outcome.output
    assert {file.name for file in (folder / "figures").iterdir()} >= {
        "measured-window.svg", "measured-goodput-over-time.svg", "measured-rtt.svg",
    }  # fmt: skip
    rows = {
        line.split()[0]: line.split()[1:]
        for line in outcome.output.splitlines()
        if line.startswith((" cubic", " iperf3", " ss"))
    }
    assert float(rows["iperf3-3.12.json"][0]) == pytest.approx(42, abs=2), "Mbit/s, of both streams"
    assert float(rows["cubic"][0]) < 2
    flow = race.result("cubic").flows.filter(pl.col("kind") != "udp")
    assert [cell.text for cell in overlay.view(race, {"a": formats.read(SS)}).rows[0]][2:4] == [
        f"{np.mean(flow['mean_cwnd_packets'].to_numpy()):.2f}",
        f"{np.mean(flow['mean_rtt_s'].to_numpy()) * 1e3:.1f}",
    ]  # fmt: skip
    table = pl.read_parquet(folder / "tables" / "measured.parquet")
    assert table["time_s"].min() == 2
    assert set(table["file"]) == {"iperf3-3.12.json", "ss.log"}
    svg = (folder / "figures" / "measured-window.svg").read_text()
    assert "iperf3-3.12.json 1" in svg
    assert "ss.log 3" in svg


def test_the_report_of_a_folder_shows_measurements(
    race: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = time_figures(race)[:1]  # one figure is cheaper than all
    monkeypatch.setattr(overlay, "time_figures", lambda _: first)
    folder = race.save(tmp_path / "race")
    page = ""
    for files in ([IPERF3], [SS]):
        words = ["overlay", str(folder), *map(str, files)]
        assert CliRunner().invoke(cli.app, words).exit_code == 0
        page = (folder / "report.html").read_text(encoding="utf-8")
        (section,) = re.findall(r'<section id="measurements">.*?</section>', page, re.DOTALL)
        assert section.count("<svg") == len(list((folder / "figures").glob("measured-*")))
        assert [file.name in section for file in (IPERF3, SS)] == [file in files for file in (IPERF3, SS)]
    assert page.index("measurements") < page.index('<section id="provenance">')
    assert ackclock.load(folder).labels == race.labels, "its checksums are those of its files"


def test_runs_of_further_seeds_are_left_out_in_words_of_the_command(tmp_path: Path) -> None:
    folder = ackclock.compare(["cubic"], PLAIN, seeds=2, series=True).save(tmp_path / "runs", report=False)
    outcome = CliRunner().invoke(cli.app, ["export", str(folder), "--as", "flent"])
    assert outcome.exit_code == 0, outcome.exception
    assert "left out 1 of 2 runs: nothing is recorded over time of further seeds" in outcome.stderr
    assert '--set "trace.interval=100 ms"' in outcome.stderr


def test_a_run_without_series_has_nothing_under_a_measurement(tmp_path: Path) -> None:
    folder = ackclock.run(PLAIN).save(tmp_path / "run", report=False)
    outcome = CliRunner().invoke(cli.app, ["overlay", str(folder), str(IPERF3)])
    assert "no quantity is both in the runs and in the measurements" in str(outcome.exception)


def test_a_run_with_a_capture_has_the_figure_around_its_first_loss(race: Comparison) -> None:
    figure = race.result("cubic").plot("time-sequence")
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    first = next(time_sequences(race.result("cubic")))
    loss_s = first.segments.filter("again")["time_s"][0]
    assert low <= loss_s <= high
    assert high - low < 5
    assert low <= first.drops["time_s"][0] <= high, "with the drop that is repaired"
    (ticks,) = [line for line in axes.lines if line.get_marker() == "|"]
    assert any(low <= time <= high for time in np.asarray(ticks.get_xdata()))
