"""Every compiled bit-rate adaptation against its plain-Python twin, over films on links of changing rates."""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ackclock
from reference import ADAPTATIONS, Download, Film, Moment
from reference.adaptation.bba_2 import reservoir
from reference.adaptation.bola import control, most_worth, worth
from reference.adaptation.bola_finite import dynamic_buffer, indifferent
from reference.adaptation.robust_mpc import RobustMpc
from tests.differential.pair import parameters_agree, registered

MSS = 1250
LADDER = (300e3, 750e3, 1200e3, 1850e3, 2850e3, 4300e3)
TOLERANCE = 1e-9
"""Relative, of the values between which a choice is made."""
INSTANT_S = 2e-9
"""Waits are rounded to nanoseconds."""

PARAMETERS = {
    "rate": {"samples": st.integers(1, 8), "share": st.floats(0.5, 1.5)},
    "bba-0": {"reservoir": st.floats(0, 0.6), "full": st.floats(0.61, 1)},
    "bba-2": {
        "reservoir": st.floats(0, 1),
        "full": st.floats(0.3, 1),
        "first": st.floats(0, 1),
        "last": st.floats(0, 1),
    },
    "bola": {"gp": st.floats(0.05, 20)},
    "bola-u": {"gp": st.floats(0.05, 20)},
    "bola-o": {"gp": st.floats(0.05, 20)},
    "robust-mpc": {
        "horizon": st.integers(1, 4),
        "samples": st.integers(1, 8),
        "switches": st.floats(0, 5),
        "stalls": st.floats(0, 10_000),
    },
}
"""Values that films of a few minutes can tell apart."""


def film(
    segments: int, *, rates: Sequence[float] = LADDER, segment: float = 4.0, buffer: float = 60.0
) -> Film:
    """A film whose segments are all as large as the mean."""
    return Film(segment=segment, rates=rates, shape=(1.0,) * segments, buffer=buffer)


@st.composite
def films(draw: st.DrawFn) -> Film:
    """A film of one to two minutes, whose times are exact."""
    rates = draw(st.lists(st.integers(20, 500), min_size=2, max_size=4, unique=True))
    segment = draw(st.sampled_from([1.0, 2.0, 2.5, 4.0]))
    return film(
        int(draw(st.integers(60, 120)) / segment),
        rates=tuple(rate * 10e3 for rate in sorted(rates)),
        segment=segment,
        buffer=segment * draw(st.integers(4, 32)) / 2,
    )


STEPS = st.lists(st.tuples(st.integers(1, 40), st.integers(2, 80)), min_size=1, max_size=5)
"""Steps of the link: the seconds that a rate lasts, and the rate in units of 100 kbit/s."""


def run(watched: Film, name: str, parameters: dict[str, float], steps: list[tuple[int, int]]) -> pl.DataFrame:
    """The segments of a film, which the end of the run may cut short."""
    starts = accumulate((seconds for seconds, _ in steps), initial=0)
    link = {
        "rate": {
            "steps": [
                [f"{start} s", f"{rate * 100} kbit/s"]
                for start, (_, rate) in zip(starts, steps, strict=False)
            ],
            "every": f"{sum(seconds for seconds, _ in steps)} s",
        },
        "delay": "10 ms",
        "buffer": "50 packets",
    }
    arguments = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    length = len(watched.shape) * watched.segment
    result = ackclock.run(
        {
            "name": "film",
            "duration": f"{2 * length} s",
            "topology": {"graph": {"link": [{"from": "server", "to": "viewer", **link}]}},
            "tcp": {"algorithm": "newreno", "mss": f"{MSS} bytes"},
            "flow": [
                {
                    "from": "server",
                    "to": "viewer",
                    "film": {
                        "adaptation": f"{name}({arguments})",
                        "ladder": [f"{rate} bit/s" for rate in watched.rates],
                        "segment": f"{watched.segment} s",
                        "length": f"{length} s",
                        "variation": 0,
                        "buffer": f"{watched.buffer} s",
                    },
                }
            ],
        }
    )
    return result.segments


def moments(watched: Film, segments: pl.DataFrame) -> Iterator[tuple[Moment, float, dict[str, Any]]]:
    """Each state in which the player asked, its time, and the row of the segment for which it asked."""
    downloads: list[Download] = []
    before, buffer, now_s = None, 0.0, 0.0
    for number, row in enumerate(segments.iter_rows(named=True)):
        assert row["segment"] == number
        bits = watched.bits(number, row["quality"])
        assert row["packets"] == math.ceil(bits / 8 / MSS)
        yield Moment(segment=number, buffer=buffer, before=before, downloads=tuple(downloads)), now_s, row
        if math.isnan(row["finish_s"]):
            return
        downloads.append(Download(bits=bits, time=row["finish_s"] - row["request_s"]))
        # The player asks when it has played enough to have room.
        before, buffer = row["quality"], min(row["buffer_s"], watched.buffer - watched.segment)
        now_s = row["finish_s"] + row["buffer_s"] - buffer


