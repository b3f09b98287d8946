"""`ackclock.gym`: Gymnasium's own check, worlds of several agents, and equal bytes on any threads."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ackclock
from ackclock.errors import InputError
from ackclock.scenarios.load import load_scenario

gymnasium = pytest.importorskip("gymnasium", reason="needs Gymnasium: pip install ackclock[gym]")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import ackclock.gym as ag  # noqa: E402
from ackclock import _native  # noqa: E402
from ackclock._native import Worlds  # noqa: E402
from ackclock.gym import observations  # noqa: E402

SHORT = {"duration": "3 s", "warm_up": "0 s"}
RANGES: dict[str, Any] = {
    "topology.dumbbell.bottleneck.rate": ("5 Mbit/s", "20 Mbit/s"),
    "topology.dumbbell.bottleneck.delay": ("5 ms", "40 ms"),
    "topology.dumbbell.bottleneck.buffer": ["20 packets", "80 packets"],
}


@pytest.mark.filterwarnings("ignore:.*symmetric and normalized")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"action": "window", "ranges": RANGES, "observe": ["rtt_share"]},
        {"action": "rate", "interval_s": 0.05, "reward": "orca"},
        {"action": "packets", "reward": "alpha-fair", "largest_window_packets": 100.0},
    ],
)
def test_gymnasiums_check_passes(options: dict[str, Any]) -> None:
    env = gymnasium.make("ackclock/Window-v0", settings=SHORT, **options)
    check_env(env.unwrapped)


class Forty:
    """Forty packets from the first acknowledgment on."""

    name = "agent"

    def __init__(self, start: ackclock.Start) -> None:
        self.cwnd = start.initial_window

    def on_ack(self, _ack: ackclock.Ack) -> None:
        self.cwnd = 40.0

    def on_congestion(self, event: ackclock.Congestion) -> None:
        assert not event.restart


def test_a_window_set_in_steps_is_the_class_of_that_window() -> None:
    """The loss of a packet in 200 keeps recovery at work, without a timeout."""
    settings = {**SHORT, "duration": "20 s", "topology.dumbbell.bottleneck.loss": "{ bernoulli = 0.005 }"}
    scenario = load_scenario("single-flow", settings).with_custom(["agent"])
    scenario = scenario.with_value("tcp.algorithm", "agent")
    worlds = Worlds(scenario, "agent", 1, action="packets")
    facts = np.array(worlds.reset(0, scenario))
    lost = 0.0
    while not worlds.step(np.array([40.0]), facts)[0]:
        lost += facts[0, observations.COLUMNS["lost_packets"]]
    stepped = worlds.finish(0)
    classes: dict[str, Any] = {"agent": Forty}
    whole = _native.run(scenario, algorithms=classes)
    assert lost > 0
    assert stepped.digest == whole.digest


def episode(threads: int, **options: Any) -> list[bytes]:
    """The bytes of forty steps of five worlds."""
    envs = gymnasium.make_vec(
        "ackclock/Window-v0", num_envs=5, settings=SHORT, ranges=RANGES, threads=threads, **options
    )
    observed, info = envs.reset(seed=7)
    random = np.random.default_rng(1)
    seen = [observed.tobytes(), repr(list(info["path"])).encode()]
    for _ in range(60):
        actions = random.uniform(-1, 1, (envs.num_envs, 1))
        observed, reward, _, truncated, info = envs.step(actions)
        seen += [observed.tobytes(), reward.tobytes(), truncated.tobytes(), info["facts"].tobytes()]
    return seen


def test_threads_change_nothing() -> None:
    assert episode(1) == episode(3)


def test_an_environment_is_a_row_of_the_vector() -> None:
    options: dict[str, Any] = {"settings": SHORT, "action": "window", "interval_s": 0.1, "reward": "power"}
    env = gymnasium.make("ackclock/Window-v0", **options)
    envs = gymnasium.make_vec("ackclock/Window-v0", num_envs=2, **options)
    env.reset(seed=1)
    envs.reset(seed=1)
    action = np.array([-0.2])
    for _ in range(29):
        observed, reward, _, truncated, _ = env.step(action)
        rows, rewards, _, truncations, _ = envs.step(np.array([action, action]))
        # The scenario has no randomness but its seed, which nothing uses.
        assert (rows == observed).all()
        assert (rewards == reward).all()
        assert not truncated
        assert not truncations.any()
    assert env.step(action)[3]
    assert envs.step(np.array([action, action]))[3].all()
    # The next step begins an episode, without a reward.
    rows, rewards, _, truncations, info = envs.step(np.array([action, action]))
    assert not rewards.any()
    assert not truncations.any()
    assert [sorted(path) for path in info["path"]] == [["seed"], ["seed"]]
    assert (rows[:, observations.DEFAULT.index("cwnd_packets")] == 10.0).all()


def test_windows_are_bounded_and_the_excess_is_said() -> None:
    env = gymnasium.make(
        "ackclock/Window-v0", settings=SHORT, largest_window_packets=16.0, observe=["cwnd_packets"]
    )
    assert env.reset(seed=1)[0] == [10.0]
    observed, _, _, _, info = env.step(np.array([1.0]))
    assert (observed[0], info["window_excess_packets"]) == (16.0, 4.0)


def test_agents_share_a_link_with_each_other_and_with_competitors() -> None:
    scenario = {
        "name": "shared",
        "duration": "10 s",
        "topology": {
            "dumbbell": {
                "pairs": 3,
                "bottleneck": {"rate": "12 Mbit/s", "delay": "20 ms", "buffer": "60 packets"},
                "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
            }
        },
        "flow": [{"count": 2, "algorithm": "agent"}, {"name": "cubic", "algorithm": "cubic"}],
    }
    envs = gymnasium.make_vec(
        "ackclock/Window-v0",
        scenario=scenario,
        num_envs=2,
        action="window",
        largest_window_packets=100.0,
        interval_s=1.0,
        observe=["goodput_bit_per_s", "loss_share"],
    )
    assert envs.num_envs == 4
    envs.reset(seed=1)
    actions = np.array([[0.0], [-0.5], [0.0], [-0.5]])  # 10 and 3.16 packets
    observed = envs.step(actions)[0]
    for _ in range(8):
        observed = envs.step(actions)[0]
    goodput = observed[:, 0].reshape(2, 2)
    assert (goodput[:, 0] > 2.5 * goodput[:, 1]).all()
    assert (goodput.sum(axis=1) < 8e6).all()  # CUBIC has the rest
    with pytest.raises(InputError, match=r"2 flows are the agent's"):
        gymnasium.make("ackclock/Window-v0", scenario=scenario)


def test_observations_follow_from_each_other() -> None:
    env = gymnasium.make("ackclock/Window-v0", settings=SHORT, observe=list(ag.OBSERVATIONS))
    env.reset(seed=1)
    most = 0.0
    for action in (1.0, 1.0, 1.0, -1.0, 0.0):
        step = ag.Step(env.step(np.array([action]))[0])
        goodput = step["delivered_packets"] / step["duration_s"]
        most = max(most, goodput)
        assert step["goodput_packets_per_s"] == goodput
        assert step["most_goodput_packets_per_s"] == most
        assert step["goodput_share"] == goodput / most
        assert step["goodput_bit_per_s"] == goodput * step["segment_bytes"] * 8
        assert step["rtt_share"] == step["rtt_mean_s"] / step["rtt_min_s"]
        assert step["queueing_s"] == step["rtt_mean_s"] - step["rtt_min_s"]


@pytest.mark.parametrize("alone", [True, False])
def test_rewards_are_those_of_their_sources(alone: bool) -> None:
    """1000 packets per second at 60 ms, 40 at the least, 10 lost per second; the best step had 1250."""
    known = {
        "lost_packets": 20.0,
        "duration_s": 2.0,
        "loss_share": 20 / 2020,
        "goodput_packets_per_s": 1000.0,
        "goodput_share": 0.8,
        "rtt_mean_s": 0.060,
        "rtt_share": 1.5,
        "most_goodput_packets_per_s": 1250.0,
    }
    values = [known.get(name, 0.0) for name in ag.OBSERVATIONS]
    step = ag.Step(values if alone else np.array([values]).T)
    loss = 20 / 2020
    expected: dict[Any, float] = {
        ag.aurora: 10 * 1000 - 1000 * 0.06 - 2000 * loss,
        ag.orca: (1000 - 5 * 10) / 1250 * (1.25 * 0.040 / 0.060),
        ag.power: (1000 / 1250) * (0.040 / 0.060),
        ag.AlphaFair(): np.log(1000),
        ag.AlphaFair(2.0): -1 / 1000,
    }
    for reward, value in expected.items():
        assert np.shape(reward(step)) == (() if alone else (1,))
        assert reward(step) == pytest.approx(value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action": "widow"}, 'did you mean "window"'),
        ({"observe": ["rtt_men_s"]}, 'did you mean "rtt_mean_s"'),
        ({"reward": "auror"}, 'did you mean "aurora"'),
        ({"scenario": "no-such"}, "no-such"),
        ({"rewrad": "power"}, 'did you mean "reward"'),
        ({"interval_s": 0.0}, "interval_s"),
    ],
)
def test_wrong_options_are_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gymnasium.make("ackclock/Window-v0", **options)


def test_a_range_of_two_units_is_refused() -> None:
    ranges = {"topology.dumbbell.bottleneck.rate": ("5 Mbit/s", "1 Gbit/s")}
    env = gymnasium.make("ackclock/Window-v0", ranges=ranges)
    with pytest.raises(InputError, match="two quantities of one unit"):
        env.reset(seed=1)


class Reno:
    """RFC 5681 by the observations of each acknowledgment: RFC 3465's limit in slow start alone."""

    cwnd, ssthresh = 10.0, float("inf")

    def act(self, step: ag.Step) -> float:
        """The window in packets."""
        if step["congestion_signals"]:
            # RFC 5681, 3.2: what limited transmit sent beyond the window does not count.
            self.ssthresh = max(min(self.cwnd, step["in_flight_packets"]) / 2, 2.0)
            self.cwnd = 1.0 if step["timeouts"] else self.ssthresh
        elif step["may_grow"]:
            if self.cwnd < self.ssthresh:
                self.cwnd = min(self.cwnd + min(step["delivered_packets"], 1.0), self.ssthresh)
            else:
                self.cwnd += min(step["delivered_packets"] / self.cwnd, 1.0)
        return self.cwnd


