"""The rooms of the Rust crates: which room of a crate may import which.

A room is a file or a folder directly in a crate's `src`, where `x.rs` and `x/` are one room; `lib` is
`lib.rs`. An arrow goes from a room to another that it imports. `python -m tests.laws.rooms` prints the
numbers of rooms and arrows of every crate.
"""

from __future__ import annotations

from pathlib import Path

from tests.laws.rust_modules import Crate

CRATES = Path(__file__).resolve().parents[2] / "crates"

# Each room with the rooms that it may import, from the ground up. Whoever needs something from a room above
# has put it on the wrong floor.
ROOMS: dict[str, dict[str, str]] = {
    "ackclock-scenario": {
        "read": "",
        "values": "read",
        "links": "read values",
        "endpoints": "read values",
        "topology": "read links",
        "traffic": "read values endpoints topology",
        "settings": "read endpoints topology traffic",
        "checks": "read values endpoints topology traffic settings",
        "scenario": "read links endpoints settings checks",
        "lib": "",
    },
    "ackclock-simulation": {
        "tables": "",
        "facts": "tables",
        "recording": "tables facts",
        "engine": "facts recording",
        "flows": "facts recording engine",
        "summary": "tables facts recording engine flows",
        "simulation": "facts recording engine flows summary",
        "assemble": "facts recording engine flows summary simulation",
        "world": "summary simulation",
        "lib": "",
    },
}

# The other crates of several rooms: the rooms from the ground up. A room may import the rooms before it.
ORDERS: dict[str, str] = {
    "ackclock": "experiment lib",
    "ackclock-application": (
        "adaptation application browser bulk datagrams encoder file viewing film layered_datagrams on_off "
        "pages playout request_response think_and_send lib"
    ),
    "ackclock-catalogue": "known nearest error key unit parameter piece entry part lib",
    "ackclock-congestion": (
        "declaration interval_weight queueing_delay facts control eligible_rate linux_round round_rtt "
        "constant_rate learning media macroflow windowed algorithms avoidance slow_start controllers "
        "registry conformance lib"
    ),
    "ackclock-kernel": "answer event history flow factory host machine lib command main",
    "ackclock-link": (
        "clock host lateness main options packet emulator keys report event_loop calibration run lib"
    ),
    "ackclock-memory": "by_key heap calendar huge_pages prefetch lib",
    "ackclock-network": "event_list ids packet outcome queue path loss link graph pull routes network lib",
    "ackclock-python": (
        "answers catalogue convert facts locked packetdrill random scenario settings acknak algorithms "
        "controller media python_controller python_media python_part receiver sender tfrc signals run "
        "worlds lib"
    ),
    "ackclock-quic": "counts ledger watch factory adapter lib simulated sockets bin",
    "ackclock-packetdrill": "script verdict assertion read host compare run lib",
    "ackclock-policy": "supervised lib maker",
    "ackclock-random": "stream distribution lib",
    "ackclock-transport": "facts flow acknak wire tcp tfrc udp media variant stack lib",
    "ackclock-units": "parse bytes time rate link_rate lib",
    "ackclock-web": "catalogue controller results scenario run lib",
}

# The most rooms of a crate with a table, and the most arrows between them.
MOST_ROOMS = 12
MOST_ARROWS = 30


def arrows(crate: str) -> dict[str, dict[str, str]]:
    """By room of a crate: the rooms that it imports, each with an import as an example."""
    found: dict[str, dict[str, str]] = {}
    for module, homes in Crate(CRATES / crate / "src").imports().items():
        here = module[0] if module else "lib"
        imported = found.setdefault(here, {})
        for home in sorted(homes):
            there = home[0] if home else "lib"
            if there != here:
                name = "::".join(module) or "lib"
                imported.setdefault(there, f"{name} imports {'::'.join(home) or 'lib'}")
    return found


def allowed(crate: str) -> dict[str, set[str]]:
    """By room of a crate: the rooms that it may import."""
    if crate in ROOMS:
        return {room: set(below.split()) for room, below in ROOMS[crate].items()}
    order = ORDERS[crate].split()
    return {room: set(order[:floor]) for floor, room in enumerate(order)}


def main() -> None:
    """Prints the rooms and arrows of every crate."""
    print(f"{'crate':<22} rooms arrows")
    for path in sorted(CRATES.iterdir()):
        found = arrows(path.name)
        print(f"{path.name:<22} {len(found):>5} {sum(map(len, found.values())):>6}")


if __name__ == "__main__":
    main()
