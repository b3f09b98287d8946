"""Flows over QUIC stacks: what is refused, and what runs where ackclock-quic is installed."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock.errors import InputError

BASE = "single-flow"
INSTALLED = importlib.util.find_spec("ackclock_quic") is not None


def over(stack: str, **settings: str) -> dict[str, str]:
    return {"flow.0.stack": stack, **{name.replace("__", "."): value for name, value in settings.items()}}


def test_without_the_package_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ackclock_quic._native", None)
    with pytest.raises(InputError, match=r"flows over noq.*ackclock-quic.*make quic"):
        ackclock.run(BASE, settings=over("noq"))


def test_the_binding_itself_refuses_a_stack_that_it_does_not_have() -> None:
    from ackclock import _native  # noqa: PLC0415 - the law for its users does not hold for its test

    scenario = ackclock.load_scenario(BASE, over("quinn"))
    with pytest.raises(ackclock.ScenarioError, match="ackclock-quic") as caught:
        _native.run(scenario)
    assert caught.value.key == "flow.0.stack"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (over("quin"), "quinn"),
        (over("quinn", tcp__algorithm="bbr3"), "takes no rate"),
        (over("noq", tcp__algorithm="dctcp"), "number of marked packets"),
        (over("noq", tcp__algorithm="tfrc"), "transport of its own"),
        (over("noq", tcp__mss="536 B"), "1200"),
        (over("noq", tcp__ecn="accurate"), "classic"),
        (over("noq", flow__0__think='{ constant = "1 s" }', flow__0__packets="10"), "one transfer"),
    ],
)
def test_what_a_stack_cannot_do_is_refused_with_a_sentence(settings: dict[str, str], message: str) -> None:
    with pytest.raises(ackclock.ScenarioError, match=message):
        ackclock.load_scenario(BASE, settings)


@pytest.mark.skipif(not INSTALLED, reason="ackclock-quic is not installed (make quic)")
@pytest.mark.parametrize("stack", ["quinn", "noq"])
def test_a_flow_over_quic_fills_the_link(stack: str) -> None:
    settings = over(stack, duration="20 s", warm_up="5 s")
    result = ackclock.run(BASE, settings=settings)
    assert list(result.flows["kind"]) == ["quic"]
    own = ackclock.run(BASE, settings={"duration": "20 s", "warm_up": "5 s"})
    expected = pytest.approx(float(own.links["utilisation"][0]), abs=0.02)
    assert float(result.links["utilisation"][0]) == expected


def test_a_log_without_a_flow_that_writes_one_is_refused() -> None:
    with pytest.raises(ackclock.ScenarioError, match="this scenario has none") as caught:
        ackclock.load_scenario(BASE, {"trace.qlog": "true", "flow.0.algorithm": "acknak+reno"})
    assert caught.value.key == "trace.qlog"


def test_the_log_of_tcp_is_saved(tmp_path: Path) -> None:
    assert_a_log_is_saved({"duration": "2 s", "warm_up": "1 s", "trace.qlog": "true"}, tmp_path)


@pytest.mark.skipif(not INSTALLED, reason="ackclock-quic is not installed (make quic)")
@pytest.mark.parametrize("stack", ["quinn", "noq"])
def test_the_log_of_a_stack_is_saved(stack: str, tmp_path: Path) -> None:
    assert_a_log_is_saved(over(stack, duration="2 s", warm_up="1 s", trace__qlog="true"), tmp_path)


def assert_a_log_is_saved(settings: dict[str, str], tmp_path: Path) -> None:
    folder = ackclock.run(BASE, settings=settings).save(tmp_path / "run", report=False)
    (log,) = (folder / "captures").iterdir()
    assert log.suffix == ".sqlog"
    header, *events = (json.loads(record) for record in log.read_text().split("\x1e")[1:])
    assert (header["qlog_version"], header["qlog_format"]) == ("0.3", "JSON-SEQ")
    assert {event["name"] for event in events} >= {"transport:packet_sent", "recovery:metrics_updated"}