@pytest.mark.parametrize("losses", ["0", "0.01"])
def test_an_agent_that_does_reno_by_hand_is_reno(losses: str) -> None:
    """To the byte, in a full queue and with random losses."""
    settings: dict[str, Any] = {
        "duration": "20 s",
        "warm_up": "0 s",
        "tcp.algorithm": "rack+reno",
        "topology.dumbbell.bottleneck.loss": f"{{ bernoulli = {losses} }}",
    }
    expected = _native.run(load_scenario("single-flow", settings))
    settings["tcp.algorithm"] = "rack+agent"
    env = ag.WindowEnv("single-flow", settings=settings, action="packets", each_acknowledgment=True)
    worlds = env.episodes.worlds
    step = ag.Step(worlds.reset(0, env.episodes.scenario)[0])
    reno, over, signals = Reno(), False, 0.0
    while not over:
        values, over = worlds.step_one(reno.act(step))
        step = ag.Step(values)
        signals += step["congestion_signals"]
    assert signals > 0
    assert tables(worlds.finish(0)) == tables(expected)


def tables(output: _native.RunOutput) -> dict[str, Any]:
    """The bytes of all columns but the algorithm's name and the threshold, which agents have not."""
    hidden = {"algorithm", "ssthresh_packets"}
    return {
        name: {column: data for column, _, data in output.take_table(name) or () if column not in hidden}
        for name in ("flows", "links", "flow_series", "drops")
    }