def agrees(twin: Any, watched: Film, at: Moment, chosen: int, quality: int) -> bool:
    """True if the qualities are the same, or plans that begin with them are worth the same."""
    if chosen == quality or not isinstance(twin, RobustMpc):
        return chosen == quality
    values = twin.values(watched, at)
    return values[chosen] == pytest.approx(values[quality], rel=TOLERANCE)


def test_every_adaptation_has_a_second_reading() -> None:
    assert parameters_agree("adaptation", ADAPTATIONS)
    for name, parameters in PARAMETERS.items():
        assert parameters.keys() == {parameter["name"] for parameter in registered("adaptation")[name]}


@pytest.mark.parametrize("name", sorted(ADAPTATIONS))
@settings(max_examples=40)
@given(data=st.data(), watched=films(), steps=STEPS)
def test_every_choice_agrees(
    name: str, data: st.DataObject, watched: Film, steps: list[tuple[int, int]]
) -> None:
    parameters = data.draw(st.fixed_dictionaries({}, optional=PARAMETERS[name]), "parameters")
    twin = ADAPTATIONS[name](**parameters)
    for at, now_s, row in moments(watched, run(watched, name, parameters, steps)):
        quality, wait_s = twin.choose(watched, at)
        assert agrees(twin, watched, at, quality, row["quality"]), (at, quality, row)
        assert row["request_s"] - now_s == pytest.approx(wait_s, abs=INSTANT_S), (at, row)
        assert row["buffer_at_request_s"] == pytest.approx(at.buffer - wait_s, abs=INSTANT_S), (at, row)


def moment(buffer: float, before: int | None, *rates: float, segment: int = 100, bits: float = 4e6) -> Moment:
    """A moment after downloads at these rates."""
    downloads = [Download(bits=bits, time=bits / rate) for rate in rates]
    return Moment(segment=segment, buffer=buffer, before=before, downloads=downloads)


def test_the_harmonic_mean_by_hand() -> None:
    """3 / (1 + 1/2 + 1/4) = 1.714 of 1, 2 and 4 Mbit/s."""
    watched = film(200, rates=(0.5e6, 1.7e6, 1.75e6))
    assert ADAPTATIONS["rate"]().choose(watched, moment(8, 0, 1e6, 2e6, 4e6)) == (1, 0)
    assert ADAPTATIONS["rate"](share=0.99).choose(watched, moment(8, 0, 1e6, 2e6, 4e6)) == (0, 0)
    assert ADAPTATIONS["rate"](samples=2).choose(watched, moment(8, 0, 1e6, 2e6, 4e6)) == (2, 0)


@pytest.mark.parametrize(
    ("buffer", "before", "quality"),
    [
        (90, 2, 0),  # the reservoir
        (91, 1, 1),  # the map's 1.008 Mbit/s are above Rate-
        (153, 0, 0),  # R_i < f: the map's 2 Mbit/s are no rate below themselves
        (154, 0, 1),
        (153, 2, 2),  # R_i > f
        (152, 2, 1),
        (215, 1, 1),
        (216, 0, 2),  # the end of the cushion
    ],
)
def test_the_rate_map_by_hand(buffer: float, before: int, quality: int) -> None:
    """The paper's buffer: 90 s of reservoir, then 126 s of cushion from 1 to 3 Mbit/s."""
    watched = film(200, rates=(1e6, 2e6, 3e6), buffer=240)
    assert ADAPTATIONS["bba-0"]().choose(watched, moment(buffer, before)) == (quality, 0)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([1.0] * 200, 8),
        ([1.25] * 30 + [1.0] * 170, 30),  # 30 segments take 5 s instead of 4
        ([1.25] * 30 + [0.75] * 10 + [1.0] * 160, 20),
        ([2.0] * 200, 140),  # 480 s
        ([1.0] * 120 + [2.0] * 80, 8),  # beyond the next 480 s
    ],
)
def test_the_reservoir_by_hand(shape: list[float], expected: float) -> None:
    watched = Film(segment=4, rates=LADDER, shape=shape, buffer=240)
    assert reservoir(watched, 0, 140) == pytest.approx(expected)


def test_the_start_up_by_hand() -> None:
    """At 108 s, half of the cushion's end, 0.6875 of 4 s are needed: a download of less than 1.25 s."""
    watched = film(400, buffer=240)
    slow, fast, falling = (4e6 / time for time in (1.26, 1.24, 4.01))

    def choose(*rates: float) -> list[int]:
        twin = ADAPTATIONS["bba-2"]()
        return [twin.choose(watched, moment(108, 4, rate))[0] for rate in rates]

    assert choose(slow, fast, slow) == [4, 5, 4]
    # The map's 8.9 Mbit lie between the segments of 1850 and 2850 kbit/s; the quality above needs 17.2 Mbit.
    assert choose(falling, fast) == [4, 4]
    assert ADAPTATIONS["bba-2"]().choose(watched, moment(108, 0, slow)) == (3, 0)  # the map has more


