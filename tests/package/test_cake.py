"""CAKE on a home's link: what hosts, calls and downloads get of it."""

import polars as pl
import pytest

import ackclock

HEADER, SEGMENT = 40, 1500


def run(
    queue: str,
    flows: list[dict[str, object]],
    *,
    pairs: int = 2,
    rate: str = "20 Mbit/s",
    uplink: dict[str, object] | None = None,
    voice: dict[str, object] | None = None,
) -> ackclock.Result:
    """The flows over one bottleneck with that queue, and datagrams, if there are any."""
    link = {"rate": rate, "delay": "15 ms", "buffer": "1000 packets", "queue": queue}
    return ackclock.run(
        {
            "name": "home",
            "duration": "30 s",
            "warm_up": "5 s",
            "topology": {
                "dumbbell": {
                    "pairs": pairs,
                    "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
                    "bottleneck": {**link, "reverse": uplink or {"queue": "droptail"}},
                }
            },
            "tcp": {"algorithm": "rack+cubic"},
            "flow": flows,
            "udp": [voice] if voice else [],
        }
    )


def goodputs(result: ackclock.Result, name: str) -> list[float]:
    return result.flows.filter(pl.col("name").str.starts_with(name))["goodput_bit_per_s"].to_list()


ONE_AND_EIGHT: list[dict[str, object]] = [
    {"name": "one", "from": "src1", "to": "dst1"},
    {"name": "eight", "count": 8, "from": "src2", "to": "dst2", "start_jitter": "1 s"},
]


@pytest.mark.parametrize(
    ("isolation", "ratio"), [("triple-isolate", 1), ("dual-srchost", 1), ("dual-dsthost", 1), ("flows", 8)]
)
def test_two_hosts_with_one_and_eight_flows(isolation: str, ratio: float) -> None:
    """By hosts each has half; by flows the second has eight times as much."""
    result = run(f"cake(bandwidth=18 Mbit/s,isolation={isolation})", ONE_AND_EIGHT)
    one, eight = (goodputs(result, name) for name in ("one", "eight"))
    # A single flow answers each drop by less than its part, which the others take.
    assert ratio * 0.95 < sum(eight) / sum(one) < ratio * 1.2
    # The eight share their part, and the shaper's rate is used.
    assert max(eight) / min(eight) < 1.15
    payload = (SEGMENT - HEADER) / SEGMENT
    assert sum(one) + sum(eight) == pytest.approx(18e6 * payload, rel=0.02)


def test_overhead_lowers_the_rate_of_datagrams() -> None:
    """With ATM and 40 bytes of overhead a datagram of 1500 bytes takes 33 cells of 53 bytes."""
    plain, atm = (
        goodputs(run(f"cake(bandwidth=10 Mbit/s{settings})", [{"name": "one"}]), "one")[0]
        for settings in ("", ",overhead=40,link_layer=atm")
    )
    assert atm / plain == pytest.approx(SEGMENT / (33 * 53), rel=0.02)


def test_a_download_with_a_narrow_uplink() -> None:
    """30 Mbit/s down and 0.2 Mbit/s up, which carries 625 acknowledgments of 40 bytes a second.

    One acknowledges two segments, so that 1250 of the 2500 that fit down are acknowledged each second, or
    more if COBALT drops some of those that wait. Filtered, they cover more and wait less, and the downlink is
    full.
    """
    found = {}
    for ack_filter in ("off", "on", "aggressive"):
        queue = f"cake(bandwidth=200 kbit/s,ack_filter={ack_filter})"
        uplink: dict[str, object] = {"rate": "1 Mbit/s", "queue": queue}
        result = run("fq-codel", [{"name": "one"}], rate="30 Mbit/s", uplink=uplink)
        link = result.links.filter(pl.col("name") == "right->left").row(0, named=True)
        share = goodputs(result, "one")[0] / (30e6 * (SEGMENT - HEADER) / SEGMENT)
        found[ack_filter] = share, link["thinned"], link["mean_queueing_delay_s"]
    off, on, aggressive = found.values()
    assert off[0] < 0.85
    assert off[1] == 0
    for share, thinned, delay_s in (on, aggressive):
        assert share > 0.9
        assert thinned > 1000
        assert delay_s < off[2] / 2
    assert aggressive[2] < on[2]


def test_voice_is_served_first_up_to_its_quarter() -> None:
    """A source of class 6 within a quarter of the bandwidth loses nothing to 32 flows of best effort.

    All share one queue per tin. As best effort, the source waits and loses with the others.
    """
    found = []
    for priority in (6, 0):
        result = run(
            "cake(bandwidth=10 Mbit/s,isolation=flowblind)",
            [{"count": 32, "start_jitter": "1 s"}],
            rate="12 Mbit/s",
            voice={"name": "voice", "rate": "2 Mbit/s", "packet": "1000 bytes", "priority": priority},
        )
        voice = result.flows.filter(pl.col("name") == "voice").row(0, named=True)
        found.append((voice["goodput_bit_per_s"], voice["packets_lost"]))
    (first, none), (last, some) = found
    assert none == 0
    assert first == pytest.approx(2e6, rel=0.01)
    assert some > 50
    assert last < first
