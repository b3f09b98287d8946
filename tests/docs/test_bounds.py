"""The table of bounds in docs/scenarios.md states the bounds that scenarios are checked against."""

import re
from pathlib import Path

import pytest

import ackclock

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scenarios.md"


def scenario(
    *,
    duration: str = "1 s",
    top: str = "",
    link: str = "",
    rate: str = "1 Gbit/s",
    delay: str = "1 ms",
    flow: str = "",
) -> str:
    """A scenario of one link."""
    return f"""
name = "bounds"
duration = "{duration}"
{top}
[[topology.graph.link]]
from = "a"
to = "b"
rate = "{rate}"
delay = "{delay}"
{link}
{flow or "[[flow]]"}
from = "a"
to = "b"
"""


def tcp(key: str, value: str) -> str:
    return scenario(flow=f'[tcp]\n{key} = "{value}"\n[[flow]]')


def poisson(rate: str) -> str:
    return scenario(flow=f'[[udp]]\nrate = "{rate}"\npacket = "1000 bytes"\npattern = "poisson"')


def steps(period: str) -> str:
    link = f'outage = {{ spans = [["1 us", "2 us"]], every = "{period}" }}\nreverse = {{ delay = "1 ms" }}'
    return scenario(duration="333 s", link=link)


def pie(period: str) -> str:
    link = f'queue = {{ pie = {{ update = "{period}" }} }}\nreverse = {{ queue = "droptail" }}'
    return scenario(duration="1000 s", link=link)


# Quantity of the table: its bound there, a scenario at the bound, and one beyond it.
BOUNDS = {
    "`duration`": (
        "at most 1e9 s",
        scenario(duration="1e9 s", top='trace.interval = "1e8 s"'),
        scenario(duration="1.000001e9 s", top='trace.interval = "1e8 s"'),
    ),
    "delays, timeouts, ticks": ("at most 1e6 s", scenario(delay="1e6 s"), scenario(delay="1000000.1 s")),
    "timeouts": ("at least 1 us", tcp("rto_min", "1 us"), tcp("rto_min", "999 ns")),
    "rates in bits": (
        "at most 1000 Gbit/s",
        scenario(rate="1000 Gbit/s"),
        scenario(rate="1000.1 Gbit/s"),
    ),
    "packets with data": (
        "a transmission time that whole nanoseconds express to a tenth, on links of constant rates in bits",
        scenario(rate="64 Gbit/s", flow='[[udp]]\nrate = "1 Gbit/s"\npacket = "40 bytes"'),
        scenario(rate="71 Gbit/s", flow='[[udp]]\nrate = "1 Gbit/s"\npacket = "40 bytes"'),
    ),
    "rates in packets": (
        "at most 1e6 packets/ms",
        scenario(rate="1e6 packets/ms"),
        scenario(rate="1.01e6 packets/ms"),
    ),
    'mean gap of `pattern = "poisson"`': ("at least 100 ns", poisson("80 Gbit/s"), poisson("81 Gbit/s")),
    "changes of schedules": ("at most 1e8 in the run, together", steps("20 us"), steps("19 us")),
    "updates of `pie` queues": ("at most 1e8 in the run, together", pie("10 us"), pie("9.9 us")),
    "memory": (
        "`memory_limit`, 2 GB",
        scenario(top='trace.interval = "34.3 us"', flow="[[flow]]\ncount = 1000"),
        scenario(top='trace.interval = "33.9 us"', flow="[[flow]]\ncount = 1000"),
    ),
}


def table() -> dict[str, str]:
    """The bounds of the page."""
    rows = PAGE.read_text(encoding="utf-8").split("| quantity | bound |")[1].split("\n\n")[0]
    return dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|", rows, re.MULTILINE))


def test_the_page_states_each_bound_once() -> None:
    stated = {name: bound for name, bound in table().items() if not name.startswith("-")}
    assert stated == {name: bound for name, (bound, _, _) in BOUNDS.items()}


@pytest.mark.parametrize("name", BOUNDS)
def test_each_bound_is_the_one_that_is_checked(name: str) -> None:
    _, within, beyond = BOUNDS[name]
    ackclock.Scenario.from_toml(within)
    with pytest.raises(ackclock.ScenarioError):
        ackclock.Scenario.from_toml(beyond)