EXAMPLE = (331e3, 688e3, 1427e3, 2962e3, 6000e3)
"""The rates of BOLA's section IV-A, in segments of 3 s."""


def test_the_thresholds_of_bola_by_hand() -> None:
    """The intersections of figure 1, V (gamma p - alpha) with VI-B's alpha, for gamma p = 5 and V = 0.93."""
    watched = film(200, rates=EXAMPLE, segment=3, buffer=25)
    v = control(watched, 25 / 3, 5)
    assert v == pytest.approx(0.93, abs=0.005)
    for quality, threshold_s in enumerate([12.06, 14.10, 16.13, 18.15]):
        assert most_worth(watched, 0.93, 5, (threshold_s - 0.02) / 3) == quality
        assert most_worth(watched, 0.93, 5, (threshold_s + 0.02) / 3) == quality + 1
        indifferent_s = 3 * indifferent(watched, quality, 0.93, 5)
        assert indifferent_s == pytest.approx(threshold_s, abs=0.01)
        both = [worth(watched, which, 0.93, 5, indifferent_s / 3) for which in (quality, quality + 1)]
        assert both[0] == pytest.approx(both[1])


@pytest.mark.parametrize(
    ("segment", "segments"), [(0, 3), (6, 3), (10, 5), (16, 8), (17, 25 / 3), (90, 5), (99, 3)]
)
def test_the_buffer_of_finite_films_by_hand(segment: int, segments: float) -> None:
    """Half of the film from its nearer end, from 3 segments to the buffer of 25 s."""
    assert dynamic_buffer(film(100, segment=3, buffer=25), segment) == pytest.approx(segments)


def test_a_rate_between_two_qualities_by_hand() -> None:
    """V-E's example: 2 Mbit/s are between 1.5 and 3.0 Mbit/s.

    V = (25/3 - 1) / (ln 2 + 5) = 1.288, and alpha = ln 2: both are worth the same at 5.548 segments, 16.64 s.
    """
    watched = film(200, rates=(1.5e6, 3e6), segment=3, buffer=25)
    bola_u, bola_o = ADAPTATIONS["bola-u"](), ADAPTATIONS["bola-o"]()
    assert bola_u.choose(watched, moment(20, 0, 2e6)) == (1, 0)
    assert bola_o.choose(watched, moment(20, 0, 2e6)) == (0, pytest.approx(20 - 16.643, abs=0.001))
    assert bola_o.choose(watched, moment(16, 0, 2e6)) == (0, 0)
    assert bola_o.choose(watched, moment(20, 0, 3e6)) == (1, 0)


def test_a_rise_does_not_end_below_the_quality_before() -> None:
    watched = film(200, rates=(1e6, 2e6, 4e6), segment=3, buffer=25)
    for name in ("bola-u", "bola-o"):
        assert ADAPTATIONS[name]().choose(watched, moment(22, 1, 1.2e6)) == (1, 0)


def test_the_cautious_rate_by_hand() -> None:
    """2 / (1 + 1/2) Mbit/s; the second download was predicted at 1 Mbit/s and had 2, an error of a half."""
    assert RobustMpc().rate(moment(8, 0, 1e6, 2e6).downloads) == pytest.approx(4e6 / 3 / 1.5)
    assert RobustMpc(samples=1).rate(moment(8, 0, 1e6, 2e6, 2e6).downloads) == pytest.approx(2e6)


def test_plans_by_hand() -> None:
    watched = film(200, rates=(1e6, 2e6), segment=4, buffer=20)
    # Downloads take 4 and 8 s, which is 2 and 6 s too much.
    assert RobustMpc(horizon=1).values(watched, moment(2, 0, 1e6)) == pytest.approx([-5e6, -17e6])
    # A rise costs what it brings, but for two segments once.
    assert RobustMpc(horizon=2).values(watched, moment(16, 0, 1e6)) == pytest.approx([2e6, 3e6])
    assert RobustMpc(horizon=2).values(watched, moment(16, None, 1e6)) == pytest.approx([2e6, 4e6])
    # The film's last segment.
    assert RobustMpc().values(watched, moment(16, 0, 1e6, segment=199)) == pytest.approx([1e6, 1e6])


def test_a_plan_knows_the_size_of_the_buffer() -> None:
    """A segment takes 0.5 or 10 s: two low ones leave 8 s instead of 11, and a high one then lacks 2 s."""
    watched = film(200, rates=(1e6, 20e6), segment=4, buffer=8)
    plans = RobustMpc(horizon=3, switches=0)
    assert plans.values(watched, moment(4, 0, 8e6)) == pytest.approx([22e6 - 2 * 3e6, 41e6 - 8.5 * 3e6])
