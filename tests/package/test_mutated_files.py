"""Mutated files of other programs, findings, spaces and scripts: each is read, or refused with one sentence.

ACKCLOCK_MUTANTS=2000 tries more of them.
"""

import gzip
import json
import os
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock import formats, gzip_files
from ackclock.attacks.replay import read_finding
from ackclock.attacks.space import load_space
from ackclock.conformance.qlog import read_log
from ackclock.errors import InputError, ScenarioError
from ackclock.evaluation.verdict import load_thresholds
from ackclock.formats import flent, iperf3, socket_statistics
from ackclock.formats.measured import QUANTITIES
from ackclock.packetdrill.scripts import FAILED, NOT_RUNNABLE, PASSED, run_script
from ackclock.toml_reader import NotToml, read_toml
from tests.package.test_damages import damage
from tests.package.test_mutants import mutant

MUTANTS = int(os.environ.get("ACKCLOCK_MUTANTS", "40"))

REPOSITORY = Path(__file__).resolve().parents[2]
MEASUREMENTS = REPOSITORY / "tests" / "measurements"
FINDINGS = sorted((REPOSITORY / "verification" / "attacks" / "gallery").glob("*.toml"))
SCRIPTS = sorted((REPOSITORY / "tests" / "packetdrill").rglob("*.pkt"))
LOGS = sorted((REPOSITORY / "tests" / "qlogs").glob("*.sqlog.gz"))
SPACE = """
duration_s = 20
constraint = { changes = 3, bursts = 0.5 }
space = { loss = false, buffer = { packets = [2, 20] } }
"""
THRESHOLDS = "different = 1.2\nmuch = 2\nconfidence = 0.9\n"


def holds_measurement(file: Path) -> None:
    measured = formats.read(file)
    assert measured.flows
    for name in ("time_s", *QUANTITIES):
        values = measured.series[name].drop_nulls()
        assert values.is_finite().all(), name
        assert name == "time_s" or (values >= 0).all(), name


def holds_log(file: Path) -> None:
    log = read_log(file)
    assert np.isfinite(log.window_packets).all()
    assert (log.window_packets > 0).all()


def holds_finding(file: Path) -> None:
    recorded = read_finding(file)
    assert 5 <= recorded.duration_s <= 600
    numbers = [
        value for keys in recorded.path.values() for value in keys.values() if isinstance(value, float)
    ]
    assert np.isfinite([recorded.below, *numbers]).all()


def holds_space(file: Path) -> None:
    space = load_space(file)
    assert space.path([1.0] * space.dimensions)


def holds_script(file: Path) -> None:
    assert run_script(file).verdict in (PASSED, FAILED, NOT_RUNNABLE)


