"""The response vector: its numbers on networks where they follow by hand, and its table."""

from pathlib import Path

import polars as pl
import pytest

import ackclock
from ackclock.measures import response_vector

DOCS = Path(__file__).resolve().parents[2] / "docs"

TIERS = """
name = "tiers"
seed = 3
duration = "12 s"
warm_up = "2 s"

[topology.three_tier]
backbone = { count = 2, link = { rate = "100 packets/ms", delay = "5 ms" } }
pop = { count = 1, link = { rate = "20 packets/ms", delay = "2 ms" } }

[topology.three_tier.access]
count = 2
links = [{ rate = "1 packets/ms", delay = "1 ms" }, { rate = "10 packets/ms", delay = "1 ms" }]

[trace]
interval = "50 ms"
flows = false

[[flow]]
name = "web"
count = 40
packets = 10
think = { exponential = { mean = "1 s" } }

[[flow]]
name = "film"
count = 4
from = "b1.p1.a2"
to = "b2.p1.a2"
packets = 4000
think = { constant = "1 s" }
patience = { constant = "500 ms" }
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ackclock.Result:
    file = tmp_path_factory.mktemp("responses") / "tiers.toml"
    file.write_text(TIERS, encoding="utf-8")
    return ackclock.run(file)


def test_numbers_of_an_uncongested_network(result: ackclock.Result) -> None:
    vector = response_vector.measured(result)
    # A web source is active for its transfer: the handshake, one window of ten packets, their transmission.
    # Its cycle has a second more.
    per_cycle = 0.06
    web_active = 40 * per_cycle / (1 + per_cycle)
    # A film takes longer than 500 ms: it is given up, and a source is active a third of the time.
    film_active = 4 * 0.5 / 1.5
    assert vector["flows_active"] == pytest.approx(web_active + film_active, rel=0.3)
    assert vector["flows_completed_per_s"] == pytest.approx(40 / (1 + per_cycle), rel=0.15)
    films = 4 * 10 / 1.5
    completed = vector["flows_completed_per_s"] * 10
    assert vector["given_up_share"] == pytest.approx(films / (films + completed), rel=0.25)
    assert vector["failed_share"] == 0
    assert vector["retransmission_rate"] == vector["timeouts_per_s"] == 0
    assert [vector[f"loss_{tier}"] for tier in ("backbone", "pop", "access")] == [0, 0, 0]
    assert vector["utilisation_access"] > vector["utilisation_pop"] > vector["utilisation_backbone"]


def test_classes_are_those_of_groups_and_of_the_links_at_both_ends(result: ackclock.Result) -> None:
    vector = response_vector.measured(result)
    flows = result.flows
    ends = {"a1": 1, "a2": 2}
    expected = [
        "path_{}_{}".format(*sorted((ends[source[-2:]], ends[destination[-2:]])))
        for source, destination in zip(flows["source"], flows["destination"], strict=True)
    ]
    assert response_vector.path_classes(result) == expected
    assert set(expected) == {"path_1_1", "path_1_2", "path_2_2"}
    # Ten packets take a millisecond each at the slow links, which makes their files slower.
    slow, mixed, fast = (vector[f"goodput_web_path_{ends}_bit_per_s"] for ends in ("1_1", "1_2", "2_2"))
    assert slow < mixed < fast
    # No film is finished.
    assert vector["goodput_film_bit_per_s"] != vector["goodput_film_bit_per_s"]
    web = result.transfers.filter(
        (pl.col("packets") == 10) & (pl.col("start_s") >= 2) & pl.col("finish_s").is_finite()
    )
    goodputs = 10 * 1460 * 8 / (web["finish_s"] - web["start_s"])
    assert vector["goodput_web_bit_per_s"] == pytest.approx(goodputs.mean())


def test_flows_without_an_end_have_their_goodput_and_fairness() -> None:
    settings = {"trace.interval": "1 s", "flow.0.count": 2, "duration": "10 s", "warm_up": "2 s"}
    scenario = ackclock.load_scenario("single-flow", settings)
    result = ackclock.run(scenario)
    vector = response_vector.measured(result)
    rates = result.flows["goodput_bit_per_s"].to_numpy()
    assert vector["goodput_tcp_bit_per_s"] == pytest.approx(rates.mean())
    assert vector["fairness_tcp"] == pytest.approx(rates.sum() ** 2 / 2 / (rates**2).sum())
    assert 0 < vector["utilisation_network"] < 1


def test_the_table_has_each_response_with_its_unit(result: ackclock.Result) -> None:
    table = response_vector.table(result)
    assert table["response"].to_list() == list(response_vector.measured(result))
    by_name = {row["response"]: row for row in table.iter_rows(named=True)}
    assert by_name["goodput_web_path_1_2_bit_per_s"]["meaning"].endswith("both classes")
    assert by_name["queueing_delay_pop_s"]["unit"] == "s"


def test_the_documentation_lists_every_response() -> None:
    page = DOCS.joinpath("results.md").read_text(encoding="utf-8")
    for response in response_vector.RESPONSES:
        assert f"| `{response.key}` | {response.unit} | {response.meaning} |" in page


def test_a_plan_with_responses_has_them_beside_its_metrics(tmp_path: Path) -> None:
    tmp_path.joinpath("tiers.toml").write_text(TIERS, encoding="utf-8")
    plan = {
        "name": "load",
        "scenario": str(tmp_path / "tiers.toml"),
        "responses": True,
        "settings": {"duration": "4 s"},
        "grid": {"flow.0.count": [10, 40]},
    }
    done = ackclock.sweep(plan, tmp_path / "store")
    few, many = done.runs["flows_active"].to_list()
    assert few < many
    assert done.plan.save(tmp_path / "saved").read_text(encoding="utf-8").count("responses = true") == 1
    plan["settings"] = {"trace.transfers": False}
    with pytest.raises(ackclock.InputError, match="series and transfers"):
        ackclock.load_plan(plan)
