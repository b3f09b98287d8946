"""The page of systems names a script for each value of a preset, which fails with another value."""

import re
from pathlib import Path

import pytest

from ackclock.packetdrill.scripts import FAILED, PASSED, run_script

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests" / "packetdrill"
PAGE = (ROOT / "docs" / "algorithms" / "systems.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| key |")[2].partition("\n\n")[0].splitlines()[2:]
SYSTEMS = ("linux", "windows", "freebsd", "quic")

OTHERS: dict[str, tuple[object, ...]] = {
    "algorithm": ("newreno+standard+reno",),
    "mss": ("1000 bytes",),
    "timestamps": (False, True),
    "initial_window": ("4 packets",),
    "segments_per_ack": (3,),
    "ack_delay": ("200 ms",),
    "restart_after_idle": (False, True),
    "quick_acks": (0,),
    "rto_initial": ("3 s",),
    "rto_min": ("50 ms",),
    "rto_max": ("20 s",),
    "rto_min_bounds": ("timeout", "variation"),
    "clock_granularity": ("60 ms",),
    "dsack": (False, True),
    "frto": (False, True),
    "rto_backoff_until": ("new-data",),
    "rearm_at_fast_retransmit": (False,),
    "reordering_timer_slack": ("0 ms",),
    "limited_growth": ("window",),
    "grow_by_sack": (False,),
    "reduction_base": ("flight", "window"),
    "proportional_rate": ("rfc6937", "linux"),
    "reduce_again": (True,),
    "reduction_for_marks": (False,),
    "growth_at_end_of_recovery": (False,),
    "accecn_option": (False,),
    "accecn_option_always": (False,),
    "accecn_ack_changes": (False,),
    "accecn_cycles": ("prevailing",),
    "ecn_control_packets": (False,),
    "ecn_fallback": (False,),
    "loss_probe_wait": ("rfc8985",),
    "rack_rtt": ("latest-sent",),
    "window_after_lost_syn": ("rfc5681",),
    "pacing": ("algorithm",),
    "syn_timeout": ("2 s",),
    "syn_attempts": (3,),
    "syn_linear_timeouts": (0,),
}
"""Other values of each key; one of them is the preset's own where there are two."""

UNSEEN = {("header", system) for system in SYSTEMS} | {("rto_initial", system) for system in SYSTEMS[:3]}
UNSEEN.add(("mss", "quic"))
"""Values that a script does not see, as the page says; a host of scripts has the segments of its peer."""


def statements() -> list[tuple[str, str, list[Path]]]:
    """Each key with a system for which the page has a value, and the scripts of that system in the row."""
    found = []
    for row in TABLE:
        first, *cells, scripts = (cell.strip() for cell in row.strip("| ").split(" | "))
        keys = re.findall(r"`(\w+)`", first)
        for system, cell in zip(SYSTEMS, cells, strict=True):
            paths = [SCRIPTS / f"{name}.pkt" for name in re.findall(rf"`({system}/[\w-]+)`", scripts)]
            found += [
                (key, system, paths)
                for key, value in zip(keys, values(cell, len(keys)), strict=True)
                if value != "–" and not value.startswith("not known") and (key, system) not in UNSEEN
            ]
    return found


def values(cell: str, keys: int) -> list[str]:
    """The value of each key of a row, which a value may have in common."""
    parts = cell.split(", ")
    return parts if len(parts) == keys else [cell] * keys


STATEMENTS = statements()


def test_the_page_has_statements_on_each_system() -> None:
    assert {system for _, system, _ in STATEMENTS} == set(SYSTEMS)
    assert len(STATEMENTS) > 60


def test_every_script_of_the_page_exists_and_every_difference_of_linux_names_one() -> None:
    named = re.findall(rf"`((?:{'|'.join(SYSTEMS)})/[\w-]+)`", PAGE)
    assert [name for name in named if not (SCRIPTS / f"{name}.pkt").is_file()] == []
    differences = re.split(r"\n- ", PAGE.partition("**Linux 6**")[2].partition("**Windows**")[0])[1:]
    assert [text for text in differences if "`linux/" not in text and "Here RFC" not in text] == []


@pytest.mark.parametrize(
    ("key", "system", "scripts"), STATEMENTS, ids=[f"{key}-{system}" for key, system, _ in STATEMENTS]
)
def test_a_script_holds_the_value_of_a_preset(key: str, system: str, scripts: list[Path]) -> None:
    assert scripts, f"docs/algorithms/systems.md names no script of {system} for {key}"
    verdicts = {
        run_script(path, {"system": system, key: other}).verdict for path in scripts for other in OTHERS[key]
    }
    assert FAILED in verdicts, f"no script of {system} in the row notices another {key}"
    assert {run_script(path, {"system": system}).verdict for path in scripts} == {PASSED}
