"""Hoe's estimate of the threshold: right on an empty path, wrong with traffic in the other direction."""

from typing import Any

import polars as pl
import pytest

import ackclock

PRODUCT_PACKETS = 20e6 * 0.06 / (8 * 1500)


def estimate(beside: list[dict[str, Any]], seed: int) -> float:
    """The threshold that a flow of ten seconds later has estimated, over the bandwidth-delay product."""
    result = ackclock.run(
        {
            "name": "packet-pairs",
            "duration": "14 s",  # a SYN may be lost
            "seed": seed,
            "topology": {
                "dumbbell": {
                    "bottleneck": {"rate": "20 Mbit/s", "delay": "20 ms", "buffer": "100% bdp"},
                    "access": {"rate": "1 Gbit/s", "delay": "5 ms"},
                }
            },
            "tcp": {"algorithm": "sack+reno"},
            "trace": {"interval": "100 ms"},
            "flow": [{"name": "pairs", "algorithm": "sack+hoe+reno", "start": "10 s"}, *beside],
        }
    )
    series = result.flow_series
    assert series is not None
    thresholds = series.filter((pl.col("flow") == 0) & pl.col("ssthresh_packets").is_finite())
    return float(thresholds["ssthresh_packets"][0]) / PRODUCT_PACKETS


def test_alone_the_estimate_is_the_bandwidth_delay_product() -> None:
    assert estimate([], 1) == pytest.approx(1.0, abs=0.03)


def test_acknowledgments_pushed_together_make_it_many_times_too_large() -> None:
    """burst-tcp, 3.3.3: such a scheme "does not obtain a good bandwidth estimate"."""
    other_way = {"from": "dst1", "to": "src1", "count": 2, "start_jitter": "1 s"}
    assert min(estimate([other_way], seed) for seed in range(1, 4)) > 10