def test_a_world_that_takes_turns_may_be_left() -> None:
    env = gymnasium.make("ackclock/Window-v0", settings=SHORT, each_acknowledgment=True)
    for _ in range(3):
        env.reset(seed=1)
        observed = [env.step(np.array([0.0]))[0] for _ in range(5)]
        assert (np.array(observed)[:, observations.DEFAULT.index("cwnd_packets")] == 10.0).all()
    shared = {"topology.dumbbell.pairs": "2", "flow.0.count": "2"}
    with pytest.raises(InputError, match="a step for each acknowledgment is for one"):
        gymnasium.make_vec("ackclock/Window-v0", settings=shared, each_acknowledgment=True)


DRAWN = """
name = "drawn"
duration = "2 s"
[topology.dumbbell]
bottleneck = { delay = "10 ms", buffer = "50 packets" }
access = { rate = "100 Mbit/s", delay = "1 ms" }
[draw.topology.dumbbell.bottleneck]
rate = { choice = ["5 Mbit/s", "10 Mbit/s", { trace = "cell.down" }] }
loss.bernoulli = { uniform = { from = 0.0, to = 0.02 } }
[[flow]]
"""
RATE = "topology.dumbbell.bottleneck.rate"


def test_paths_are_drawn_from_the_laws_of_a_scenario_traces_included(tmp_path: Path) -> None:
    """A trace of a packet each 4 ms, 3 Mbit/s; a seed draws the same path, and so the same bytes."""
    (tmp_path / "cell.down").write_text("4\n")
    scenario = tmp_path / "drawn.toml"
    scenario.write_text(DRAWN)
    episodes: dict[str, list[Any]] = {}
    for seed in range(12):
        for _ in range(2):
            env: Any = gymnasium.make("ackclock/Window-v0", scenario=scenario, action="packets").unwrapped
            observed, info = env.reset(seed=seed)
            delivered, over = 0.0, False
            while not over:
                observed, _, _, over, step = env.step(np.array([40.0]))
                delivered += step["facts"][observations.COLUMNS["delivered_packets"]]
            episodes.setdefault(info["path"][RATE], []).append(
                (seed, info["path"], delivered, observed.tobytes())
            )
    assert len(episodes) == 3
    for rate, rows in episodes.items():
        assert rows[::2] == rows[1::2]
        largest = max(delivered for _, _, delivered, _ in rows)
        bound = {"5 Mbit/s": 834, "10 Mbit/s": 1667}.get(rate, 500)
        assert 0.5 * bound < largest <= bound + 50, (rate, largest)


