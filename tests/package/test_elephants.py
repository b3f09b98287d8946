"""Elephants by their share of a link, by latent heat, by samples of packets and by filters."""

import numpy as np
import pytest

from ackclock.errors import InputError
from ackclock.measures import elephants


def test_a_share_of_the_link_is_judged_in_each_interval() -> None:
    rates = [[60, 30, 10], [10, 30, 60]]
    assert elephants.by_share(rates, 0.5).tolist() == [[True, False, False], [False, False, True]]
    assert elephants.by_load(rates, 0.8).tolist() == [[True, True, False], [False, True, True]]
    assert elephants.by_load([[0, 0], [1, 0]], 0.9).tolist() == [[False, False], [True, False]]


def test_latent_heat_keeps_a_flow_in_its_class_through_a_short_burst_or_pause() -> None:
    # Over the threshold of 5 but for one interval, and below it but for one.
    rates = np.array([[9, 1], [9, 1], [0, 9], [9, 1], [9, 1]])
    assert (rates > 5).tolist()[2] == [False, True], "by its rate alone each changes its class"
    assert elephants.latent_heat(rates, 5, intervals=3).tolist() == [[True, False]] * 5
    assert elephants.latent_heat(rates, 5, intervals=1).tolist() == (rates > 5).tolist()


def test_latent_heat_forgets_what_is_older_than_its_intervals() -> None:
    rates = np.array([[100]] + [[0]] * 4)
    assert elephants.latent_heat(rates, 1, intervals=2)[:, 0].tolist() == [True, True, False, False, False]


def test_sample_and_hold_finds_large_flows_and_misses_the_inverse_of_its_probability() -> None:
    probability, packets, runs = 1e-5, 1000, 300
    missed = []
    for seed in range(runs):
        held = elephants.sample_and_hold(np.zeros(packets, int), np.full(packets, 1000), probability, seed)
        missed.append(1000 * packets - held[0])
    # A packet that is sampled is counted whole.
    error = 3 * np.std(missed) / runs**0.5
    assert np.mean(missed) == pytest.approx(1 / probability, abs=error + 1000)


def test_sample_and_hold_keeps_little_of_many_small_flows() -> None:
    flows = np.arange(10_000)
    held = elephants.sample_and_hold(flows, np.full(10_000, 1000), 1e-5)
    assert len(held) == pytest.approx(10_000 * 0.00995, rel=0.4)


