"""The expected completion time of files, compared with simulations."""

import math

import pytest

import ackclock
from ackclock.errors import InputError
from ackclock.models import FileModel

RTT_S = 0.1
SENDERS = {None: "newreno", 4.0: "newreno+btcp(f=4)", 8.0: "newreno+btcp(f=8)"}


def simulated(packets: int, loss: float, algorithm: str, files: int) -> tuple[float, float]:
    """The mean time of files alone on a path, and half of its 95 % interval."""
    link: dict[str, object] = {"from": "a", "to": "b", "rate": "1 Gbit/s", "delay": "50 ms"}
    if loss:
        link |= {"loss": {"bernoulli": loss}, "reverse": {"loss": {"bernoulli": 0.0}}}
    tcp = {
        "algorithm": algorithm,
        "initial_window": "1 packets",
        "segments_per_ack": 1,
        "limited_transmit": False,
    }
    flow = {"from": "a", "to": "b", "packets": packets, "count": files, "start_jitter": f"{files} s"}
    scenario = {"name": "files", "duration": f"{files + 200} s", "tcp": tcp, "flow": [flow]}
    found = ackclock.run({**scenario, "topology": {"graph": {"link": [link]}}}).transfers
    times = (found["finish_s"] - found["start_s"]).to_numpy()
    return float(times.mean()), 1.96 * float(times.std()) / math.sqrt(times.size)


@pytest.mark.parametrize("f", SENDERS)
def test_without_losses_the_model_is_the_simulation(f: float | None) -> None:
    model = FileModel(RTT_S, f=f)
    for packets in (1, 4, 7, 16, 33, 64, 128):
        expected = simulated(packets, 0.0, SENDERS[f], 1)[0]
        assert model.completion_s(packets) == pytest.approx(expected, abs=0.005), packets
        assert model.rounds(packets) == round(expected / RTT_S)


@pytest.mark.parametrize("f", SENDERS)
@pytest.mark.parametrize(("loss", "share"), [(0.01, 0.08), (0.02, 0.1), (0.05, 0.12)])
def test_with_losses_the_model_is_near_the_simulation(f: float | None, loss: float, share: float) -> None:
    model = FileModel(RTT_S, f=f)
    for packets in (8, 32, 64):
        mean, half = simulated(packets, loss, SENDERS[f], 400)
        assert abs(model.completion_s(packets, loss) - mean) < share * mean + half, packets


def test_burst_tcp_is_ahead_where_its_first_steps_are_larger() -> None:
    standard, burst = FileModel(RTT_S), FileModel(RTT_S, f=4)
    windows = burst.windows()
    assert [next(windows) for _ in range(4)] == [1, 8, 12, 15]
    assert all(burst.completion_s(packets) <= standard.completion_s(packets) for packets in range(1, 65))
    assert burst.completion_s(128) > standard.completion_s(128), "doubling overtakes it"


def test_loss_rates_without_a_mean_are_refused() -> None:
    with pytest.raises(InputError, match=r"below 0\.5"):
        FileModel(RTT_S).completion_s(4, 0.5)
