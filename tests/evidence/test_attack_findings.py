"""The page of what attacks found that was not known: its numbers, and the second reading on the same path."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ackclock
from ackclock.attacks.attack import attack_problem
from ackclock.runs.result import Result
from reference import CONTROLLERS, Start

PAGE = Path(__file__).resolve().parents[2] / "docs" / "attack-findings.md"


def rows() -> Iterator[tuple[str, float, float]]:
    """The algorithm, the policer in Mbit/s and the packets lost in per cent, of each cell of the table."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    (head,) = (number for number, line in enumerate(lines) if line.startswith("| policer |"))
    names = [cell.strip() for cell in lines[head].split("|")[2:-1]]
    for line in lines[head + 2 : head + 6]:
        mbit, *cells = re.findall(r"([\d.]+) [M%]", line)
        yield from ((name, float(mbit), float(cell)) for name, cell in zip(names, cells, strict=True))


def run(algorithm: str, mbit: float, proportional_rate: str, twin: object = None) -> Result:
    problem = attack_problem([algorithm])
    path = {"policer": {"share": mbit / 10, "kilobytes": 50.0}}
    settings: dict[str, object] = {"tcp.proportional_rate": proportional_rate}
    if twin is not None:
        settings["tcp.algorithm"] = "twin"
    scenario = problem.trial(path, algorithm, 1, 40.0).scenario
    made = {"twin": twin} if twin is not None else {}
    return ackclock.run(scenario, settings=settings, algorithms=made, series=True)  # type: ignore[arg-type]


def lost(result: Result) -> float:
    flows = result.flows
    return 100 * float(flows["packets_lost"][0]) / float(flows["packets_sent"][0])


@pytest.mark.parametrize(("name", "mbit", "percent"), list(rows()))
def test_the_page_has_the_losses_behind_a_policer(name: str, mbit: float, percent: float) -> None:
    algorithm = re.findall(r"`(\w+)`", name)[0]
    rate = "rfc9937" if "9937" in name else "rfc6937"
    assert lost(run(algorithm, mbit, rate)) == pytest.approx(percent, abs=0.051)


def test_the_second_reading_of_copa_does_the_same() -> None:
    def twin(start: Start) -> object:
        controller = CONTROLLERS["copa"]()
        controller.begin(start)
        return controller

    compiled, plain = run("copa", 9.0, "rfc6937"), run("copa", 9.0, "rfc6937", twin)
    assert lost(compiled) > 30
    assert compiled.flows["packets_lost"].to_list() == plain.flows["packets_lost"].to_list()
    assert compiled.flow_series.equals(plain.flow_series)


def test_the_recovery_of_quic_has_no_bound() -> None:
    assert 60 < lost(run("rfc9002+copa", 5.0, "rfc6937")) < 75
