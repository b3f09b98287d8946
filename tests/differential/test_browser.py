"""The browser in the simulator against its plain-Python reading: the times of all objects of a page."""

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

import ackclock
from reference.transport.browser import Browser, Object, Path

KIB = 1024
PATH = Path(rate=8e6, delay_s=0.03, window=24)
PACKET_S = 8 * (PATH.segment + PATH.header) / PATH.rate

PAGES = {
    # A style sheet and a script in the head, pictures below, a font that the style sheet mentions.
    "usual": [
        Object(40 * KIB),
        Object(12 * KIB, offset=2 * KIB, urgency=1),
        Object(30 * KIB, offset=3 * KIB, urgency=2, delay_s=0.004),
        Object(25 * KIB, parent=1, delay_s=0.01, urgency=2),
        *(Object(size * KIB, offset=20 * KIB, delay_s=0.001 * size, urgency=5) for size in (50, 35, 70, 20)),
        Object(8 * KIB, parent=2, delay_s=0.02),
        Object(15 * KIB, parent=8, offset=4 * KIB),
    ],
    # A chain: each mentions the next at its end.
    "chain": [Object(10 * KIB), *(Object(5 * KIB, parent=number, delay_s=0.003) for number in range(5))],
    # Pictures in turns, next to a script of the same urgency, and later something urgent.
    "turns": [
        Object(20 * KIB),
        *(Object(96 * KIB, offset=4 * KIB, incremental=True, delay_s=0.0005 * number) for number in range(3)),
        Object(64 * KIB, offset=4 * KIB, delay_s=0.002),
        Object(48 * KIB, offset=4 * KIB, delay_s=0.0025),
        Object(30 * KIB, offset=20 * KIB, delay_s=0.15, urgency=0),
    ],
    # More objects than connections, all found at once, of mixed urgency.
    "many": [
        Object(12 * KIB),
        *(Object((10 + 3 * number) * KIB, urgency=(5, 3, 1)[number % 3]) for number in range(14)),
    ],
}


def simulated(page: list[Object], version: str, path: Path = PATH) -> pl.DataFrame:
    """The table `objects` of one page, with times since the request for the page."""
    window = f"{path.window} packets"
    objects = [
        {
            "name": str(number),
            "size": f"{each.size} bytes",
            "urgency": each.urgency,
            "incremental": each.incremental,
            "delay": f"{each.delay_s * 1e6:.0f} us",
            **({"parent": str(each.parent)} if number else {}),
            **({"offset": f"{each.offset} bytes"} if each.offset is not None else {}),
        }
        for number, each in enumerate(page)
    ]
    link = {
        "rate": f"{path.rate / 1e6} Mbit/s",
        "delay": f"{path.delay_s * 1e3} ms",
        "buffer": "9999 packets",
    }
    tcp = {
        "mss": f"{path.segment} bytes",
        "header": f"{path.header} bytes",
        "algorithm": "newreno",
        "system": "linux",
        "initial_window": window,
        "receive_window": window,
        "segments_per_ack": 1,
        "pacing": "algorithm",
        "restart_after_idle": False,
    }
    result = ackclock.run(
        {
            "name": "browser",
            "duration": "20 s",
            "topology": {"graph": {"link": [{"from": "reader", "to": "server", **link}]}},
            "flow": [
                {
                    "from": "reader",
                    "to": "server",
                    "page": {"objects": objects},
                    "http": version,
                    "tcp": tcp,
                }
            ],
        }
    )
    assert result.flows["packets_lost"].sum() == 0
    times = ("found_s", "request_s", "first_byte_s", "finish_s")
    return result.objects.with_columns(*(pl.col(each) - pl.col("page_start_s") for each in times)).sort(
        "object"
    )


def read(page: list[Object], version: str, path: Path = PATH) -> dict[str, list[Any]]:
    """The same by the reading."""
    times = Browser(page, version, path).load()
    return {
        "found_s": [each.found for each in times],
        "request_s": [each.request for each in times],
        "first_byte_s": [each.first_byte for each in times],
        "finish_s": [each.finish for each in times],
        "connection": [each.connection for each in times],
    }


@pytest.mark.parametrize("version", ["1.1", "2", "3"])
@pytest.mark.parametrize("name", PAGES)
def test_every_object_has_the_times_of_the_reading(name: str, version: str) -> None:
    page = PAGES[name]
    compiled, reading = simulated(page, version), read(page, version)
    # Segments that six connections send at one time may queue in another order.
    packets = 8 if version == "1.1" else 1
    for column in ("found_s", "request_s", "first_byte_s", "finish_s"):
        assert compiled[column].to_list() == pytest.approx(reading[column], abs=packets * PACKET_S), column
    assert compiled["connection"].to_list() == reading["connection"]
    assert order(compiled["request_s"].to_list()) == order(reading["request_s"])


def order(times: Sequence[float]) -> list[int]:
    """The numbers of objects by their times, those of one time by number."""
    return sorted(range(len(times)), key=lambda number: (round(times[number], 3), number))


def test_the_reading_by_hand() -> None:
    """A page of one segment: round trips of 60 ms, and on the way what is sent, at 1 us a byte.

    HTTP/2 has a SYN and its answer (40 bytes each), 540 bytes of TLS, 4160 back, a request of 140 and a
    response of 1064. HTTP/3 has no TLS of its own, and the request of HTTP/1.1 has 400 bytes more.
    """
    both = 80e-6 + 140e-6 + 1064e-6
    tls = 540e-6 + 4160e-6
    expected = {"1.1": 0.18 + both + tls + 400e-6, "2": 0.18 + both + tls, "3": 0.12 + both}
    for version, seconds in expected.items():
        (times,) = Browser([Object(KIB)], version, PATH).load()
        assert times.finish == pytest.approx(seconds, abs=1e-9)