def traffic(flows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Packets of 1000 bytes in random order: one flow in a hundred has 300 of them, the others have three."""
    packets = np.where(np.arange(flows) % 100 == 0, 300, 3)
    who = np.random.default_rng(seed).permutation(np.repeat(np.arange(flows), packets))
    return who, np.full(who.size, 1000)


@pytest.mark.parametrize("conservative", [False, True])
def test_a_multistage_filter_misses_no_large_flow(conservative: bool) -> None:
    who, sizes = traffic(2000, 1)
    held = elephants.multistage_filter(who, sizes, 300_000, buckets=50, stages=3, conservative=conservative)
    assert set(range(0, 2000, 100)) <= held.keys()
    # A flow is held when it reaches the threshold, at the latest.
    assert all(held[flow] >= 1000 for flow in range(0, 2000, 100))


def test_few_small_flows_pass_a_multistage_filter() -> None:
    """Lemma 1 of the source: a flow of s bytes passes with at most (1/k * T/(T - s))^d, k = T * b / C."""
    buckets, stages, threshold, small = 200, 2, 250_000, 3000
    passed, carried, runs = 0, 0, 40
    for seed in range(runs):
        who, sizes = traffic(1000, seed)
        held = elephants.multistage_filter(who, sizes, threshold, buckets=buckets, stages=stages, seed=seed)
        passed += sum(flow % 100 != 0 for flow in held)
        carried = int(sizes.sum())
    k = threshold * buckets / carried
    bound = (threshold / (threshold - small) / k) ** stages
    assert 0 < passed / (990 * runs) <= bound < 1


def test_conservative_update_lets_fewer_pass() -> None:
    who, sizes = traffic(2000, 2)
    plain = elephants.multistage_filter(who, sizes, 100_000, buckets=60, stages=3)
    fewer = elephants.multistage_filter(who, sizes, 100_000, buckets=60, stages=3, conservative=True)
    assert fewer.keys() < plain.keys()


def test_periodic_samples_have_every_nth_packet() -> None:
    assert elephants.periodic_sample([7, 7, 8, 7, 7, 8], 2) == {7: 2, 8: 1}
    assert elephants.periodic_sample([7, 7, 8, 7, 7, 8], 3, offset=2) == {8: 2}


def test_random_samples_are_independent_of_each_other() -> None:
    """The samples of a flow are binomial in number; periodic ones would be as many each time here."""
    probability, packets, runs = 0.1, 500, 400
    flows = np.tile([3, 8], packets)
    found = [elephants.random_sample(flows, probability, seed) for seed in range(runs)]
    assert all(found[0][flow] != 0 and set(sample) <= {3, 8} for flow in (3, 8) for sample in found)
    for flow in (3, 8):
        counts = np.array([sample.get(flow, 0) for sample in found])
        deviation = (packets * probability * (1 - probability)) ** 0.5
        assert counts.mean() == pytest.approx(packets * probability, abs=4 * deviation / runs**0.5)
        assert counts.std() == pytest.approx(deviation, rel=0.15)
    first, second = (np.array([sample.get(flow, 0) for sample in found]) for flow in (3, 8))
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / runs**0.5


def test_syns_count_the_connections_of_which_no_packet_was_sampled() -> None:
    """Of connections of three packets, sampled with 1/20, one in seven leaves a trace; SYNs count all."""
    connections, frequency, runs = 3000, 0.05, 200
    who, _ = traffic(connections, 5)
    _, first = np.unique(who, return_index=True)
    traces, estimates, lengths = [], [], []
    for seed in range(runs):
        sampled = elephants.random_sample(np.arange(who.size), frequency, seed)
        places = np.fromiter(sampled, dtype=np.int64)
        traces.append(np.unique(who[places]).size)
        estimates.append(elephants.flows_by_syns(int(np.isin(first, places).sum()), frequency))
        lengths.append(places.size / frequency / estimates[-1])
    assert max(traces) < connections / 5
    error = (connections * (1 - frequency) / frequency) ** 0.5
    assert np.mean(estimates) == pytest.approx(connections, abs=4 * error / runs**0.5)
    assert np.std(estimates) == pytest.approx(error, rel=0.25)
    assert np.mean(lengths) == pytest.approx(who.size / connections, rel=0.05)


def test_the_threshold_of_samples_keeps_false_positives_within_their_share() -> None:
    """By drawings of the samples: within the share at the threshold, and beyond it at one less."""
    packets = np.repeat([5, 50, 400, 2000], [20_000, 1500, 300, 40])
    least = elephants.sampled_threshold(packets, 400, 0.02, 0.05)
    drawn = np.random.default_rng(3).binomial(packets, 0.02, size=(200, packets.size))

    def share(threshold: int) -> float:
        taken = drawn >= threshold
        return float((taken & (packets < 400)).sum() / taken.sum())

    assert share(least) <= 0.05 < share(least - 1)
    # Samples of every packet leave no doubt.
    assert elephants.sampled_threshold([1, 10, 100], 100, 0.999999, 1e-6) == 11


def test_wrong_input_is_named() -> None:
    with pytest.raises(InputError, match="no flow of the prior has 9 packets"):
        elephants.sampled_threshold([1, 2], 9, 0.1, 0.1)
    with pytest.raises(InputError, match="offset 3 of period 3"):
        elephants.periodic_sample([1], 3, 3)
    with pytest.raises(InputError, match="-1 SYNs"):
        elephants.flows_by_syns(-1, 0.5)
    with pytest.raises(InputError, match="2 is no share"):
        elephants.random_sample([1], 2)
    with pytest.raises(InputError, match="0 buckets"):
        elephants.multistage_filter([1], [1], 1, buckets=0)
    with pytest.raises(InputError, match=r"1\.5 is no share"):
        elephants.by_share([[1]], 1.5)
    with pytest.raises(InputError, match="row per interval"):
        elephants.by_load([1, 2], 0.5)
    with pytest.raises(InputError, match="2 flows and 1 sizes"):
        elephants.sample_and_hold([1, 2], [3], 0.1)
