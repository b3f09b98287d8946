"""The analytical models, against what the paper and the RFCs state and against rules played by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock import models
from ackclock.errors import InputError
from ackclock.models import FlowForecast, SubPacketModel, expected_idle, risk
from ackclock.models.figure import draw

EPOCHS = 60_000
ALL = [
    SubPacketModel(kind, small_windows=a, failed_second=b, top=c, last_wait=d)  # type: ignore[arg-type]
    for kind, a, b, c, d in itertools.product(*models.READINGS.values())
]


def closed_forms(p: float) -> list[float]:
    """As printed in section 3.3.2 and 3.3.3, and the next of the series."""
    return [upper / (1 - 2 * p) for upper in (1, 3 - 2 * p, 7 - 6 * p, 15 - 14 * p)]


def series(p: float, first_wait: int) -> float:
    """The sums of equations 8 and 11, term by term: w (1 - p) + (2 w + 1) p (1 - p) + .."""
    total, wait = 0.0, first_wait
    for k in range(400):
        total += wait * p**k * (1 - p)
        wait = 2 * wait + 1
    return total


@pytest.mark.parametrize("p", [0.01, 0.1, 0.3, 0.4])
def test_mean_waits_are_the_sums_of_the_paper_and_its_closed_forms(p: float) -> None:
    closed = [
        1 / (1 - 2 * p),
        (3 - 2 * p) / (1 - 2 * p),
        (7 - 6 * p) / (1 - 2 * p),
        (15 - 14 * p) / (1 - 2 * p),
    ]
    for backoffs, expected in enumerate(closed):
        assert expected_idle(backoffs, p) == pytest.approx(expected)
        assert expected_idle(backoffs, p) == pytest.approx(series(p, 2 ** (backoffs + 1) - 1))
    full = SubPacketModel().idle(p)
    assert [float(full[f"b*({k}r)"]) for k in (1, 2, 3)] == pytest.approx(closed[1:])
    assert full["b*"] == pytest.approx(closed[0])


def test_staying_idle_has_probability_2p() -> None:
    """Equations 9 and 10."""
    p = np.array([0.05, 0.2, 0.4])
    steps = {(s.source, s.target): s.probability for s in SubPacketModel("approximate").transitions(p)}
    np.testing.assert_allclose(steps["b*", "b*"], 2 * p)
    np.testing.assert_allclose(steps["b*", "S_1"], 1 - 2 * p)


def test_only_windows_of_four_and_more_recover_fast_and_never_to_less_than_two() -> None:
    steps = SubPacketModel().transitions(0.1)
    fast = {step.source: step.target for step in steps if "fast retransmissions" in step.because}
    assert fast == {"S_4": "S_2", "S_5": "S_2", "S_6": "S_3"}
    early = SubPacketModel(duplicates=1).transitions(0.1)
    fast = {step.source: step.target for step in early if "fast retransmissions" in step.because}
    assert fast == {"S_2": "S_2", "S_3": "S_2", "S_4": "S_2", "S_5": "S_2", "S_6": "S_3"}


@given(
    p=st.floats(0, 0.999),
    model=st.sampled_from(ALL),
    w_max=st.integers(3, 20),
    depth=st.integers(1, 8),
    base=st.sampled_from([2.0, 3.5, 10.0]),
    cap=st.sampled_from([None, 16.0, 160.0]),
    recoverable=st.integers(0, 3),
)
@settings(max_examples=150, deadline=None)
def test_probabilities_add_up(
    p: float,
    model: SubPacketModel,
    w_max: int,
    depth: int,
    base: float,
    cap: float | None,
    recoverable: int,
) -> None:
    settled = {name: getattr(model, name) for name in models.READINGS}
    model = SubPacketModel(
        **settled, w_max=w_max, depth=depth, base_rto=base, max_rto=cap, recoverable=recoverable
    )
    if p >= model.limit:
        with pytest.raises(InputError, match="max_rto"):
            model.at(p)
        return
    leaving = dict.fromkeys(model.states, 0.0)
    for step in model.transitions(p):
        assert -1e-12 <= step.probability.item() <= 1 + 1e-12
        leaving[step.source] += step.probability.item()
    assert list(leaving.values()) == pytest.approx([1] * len(leaving))
    found = model.at(p)
    assert found.probability.min() > -1e-9
    assert found.sent.sum() == pytest.approx(1)
    assert 0 < found.throughput <= w_max


def test_where_loss_is_rare_the_window_is_full_and_timeouts_come_with_its_square() -> None:
    """By hand, to first order.

    S_6 loses one of six with 6p and then climbs through S_3, S_4, S_5. A timeout takes two losses (15 p^2), a
    lost retransmission (6 p^2) or a second loss in S_3 (6p times 3p).
    """
    p = 1e-6
    for kind in ("approximate", "full", "counter"):
        found = SubPacketModel(kind).at(p)
        for state in ("S_3", "S_4", "S_5"):
            assert found.of(state) / p == pytest.approx(6, rel=1e-4)
        assert found.silent / p**2 == pytest.approx(15 + 6 + 18, rel=1e-3)
    assert SubPacketModel().at(0).throughput == pytest.approx(6)


def play(
    p: float, idle: Callable[[int, bool, np.random.Generator], int], seed: int, split: bool = False
) -> np.ndarray:
    """Packets sent per epoch by a sender that follows section 3 step by step.

    `idle` says how many epochs pass in silence: after how many back-offs, and whether the window was small.
    """
    rng = np.random.default_rng(seed)
    sent: list[int] = []
    window, backoffs = 2, 0
    while len(sent) < EPOCHS:
        sent.append(window)
        losses = rng.binomial(window, p)
        if losses == 0:
            window = min(window + 1, 6)
            continue
        if losses == 1 and window >= 4 and rng.random() >= p:
            window //= 2
            continue
        small = window <= 3
        backoffs = 0
        while True:
            sent += [0] * idle(backoffs, small, rng)
            backoffs += 1
            sent.append(1)
            if rng.random() >= p:
                sent.append(2)
                arrived = rng.random(2) >= p
                if arrived.all():
                    window = 3
                    break
                if split and arrived[0]:
                    backoffs, small = 0, False
    return np.array(sent[:EPOCHS])


def agrees(
    model: SubPacketModel,
    p: float,
    idle: Callable[[int, bool, np.random.Generator], int],
    split: bool = False,
) -> None:
    """Shares of epochs within four standard errors over independent plays."""
    shares = np.array([np.bincount(play(p, idle, seed, split), minlength=7) / EPOCHS for seed in range(6)])
    error = shares.std(axis=0, ddof=1) / math.sqrt(len(shares))
    # Student's t with five degrees of freedom: 6.9 standard errors are exceeded once in a thousand.
    assert (np.abs(shares.mean(axis=0) - model.at(p).sent) < 6.9 * error + 1e-4).all()


@pytest.mark.parametrize("p", [0.05, 0.1, 0.15])
def test_the_counter_is_what_the_rules_come_to(p: float) -> None:
    agrees(SubPacketModel("counter"), p, lambda backoffs, _small, _rng: 2 ** (backoffs + 1) - 1)


@pytest.mark.parametrize("p", [0.1, 0.2])
def test_a_first_packet_that_arrives_ends_the_back_off_where_losses_are_split(p: float) -> None:
    model = SubPacketModel("counter", failed_second="split")
    assert model.limit == pytest.approx(1 - math.sqrt(0.5))
    agrees(model, p, lambda backoffs, _small, _rng: 2 ** (backoffs + 1) - 1, split=True)


@pytest.mark.parametrize("p", [0.2, 0.35])
def test_a_limited_timeout_is_what_the_rules_come_to(p: float) -> None:
    model = SubPacketModel("counter", max_rto=24)
    agrees(model, p, lambda backoffs, _small, _rng: min(2 ** (backoffs + 1), 24) - 1)


@pytest.mark.parametrize("p", [0.08, 0.2])
def test_the_full_model_is_what_its_waits_come_to(p: float) -> None:
    closed = [
        1 / (1 - 2 * p),
        (3 - 2 * p) / (1 - 2 * p),
        (7 - 6 * p) / (1 - 2 * p),
        (15 - 14 * p) / (1 - 2 * p),
    ]

    def idle(backoffs: int, small: bool, rng: np.random.Generator) -> int:
        if backoffs == 0 and not small:
            return 1
        return int(rng.geometric(1 / closed[min(backoffs, 3)]))

    agrees(SubPacketModel(), p, idle)


def test_a_loss_rate_beyond_the_range_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match=r"0\.5: with timeouts that double without limit.*max_rto"):
        SubPacketModel().at([0.1, 0.5])
    with pytest.raises(InputError, match=r"0\.2063.*max_rto"):
        SubPacketModel("counter").at(0.21)
    with pytest.raises(InputError, match="below 1"):
        SubPacketModel(max_rto=160).at(1.0)
    with pytest.raises(InputError, match="at least 0"):
        SubPacketModel().at(-0.1)
    for p in (0.21, 0.5, 0.9):
        assert 0 < SubPacketModel("counter", max_rto=160).at(p).throughput < 2
        assert 0 < SubPacketModel("full", max_rto=160).at(p).throughput < 2


def test_the_counters_limit_is_where_three_packets_get_through_half_of_the_time() -> None:
    """The back-off doubles with every failure, so at one half the mean idle time has no limit."""
    assert pytest.approx(0.5) == (1 - models.COUNTER_LIMIT) ** 3
    near = models.COUNTER_LIMIT - np.array([1e-2, 1e-3, 1e-4, 1e-5])
    idle = SubPacketModel("counter").at(near).mean_idle
    np.testing.assert_allclose(idle[1:] / idle[:-1], 10, rtol=0.35)


def test_a_late_limit_of_the_timeout_changes_nothing_and_an_early_one_bounds_the_wait() -> None:
    p = np.array([0.05, 0.1])
    for kind in ("approximate", "full"):
        plain = SubPacketModel(kind).at(p)
        late = SubPacketModel(kind, max_rto=2.0**40).at(p)
        np.testing.assert_allclose(late.probability, plain.probability, rtol=1e-6)
    assert expected_idle(0, 0.999999, max_rto=16) == pytest.approx(15, abs=1e-3)
    assert expected_idle(5, 0.3, max_rto=16) == pytest.approx(15)


def test_depth_does_not_change_a_counter() -> None:
    deep = SubPacketModel("counter", depth=12).at([0.05, 0.15]).sent
    np.testing.assert_allclose(SubPacketModel("counter", depth=2).at([0.05, 0.15]).sent, deep, rtol=1e-9)


def test_arrays_of_any_shape_come_back_in_it() -> None:
    p = np.array([[0.1, 0.2, 0.3], [0.01, 0.02, 0.4]])
    found = SubPacketModel().at(p)
    assert found.sent.shape == (2, 3, 7)
    assert found.throughput.shape == p.shape
    one = SubPacketModel().at(0.3)
    np.testing.assert_allclose(found.sent[0, 2], one.sent)
    assert found.table().height == 42
    np.testing.assert_allclose(found.goodput, found.throughput * (1 - p))
    assert models.padhye(p).shape == models.htcp(p).shape == p.shape


def test_what_makes_no_sense_is_refused() -> None:
    for options in ({"kind": "exact"}, {"w_max": 2}, {"depth": 0}, {"base_rto": 1.0}, {"max_rto": 1.0}):
        with pytest.raises(InputError):
            SubPacketModel(**options)
    with pytest.raises(InputError, match='no state is named "S_7"'):
        risk(0.1, "S_7")


def test_the_risk_of_a_timeout_is_that_of_losing_what_cannot_be_repaired() -> None:
    p = np.array([0.05, 0.2])
    kept = 1 - p
    np.testing.assert_allclose(risk(p, "S_3").timeout, 1 - kept**3)
    np.testing.assert_allclose(risk(p, "S_5").timeout, 1 - kept**5 - 5 * p * kept**5)
    np.testing.assert_allclose(risk(p, "S_5").repeated, 0)
    np.testing.assert_allclose(risk(p, "S_2(2r)").repeated, 1 - kept**2)
    np.testing.assert_allclose(risk(p, "S_1(1r)", epochs=2).repeated, 1 - kept**3)
    np.testing.assert_allclose(risk(p, "b*(1r)").timeout, 0)
    assert risk(0.1, "S_6", epochs=2000).timeout == pytest.approx(1)


def test_a_middlebox_that_counts_packets_is_as_often_right_as_it_says() -> None:
    """Forecasts for a flow that plays by the rules, sorted into tenths of the risk."""
    p = 0.12
    sent = play(p, lambda backoffs, _small, _rng: 2 ** (backoffs + 1) - 1, seed=3)[:6000]
    box = FlowForecast(p, SubPacketModel("counter", depth=6))
    said, came = [], []
    for now, following in itertools.pairwise(sent):
        box.observe(int(now))
        if now:
            said.append(float(box.risk().timeout))
            came.append(following == 0)
    tenths = (np.array(said) * 10).astype(int)
    for tenth in np.unique(tenths):
        mine = tenths == tenth
        if mine.sum() > 100:
            share, error = np.mean(np.array(came)[mine]), 0.5 / math.sqrt(mine.sum())
            assert np.mean(np.array(said)[mine]) == pytest.approx(share, abs=4 * error)


def test_silences_tell_the_depth_of_the_back_off() -> None:
    box = FlowForecast(0.1, SubPacketModel("counter"))
    for count in (4, 0, 1, 0, 0, 0, 1):
        box.observe(count)
    assert box.model.states[int(box.belief.argmax())] == "S_1(2r)"
    assert box.risk().repeated == pytest.approx(0.1)
    box.observe(40)  # not by the rules: a window beyond the model's
    assert box.belief[box.model.states.index("S_6")] == 1


def test_many_flows_are_forecast_as_each_of_them() -> None:
    counts = np.array([[4, 1, 0], [0, 2, 0], [1, 40, 1], [0, 3, 0], [0, 0, 0]])
    found = models.beliefs(counts, 0.1)
    for flow in range(3):
        box = FlowForecast(0.1)
        for epoch, row in enumerate(counts):
            box.observe(int(row[flow]))
            np.testing.assert_allclose(found[epoch, flow], box.belief)


def test_packets_are_counted_per_epoch() -> None:
    counts = models.packets_per_epoch([5.0, 5.1, 5.45, 6.3], 0.4, until_s=7.1)
    assert counts.tolist() == [2, 1, 0, 1, 0, 0]


@pytest.mark.parametrize(
    ("p", "reno", "hstcp", "cubic"),
    [(1e-4, 120, 263, 187), (1e-6, 1200, 12280, 5926), (1e-8, 12000, 574356, 187400)],
)
def test_windows_are_those_of_rfc_9438(p: float, reno: float, hstcp: float, cubic: float) -> None:
    """Table 1 of RFC 9438, a round trip of 0.1 s; its Reno is 1.2 / sqrt(p)."""
    assert models.mathis(p) == pytest.approx(reno, rel=0.03)
    assert models.hstcp(p) == pytest.approx(hstcp, rel=0.01)
    assert models.cubic(p) == pytest.approx(cubic, rel=0.01)


def sawtooth(grow: Callable[[float, float], float], keeps: float, period: float) -> float:
    """The mean window of a rule per round trip with a loss after every `period` packets, after long play."""
    window, since, packets = 20.0, 0, 0.0
    total, counted, losses = 0.0, 0, 0
    while losses < 60:
        packets += window
        if losses >= 40:
            total, counted = total + window, counted + 1
        since += 1
        if packets >= period:
            packets -= period
            losses += 1
            since = 0
            window *= keeps
        else:
            window += grow(window, since)
    return total / counted


@pytest.mark.parametrize("p", [1e-3, 1e-5])
def test_htcp_is_what_its_rule_comes_to(p: float) -> None:
    def grow(_window: float, since: float) -> float:
        late = max(since * 0.1 - 1, 0)
        return 0.4 * (1 + 10 * late + late**2 / 4)

    assert models.htcp(p, rtt_s=0.1, floor=False) == pytest.approx(sawtooth(grow, 0.8, 1 / p), rel=0.1)


@pytest.mark.parametrize(("k", "power"), [(0.8, 0.833), (0.75, 0.8)])
def test_compound_is_what_its_rule_comes_to(k: float, power: float) -> None:
    windows = [float(models.compound(p, k=k, floor=False)) for p in (1e-4, 1e-6)]
    for window, period in zip(windows, (1e4, 1e6), strict=True):
        played = sawtooth(lambda window, _since: 0.125 * window**k, 0.5, period)
        assert window == pytest.approx(played, rel=0.1)
    assert np.log(windows[1] / windows[0]) / np.log(100) == pytest.approx(power, abs=0.001)


@pytest.mark.parametrize("p", [1e-5, 1e-7])
def test_bic_climbs_and_searches(p: float) -> None:
    """A cycle played by hand: half of what is left per round, but 0.01 to 32 packets; the last at the top."""
    window = float(models.bic(p, floor=False))
    packets, rounds, top = 0.0, 0, window  # of the cycle whose packets are 1 / p; found by trying
    for _ in range(200):
        now, packets, rounds = 0.875 * top, top, 1
        while top - now > 1e-6:
            packets, rounds = packets + now, rounds + 1
            now += min(32.0, max((top - now) / 2, 0.01))
        top *= (1 / p / packets) ** 0.3
    assert window == pytest.approx(packets / rounds, rel=0.03)


def test_formulas_for_standard_tcp_agree_where_loss_is_rare_and_part_where_it_is_not() -> None:
    rare = 1e-6
    for formula in (models.padhye, models.padhye_approximate, models.tfrc):
        assert formula(rare) == pytest.approx(models.mathis(rare), rel=0.01)
    assert models.mathis(0.5) > 1, "the law promises more than a packet per round trip whatever p is"
    for p in (0.3, 0.5):
        assert models.padhye(p) < 1
        assert models.padhye_approximate(p) < 1
    assert models.padhye(rare, window=10) == pytest.approx(10, rel=0.01)
    assert models.padhye_approximate(rare, window=10) == 10
    assert models.padhye(0.01, rtt_s=0.1, rto_s=0.4) == pytest.approx(10 * models.padhye(0.01))
    assert models.random_constant() == pytest.approx(1.31, abs=0.005)
    with pytest.raises(InputError):
        models.mathis(0.0)


def test_the_figure_shows_every_model() -> None:
    figure = draw()
    windows, groups = figure.axes
    names = [line.get_label() for line in windows.lines]
    assert {*models.HIGH_SPEED, "Mathis et al.", "PFTK, full", "PFTK, approximate", "Markov, full"} <= set(
        names
    )
    assert sum(not str(line.get_label()).startswith("_") for line in groups.lines) == 7