def test_a_range_takes_the_place_of_a_law(tmp_path: Path) -> None:
    scenario = tmp_path / "drawn.toml"
    scenario.write_text(DRAWN.replace(', { trace = "cell.down" }', ""))
    env: Any = gymnasium.make("ackclock/Window-v0", scenario=scenario, ranges={RATE: ["7 Mbit/s"]}).unwrapped
    paths = [env.reset(seed=seed)[1]["path"] for seed in range(5)]
    assert {path[RATE] for path in paths} == {"7 Mbit/s"}
    assert len({path["topology.dumbbell.bottleneck.loss.bernoulli"] for path in paths}) == 5


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_long_step(threads: int) -> None:
    """A step lasts as long as its option says, here for hours of simulated time."""
    settings = {"duration": "40000 s", "warm_up": "0 s"}
    env = ag.WindowVectorEnv("ten-flows-dumbbell", settings=settings, interval_s=30_000.0, threads=threads)
    env.reset(seed=1)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            env.step(np.zeros((env.num_envs, 1)))
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_a_class_next_to_an_agent_is_refused(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("class Own:\n    pass\n")
    alone = load_scenario("single-flow").to_toml()
    network = alone.replace("[[flow]]", '[[flow]]\nalgorithm = "own.py:Own"\n[[flow]]', 1)
    (tmp_path / "own.toml").write_text(network)
    with pytest.raises(InputError, match=r"own\.py:Own is a class in a file; flows next to an agent"):
        ag.WindowEnv(tmp_path / "own.toml", settings={"topology.dumbbell.pairs": 2})
