"""Logs of training runs have the numbers of the episodes, and TensorBoard's file can be read."""

import struct
import sys
from pathlib import Path

import pytest

import ackclock.gym
from ackclock.errors import InputError
from ackclock.gym.observations import COLUMNS

gymnasium = pytest.importorskip("gymnasium", reason="needs Gymnasium: pip install ackclock[gym]")


def test_an_episode_is_logged_at_its_end_with_its_sums() -> None:
    logged: list[tuple[int, dict[str, float]]] = []
    env = ackclock.gym.EpisodeLog(
        ackclock.gym.WindowEnv(settings={"duration": "4 s", "warm_up": "0 s"}, reward=lambda _: 0.25),
        lambda episode, numbers: logged.append((episode, dict(numbers))),
    )
    env.reset(seed=1)
    env.step([0.0])  # is not finished, and not logged
    steps, delivered, duration_s = 0, 0.0, 0.0
    for _ in range(2):
        env.reset(seed=1)
        steps, delivered, duration_s, over = 0, 0.0, 0.0, False
        while not over:
            _, _, _, over, info = env.step([0.1])
            steps += 1
            delivered += info["facts"][COLUMNS["delivered_packets"]]
            duration_s += info["facts"][COLUMNS["duration_s"]]
    assert [episode for episode, _ in logged] == [1, 2]
    assert logged[0][1] == logged[1][1]
    numbers = logged[0][1]
    assert numbers["episode/steps"] == steps > 10
    assert numbers["episode/reward"] == pytest.approx(steps / 4)
    # Nothing is delivered before the handshake is over, and the last step ends with the episode.
    assert duration_s == pytest.approx(4.0, rel=0.1)
    assert numbers["episode/goodput_packets_per_s"] == pytest.approx(delivered / duration_s)
    assert 0.0 <= numbers["episode/loss_share"] < 0.5


def test_tensorboard_gets_the_numbers(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX", reason="needs tensorboardX: pip install ackclock[tensorboard]")
    from tensorboardX.proto.event_pb2 import Event  # noqa: PLC0415 - optional

    with ackclock.gym.TensorBoard(tmp_path) as log:
        log(7, {"episode/reward": 0.5})
    [file] = tmp_path.iterdir()
    data, found = file.read_bytes(), []
    while data:
        # A record has its length, a checksum of that, the event, and a checksum.
        (length,) = struct.unpack("<Q", data[:8])
        event = Event.FromString(data[12 : 12 + length])
        found += [(event.step, value.tag, value.simple_value) for value in event.summary.value]
        data = data[16 + length :]
    assert found == [(7, "episode/reward", 0.5)]


def test_without_tensorboardx_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(InputError, match=r"pip install ackclock\[tensorboard\]"):
        ackclock.gym.TensorBoard(tmp_path)
