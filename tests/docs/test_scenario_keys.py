"""Every key that scenarios may have is explained in docs/scenarios.md."""

import re
from pathlib import Path

import pytest

import ackclock

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scenarios.md"

HEAD = 'name = "keys"\nduration = "1 s"\n'
LINK = 'rate = "1 Mbit/s", delay = "1 ms"'
DUMBBELL = f"[topology.dumbbell]\nbottleneck = {{ {LINK} }}\naccess = {{ {LINK} }}\n"
UNKNOWN = 'no_such_key = "x"'

TABLES = {
    "scenario": UNKNOWN + "\n" + HEAD,
    "graph link": HEAD + f"[[topology.graph.link]]\n{UNKNOWN}\n",
    "link": HEAD + f"[topology.dumbbell]\nbottleneck = {{ {LINK}, {UNKNOWN} }}\naccess = {{ {LINK} }}\n",
    "flow": HEAD + DUMBBELL + f"[[flow]]\n{UNKNOWN}\n",
    "pool": HEAD + DUMBBELL + f"[[flow]]\npool = {{ connections = 1, {UNKNOWN} }}\n",
    "request": HEAD + DUMBBELL + f"[[flow]]\nrequest = {{ {UNKNOWN} }}\n",
    "response": HEAD + DUMBBELL + f'[[flow]]\nrequest = {{ size = {{ constant = "1 packets" }} }}\n'
    f"response = {{ {UNKNOWN} }}\n",
    "page": HEAD + DUMBBELL + f"[[flow]]\npage = {{ objects = [], {UNKNOWN} }}\n",
    "object": HEAD + DUMBBELL + f"[[flow]]\npage = {{ objects = [{{ {UNKNOWN} }}] }}\n",
    "http": HEAD + DUMBBELL + f'[[flow]]\npage = "small"\nhttp = {{ version = "2", {UNKNOWN} }}\n',
    "film": HEAD + DUMBBELL + f"[[flow]]\nfilm = {{ {UNKNOWN} }}\n",
    "udp": HEAD + DUMBBELL + f"[[udp]]\n{UNKNOWN}\n",
    "call": HEAD + DUMBBELL + f"[[call]]\n{UNKNOWN}\n",
    "tcp": HEAD + DUMBBELL + f"[tcp]\n{UNKNOWN}\n[[flow]]\n",
    "acknak": HEAD + DUMBBELL + f"[acknak]\n{UNKNOWN}\n[[flow]]\n",
    "trace": HEAD + DUMBBELL + f"[trace]\n{UNKNOWN}\n[[flow]]\n",
    "loss": HEAD + f"[topology.dumbbell]\nbottleneck = {{ {LINK}, loss = {{ {UNKNOWN} }} }}\n"
    f"access = {{ {LINK} }}\n",
    "arrivals": HEAD + DUMBBELL + f"[[flow]]\narrivals = {{ {UNKNOWN} }}\n",
    "distribution": HEAD + DUMBBELL + f"[[flow]]\nsize = {{ {UNKNOWN} }}\n",
}


def known_keys(scenario: str) -> list[str]:
    """The keys that the error about an unknown one has."""
    with pytest.raises(ackclock.ScenarioError) as refused:
        ackclock.Scenario.from_toml(scenario)
    assert refused.value.found == "no_such_key"
    return refused.value.known


@pytest.mark.parametrize("table", TABLES)
def test_every_key_of_a_table_is_explained(table: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    keys = known_keys(TABLES[table])
    assert keys
    missing = [key for key in keys if not re.search(rf"`(?:\w+\.|\[+)*{key}\b|\{{ {key} =|, {key} = ", page)]
    assert not missing, f"docs/scenarios.md does not explain {', '.join(missing)} of the table `{table}`"