def as_toml(value: object) -> str:
    """A value as TOML writes it inside a line; what it cannot write is a text."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {as_toml(each)}' for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, float):
        return repr(value) if "." in repr(value) or "n" in repr(value) else f"{value:.1f}"
    return json.dumps("" if value is None else value)


def tree_of_toml(text: str, draw: random.Random) -> bytes:
    return "".join(
        f"{json.dumps(key)} = {as_toml(value)}\n" for key, value in mutant(tomllib.loads(text), draw).items()
    ).encode()


def flipped(data: bytes, draw: random.Random) -> bytes:
    """One to three damages of the bytes."""
    for _ in range(draw.randrange(1, 4)):
        data = damage(data, draw) or b""
    return data


@pytest.fixture(scope="module")
def of_flent() -> bytes:
    return flent.written(
        ackclock.run("single-flow", settings={"duration": "3 s", "warm_up": "0 s"}, series=True)
    )


def cases(of_flent: bytes) -> dict[str, tuple[Callable[[random.Random], bytes], Callable[[Path], object]]]:
    """What makes a mutant of each kind, and what reads it."""
    of_iperf3 = (MEASUREMENTS / "iperf3-3.12.json").read_bytes()
    of_ss = (MEASUREMENTS / "ss.log").read_bytes()
    document: dict[str, Any] = json.loads(gzip.decompress(of_flent))

    def packed(text: bytes) -> bytes:
        return gzip.compress(text, mtime=0)

    return {
        "flent, packed": (lambda draw: flipped(of_flent, draw), holds_measurement),
        "flent": (lambda draw: packed(json.dumps(mutant(document, draw)).encode()), holds_measurement),
        "iperf3": (lambda draw: json.dumps(mutant(json.loads(of_iperf3), draw)).encode(), holds_measurement),
        "iperf3, bytes": (lambda draw: flipped(of_iperf3, draw), holds_measurement),
        "ss": (lambda draw: flipped(of_ss, draw), holds_measurement),
        "qlog, packed": (lambda draw: flipped(draw.choice(LOGS).read_bytes(), draw), holds_log),
        "qlog": (lambda draw: flipped(gzip.decompress(draw.choice(LOGS).read_bytes()), draw), holds_log),
        "finding": (lambda draw: tree_of_toml(draw.choice(FINDINGS).read_text(), draw), holds_finding),
        "finding, bytes": (lambda draw: flipped(draw.choice(FINDINGS).read_bytes(), draw), holds_finding),
        "space": (lambda draw: tree_of_toml(SPACE, draw), holds_space),
        "thresholds": (lambda draw: tree_of_toml(THRESHOLDS, draw), load_thresholds),
        "script": (lambda draw: flipped(draw.choice(SCRIPTS).read_bytes(), draw), holds_script),
    }  # fmt: skip


@pytest.mark.parametrize("kind", list(cases(gzip.compress(b"{}"))))
def test_a_mutated_file_is_read_or_refused(kind: str, of_flent: bytes, tmp_path: Path) -> None:
    make, read = cases(of_flent)[kind]
    file = tmp_path / "mutant"
    outcomes = {"read": 0, "refused": 0}
    for number in range(MUTANTS):
        draw = random.Random(number)  # noqa: S311 - mutants, not secrets
        file.write_bytes(make(draw))
        try:
            read(file)
            outcomes["read"] += 1
        except (InputError, ScenarioError):
            outcomes["refused"] += 1
        except BaseException as error:
            raise AssertionError(f"{kind} {number}: {type(error).__name__}: {error}") from error
    print(f"{kind}: {outcomes}")
    assert outcomes["read" if kind == "script" else "refused"] > 0


@pytest.mark.parametrize("size", [999, 1000, 1001])
def test_what_unpacks_to_more_than_the_bound_is_refused(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gzip_files, "LARGEST_BYTES", 1000)
    data = gzip.compress(bytes(size))
    if size <= 1000:
        assert gzip_files.unpacked(data) == bytes(size)
    else:
        with pytest.raises(ValueError, match="more than 1000 bytes"):
            gzip_files.unpacked(data)


def stream(**values: object) -> bytes:
    """A document of iperf3 with one interval of one stream."""
    usual = {"socket": 5, "end": 1.0, "bits_per_second": 1e6, "retransmits": 0}
    interval = {"streams": [{**usual, **values}]}
    return json.dumps({"start": {"tcp_mss": 1000}, "intervals": [interval]}).encode()


@pytest.mark.parametrize(
    "values",
    [
        {"bits_per_second": "many"},
        {"bits_per_second": 1e999},
        {"bits_per_second": -1},
        {"socket": 1e999},
        {"rtt": [1]},
    ],
)
def test_a_measurement_has_numbers(values: dict[str, object], tmp_path: Path) -> None:
    file = tmp_path / "iperf3.json"
    file.write_bytes(stream())
    assert formats.read(file).series["goodput_bit_per_s"].drop_nulls().to_list() == [1e6]
    file.write_bytes(stream(**values))
    with pytest.raises(InputError, match="damaged the JSON of iperf3"):
        formats.read(file)


def test_a_quantity_that_is_not_a_number_was_not_measured() -> None:
    read = iperf3.read(stream(bits_per_second=float("nan"))).series
    assert read["goodput_bit_per_s"].drop_nulls().is_empty()


def test_a_new_connection_between_the_same_ends_has_acknowledged_nothing_before() -> None:
    """The counter of a socket begins again at 0: the difference is no goodput."""
    line = "ESTAB 0 0 10.0.0.1:40000 10.0.0.2:5201\n\t cubic cwnd:20 bytes_acked:{}\n"
    text = "".join(
        f"{1_000_000 + at}.0\n{line.format(acked)}" for at, acked in enumerate((0, 125_000, 5000, 130_000))
    )
    goodputs = socket_statistics.read(text.encode()).series["goodput_bit_per_s"].to_list()
    assert goodputs == [None, 1e6, None, 1e6]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("duration_s = [40]", r"duration_s: found \[40\]"),
        ("duration_s = inf", "duration_s: found inf"),
        ("below = 'half'", "below: found 'half'"),
        ("below = -1", "below: found -1"),
        ("path = { reordering = { packets = [3], share = 0.1 } }", "path.reordering"),
    ],
)
def test_a_finding_has_numbers(change: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "finding.toml"
    file.write_text(f'algorithms = ["reno"]\nhurt = "goodput"\n{change}\n')
    with pytest.raises(InputError, match=said):
        read_finding(file)


@pytest.mark.parametrize("digits", [19, 400, 5000])
def test_an_integer_of_more_than_64_bits_is_no_toml(digits: int, tmp_path: Path) -> None:
    assert read_toml("a = 9223372036854775807") == {"a": 2**63 - 1}
    text = f"different = {'9' * digits}"
    with pytest.raises(NotToml):
        read_toml(text)
    file = tmp_path / "thresholds.toml"
    file.write_text(text)
    with pytest.raises(InputError, match="cannot be read as TOML"):
        load_thresholds(file)


def test_a_time_before_the_start_is_kept() -> None:
    row = {"time_s": -0.1, "flow": "a", "rtt_s": 0.01}
    assert formats.measured.series([row])["time_s"].to_list() == [-0.1]
    assert isinstance(formats.measured.series([row]), pl.DataFrame)
