"""Saved tables say what they hold: units and meanings of columns, and their scenario, to every reader."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet
import pytest

import ackclock
from ackclock.columns import TABLES, UNKNOWN, unit_of
from ackclock.measures.metrics import METRICS
from ackclock.parquet import parquet
from ackclock.runs import tables

EVERYTHING: dict[str, Any] = {
    "name": "everything",
    "duration": "8 s",
    "topology": {
        "dumbbell": {
            "pairs": 7,
            "bottleneck": {"rate": "2 Mbit/s", "delay": "20 ms", "buffer": "10 packets"},
            "access": {"rate": "10 Mbit/s", "delay": "5 ms"},
        }
    },
    "tcp": {"algorithm": "bbr3"},
    "flow": [
        {"name": "bulk"},
        {"name": "files", "packets": 20},
        {
            "name": "questions",
            "request": {"size": {"constant": "1 packet"}},
            "response": {"size": {"constant": "9 packets"}},
        },
        {"name": "reader", "page": "small"},
        {"name": "viewer", "film": {"adaptation": "bola"}},
    ],
    "call": [{"name": "video", "algorithm": "gcc"}],
    "udp": [{"name": "call", "rate": "64 kbit/s", "packet": "200 bytes", "call": True}],
    "trace": {
        "interval": "100 ms",
        "packets": ["left->right"],
        "epoch": "own rtt",
        "one_way_delays": True,
    },
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a comparison that records every table."""
    race = ackclock.compare(["cubic", "bbr3"], EVERYTHING, seeds=2)
    return race.save(tmp_path_factory.mktemp("saved") / "results", report=False)


def file(saved: Path, table: str) -> str:
    return str(saved / "tables" / f"{table}.parquet")


def test_every_column_of_a_run_is_declared_and_nothing_else() -> None:
    """`incidents` have no columns here; the Rust tests hold them."""
    found = ackclock.run(EVERYTHING).tables
    recorded = {name for name in tables.TABLES if found[name].width}
    assert recorded == {*tables.TABLES} - {"incidents"}
    for name in recorded:
        assert [*TABLES[name].columns] == found[name].columns, name


def test_pyarrow_and_pandas_find_unit_and_meaning_of_every_column(saved: Path) -> None:
    for path in sorted((saved / "tables").glob("*.parquet")):
        schema = pyarrow.parquet.read_schema(path)
        for field in schema:
            if path.stem not in ("runs", "groups", "competition"):
                assert field.metadata[b"meaning"], f"{path.stem}.{field.name}"
    schema = pyarrow.parquet.read_schema(file(saved, "flow_series"))
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in schema}
    assert units == {
        "label": "", "seed": "", "time_s": "s", "flow": "", "cwnd_packets": "packets",
        "ssthresh_packets": "packets",
        "rtt_s": "s", "srtt_s": "s", "in_flight_packets": "packets", "goodput_bit_per_s": "bit/s",
        "retransmissions": "packets",
    }  # fmt: skip
    frame = pd.read_parquet(file(saved, "flows"))
    assert (
        frame["goodput_bit_per_s"].tolist()
        == pl.read_parquet(file(saved, "flows"))["goodput_bit_per_s"].to_list()
    )


def test_the_runs_have_the_meanings_of_the_metrics(saved: Path) -> None:
    schema = pyarrow.parquet.read_schema(file(saved, "runs"))
    for metric in METRICS:
        assert schema.field(metric.key).metadata[b"meaning"].decode() == metric.meaning


def test_duckdb_finds_the_scenario_in_the_footer(saved: Path) -> None:
    (footer,) = duckdb.execute(
        "SELECT decode(value) FROM parquet_kv_metadata(?) WHERE decode(key) = 'ackclock'",
        [file(saved, "links")],
    ).fetchall()
    about = json.loads(footer[0])
    result = json.loads((saved / "provenance.json").read_text(encoding="utf-8"))["result"]
    assert about["scenario_sha256"] == result["scenario_sha256"]
    assert (about["scenario"], about["table"]) == ("everything", "links")
    assert about["columns"]["utilisation"]["meaning"] == "the share of the time in which it transmits"


def test_duckdb_reads_the_tables_where_they_are(saved: Path) -> None:
    means = duckdb.execute(
        "SELECT label, avg(mean_rtt_s) FROM read_parquet(?) WHERE name = 'bulk' GROUP BY ALL ORDER BY ALL",
        [file(saved, "flows")],
    ).fetchall()
    flows = pl.read_parquet(file(saved, "flows")).filter(pl.col("name") == "bulk")
    expected = flows.group_by("label").agg(pl.col("mean_rtt_s").mean()).sort("label").rows()
    assert means == [pytest.approx(row) for row in expected]


@pytest.mark.parametrize(
    ("column", "unit"),
    [
        ("goodput_bit_per_s", "bit/s"), ("timeouts_per_s", "1/s"), ("mean_rtt_s", "s"),
        ("queue_bytes", "bytes"),
        ("control_packets_lost", "packets"),
        ("packets_sent", "packets"), ("bytes_delivered", "bytes"), ("dropped_queue", "packets"),
        ("utilisation", ""),
        ("timeouts", ""), ("name", ""),
    ],
)  # fmt: skip
def test_a_name_states_its_unit(column: str, unit: str) -> None:
    assert unit_of(column) == unit


def test_a_table_that_nobody_declared_is_written_too(tmp_path: Path) -> None:
    """Designs have tables with lists, for which there is no Arrow schema."""
    place = tmp_path / "lists.parquet"
    place.write_bytes(parquet("lists", pl.DataFrame({"parts_s": [[1.0, 2.0]]}), UNKNOWN, {}))
    assert pl.read_parquet(place)["parts_s"].to_list() == [[1.0, 2.0]]
    footer: dict[str, Any] = json.loads(pl.read_parquet_metadata(place)["ackclock"])
    assert footer["columns"] == {"parts_s": {"unit": "s"}}
