"""The rooms of the Rust crates stand in an order, and those of the large crates are few."""

import pytest

from tests.laws.rooms import CRATES, MOST_ARROWS, MOST_ROOMS, ORDERS, ROOMS, allowed, arrows


@pytest.mark.parametrize("crate", [*ROOMS, *ORDERS])
def test_rooms_import_only_the_rooms_below_them(crate: str) -> None:
    may = allowed(crate)
    for room, imported in arrows(crate).items():
        assert room in may, f"{crate} has the room {room}: say its place in tests/laws/rooms.py"
        for there, example in imported.items():
            assert there in may[room], (
                f"in {crate}, {example}: {room} may import {', '.join(sorted(may[room])) or 'no room'}. "
                "Move what both need to a lower room"
            )


@pytest.mark.parametrize("crate", [*ROOMS, *ORDERS])
def test_every_room_that_is_said_exists(crate: str) -> None:
    gone = allowed(crate).keys() - arrows(crate).keys()
    assert not gone, f"{crate} has no room {', '.join(sorted(gone))}: remove it from tests/laws/rooms.py"


@pytest.mark.parametrize("crate", ROOMS)
def test_a_crate_with_a_table_is_a_picture_one_can_draw(crate: str) -> None:
    found = arrows(crate)
    assert len(found) <= MOST_ROOMS, f"{crate} has the rooms {', '.join(found)}"
    assert sum(map(len, found.values())) <= MOST_ARROWS
    below: set[str] = set()
    for room, used in allowed(crate).items():
        assert used <= below, (
            f"{room} of {crate} is said to use {sorted(used - below)}, which stands above it"
        )
        assert used == found[room].keys(), (
            f"{room} of {crate} does not import {sorted(used - found[room].keys())}"
        )
        below.add(room)


def test_every_crate_has_its_rooms_said() -> None:
    several = {path.name for path in CRATES.iterdir() if len(arrows(path.name)) > 1}
    assert several == ROOMS.keys() | ORDERS.keys()
