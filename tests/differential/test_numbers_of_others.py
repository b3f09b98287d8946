"""Numbers that others' tests and papers state, which the pages of the algorithms name."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock._native import Controller
from reference import Ack, Congestion, Signal


def run(
    rate: str, delay: str, buffer: str, flows: Sequence[dict[str, object]], **more: object
) -> ackclock.Result:
    """The flows on a dumbbell of one bottleneck."""
    link = {"rate": rate, "delay": delay, "buffer": buffer}
    dumbbell = {"bottleneck": link, "access": {"rate": "1 Gbit/s", "delay": "1 us"}}
    return ackclock.run({"name": "path", "topology": {"dumbbell": dumbbell}, "flow": flows, **more})


@pytest.mark.parametrize(("signal", "window"), [(Signal.LOSS, 6000), (Signal.TIMEOUT, 1500)])
def test_sctp_has_the_windows_after_losses_of_the_test_of_lksctp(signal: Signal, window: int) -> None:
    """The functional test of congestion control of the Linux kernel's SCTP, with packets of 1500 bytes.

    With 6000 bytes a fast retransmit leaves a window and a threshold of 6000, and a timeout a window of 1500
    and a threshold of 6000.
    """
    sender = Controller("sctp", 4.0, 4.0)
    event = Congestion(now=1.0, signal=signal, flight=4.0, restart=signal == Signal.TIMEOUT, repeated=False)
    sender.on_congestion(event)
    assert (sender.cwnd * 1500, sender.ssthresh * 1500) == (window, 6000)


def test_sctp_grows_as_in_the_test_of_lksctp() -> None:
    """In slow start with 4380 bytes, the acknowledgment of two full packets makes 5880."""
    sender = Controller("sctp", 4380 / 1500, np.inf)
    sender.on_ack(Ack(now=0.1, delivered=2.0, in_flight=2.0, rtt=0.1, srtt=0.1, min_rtt=0.1, round=1))
    assert sender.cwnd * 1500 == pytest.approx(5880)


def test_ledbat_loses_nothing_in_front_of_ten_seconds_of_buffer() -> None:
    """The test `utp_buffer_bloat` of libtorrent, whose target is 100 ms: 50 kB/s and a buffer of 500 kB.

    No packet is lost, none is sent again, and the timer does not expire.
    """
    (flow,) = run(
        "400 kbit/s", "1 ms", "333 packets", [{}], duration="60 s", tcp={"algorithm": "ledbat"}
    ).flows.rows(named=True)
    assert [flow[each] for each in ("packets_lost", "retransmissions", "timeouts")] == [0, 0, 0]
    assert flow["goodput_bit_per_s"] > 0.95 * 400e3


def test_ledbat_plus_plus_slows_down_no_more_often_than_the_test_of_freenet_says() -> None:
    """33.8 s over a path of 135 ms: at most one slowdown in 18 of 250 round trips, which are 14."""
    window = run(
        "1 Gbit/s",
        "67.5 ms",
        "10000 packets",
        [{}],
        duration="33.8 s",
        tcp={"algorithm": "ledbat-plus-plus", "initial_ssthresh": "70 packets"},
        trace={"interval": "10 ms"},
    ).flow_series["cwnd_packets"]
    slowdowns = np.count_nonzero(np.diff((window.to_numpy() < 3).astype(int)) > 0)
    assert 1 <= slowdowns <= 14


def response_time_s(bulk: str, seed: int) -> tuple[float, float]:
    """The mean time of short files next to four flows of an algorithm, and the flows' share of the link."""
    flows = run(
        "10 Mbit/s",
        "20 ms",
        "100% bdp",
        [
            {"name": "bulk", "count": 4, "algorithm": f"rack+{bulk}"},
            {
                "name": "web",
                "algorithm": "rack+reno",
                "size": {"constant": "10 packets"},
                "arrivals": {"poisson": {"rate": "2 flows/s"}},
            },
        ],
        duration="120 s",
        warm_up="20 s",
        seed=seed,
        tcp={"segments_per_ack": 1},
    ).flows
    of_bulk = pl.col("name").str.starts_with("bulk")
    web = flows.filter(~of_bulk & (pl.col("start_s") > 20))
    times = (web["finish_s"] - web["start_s"]).drop_nans()
    assert len(times) > 150
    return float(np.mean(times.to_numpy())), float(flows.filter(of_bulk)["goodput_bit_per_s"].sum()) / 10e6


@pytest.mark.parametrize("seed", [1, 2])
def test_responses_take_a_tenth_of_the_time_next_to_lp(seed: int) -> None:
    """Kuzmanovic and Knightly (2006), abstract.

    Response times fall by up to 90 % if long transfers use TCP-LP instead of TCP, which still use significant
    amounts of the bandwidth that is left.
    """
    (standard, _), (low, share) = response_time_s("reno", seed), response_time_s("lp", seed)
    assert 0.85 < 1 - low / standard < 0.95
    assert share > 0.5
