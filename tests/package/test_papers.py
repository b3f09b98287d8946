"""Claims and verdicts, with a toy paper.

Long because all its tests share that paper.
"""

import json
import math
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import ackclock
from ackclock import cli, papers
from ackclock.errors import InputError
from ackclock.papers import Claim, ClaimClass, Each, Holds, Ordered, Undecidable, Values, judge, loader
from ackclock.papers.loader import load_measure, part_names
from papers.publish import joined, published_scorecard, renewed

CLAIMS = """
[paper]
key = "toy"
title = "On Queues"
authors = "A. Nonymous"
year = 1999

[[claim]]
id = "capacity"
class = "paper"
place = "II, table 1"
statement = "Constant traffic of 1 Mbit/s arrives at 1 Mbit/s."
kind = "value"
expected = 1000
unit = "kbit/s"
relative_tolerance = 0.01
why = "one packet at either end of ten seconds"

[[claim]]
id = "order"
class = "paper"
place = "III"
statement = "More sent, more received."
kind = "order"
expected = ["much", "little"]
why = "the rates differ by a factor of two"

[[claim]]
id = "lossless"
class = "paper"
place = "IV"
statement = "Nothing is lost below capacity."
kind = "predicate"
expected = "no drop in any run"
why = "the link is faster than the source"

[[claim]]
id = "half"
class = "paper"
place = "V"
statement = "Half the rate uses half the link."
kind = "range"
expected = [0.45, 0.55]
why = "by definition"

[[claim]]
id = "unmeasured"
class = "paper"
place = "VI"
statement = "Users are happy."
kind = "predicate"
expected = "a smile"
why = "none"
"""

REPRODUCE = '''
"""The toy paper's measurements."""
import matplotlib.figure

from ackclock.papers import Holds, Ordered, Values


def measure(context):
    context.expect(2)
    seeds = 2 if context.quick else 4
    rates = {}
    for name, rate in (("much", "1 Mbit/s"), ("little", "0.5 Mbit/s")):
        scenario = context.scenario("link", {"udp.0.rate": rate})
        rates[name] = context.replicate(scenario, seeds=seeds)
    kbit = {n: [r.flows["throughput_bit_per_s"][0] / 1e3 for r in c.results] for n, c in rates.items()}
    figure = matplotlib.figure.Figure()
    figure.subplots().plot([0, 1], [0, 1])
    context.figure("rates", figure, "What was sent and received.")
    context.note("""The paper is silent on
        packet sizes; 1000 bytes were chosen.""")
    context.table("runs", rates["much"].runs)
    return {
        "capacity": Values(kbit["much"]),
        "order": Ordered(kbit),
        "lossless": Holds([not any(run.links["dropped_queue"]) for c in rates.values() for run in c.results]),
        "half": Values([result.links["utilisation"][0] for result in rates["little"].results]),
    }
'''

LINK = """
name = "link"
duration = "10 s"
[[topology.graph.link]]
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "5 ms"
[[udp]]
from = "a"
to = "b"
rate = "1 Mbit/s"
packet = "1000 bytes"
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "claims.toml").write_text(CLAIMS)
    (folder / "reproduce.py").write_text(REPRODUCE)
    (folder / "scenarios" / "link.toml").write_text(LINK)
    return folder


def test_a_paper_is_measured_and_judged(toy: Path) -> None:
    told: list[float] = []
    reproduction = ackclock.reproduce(toy, progress=lambda done, total: told.append(done / total))
    verdicts = {verdict.claim.id: verdict.verdict for verdict in reproduction.verdicts}
    assert verdicts == {
        "capacity": "reproduced",
        "order": "reproduced",
        "lossless": "reproduced",
        "half": "reproduced",
        "unmeasured": "inconclusive",
    }
    assert reproduction.count() == "5 statements: 4 reproduced, 1 inconclusive"
    assert told[-1] == 1
    assert told == sorted(told)


def test_everything_is_written(toy: Path, tmp_path: Path) -> None:
    folder = ackclock.reproduce(toy, quick=True).save(tmp_path / "out")
    document = json.loads((folder / "claims.json").read_text())
    assert document["quick"] is True
    assert [set(claim) >= {"id", "place", "statement", "expected", "measured", "interval", "verdict"}
            for claim in document["claims"]] == [True] * 5  # fmt: skip
    assert document["claims"][0]["expected"] == 1000
    assert document["claims"][4]["measured"] is None
    verdicts = (folder / "verdicts.md").read_text()
    assert "| capacity | II, table 1 |" in verdicts
    assert "packet sizes; 1000 bytes were chosen." in verdicts
    page = (folder / "report.html").read_text()
    assert "data:image/svg+xml;base64," in page
    assert "What was sent and received." in page
    for name in ("figures/rates.svg", "figures/rates.png", "tables/runs.parquet", "provenance.json"):
        assert (folder / name).is_file()


def test_saved_measurements_are_judged_again_without_a_run(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = ackclock.reproduce(toy, quick=True)
    folder = before.save(tmp_path / "out")
    (toy / "reproduce.py").write_text("raise RuntimeError('nothing is measured')\n")
    (toy / "claims.toml").write_text(
        CLAIMS.replace("[0.45, 0.55]", "[0.9, 1.0]").replace("expected = 1000", "expected = 500")
    )
    again = papers.judged_again(papers.load_paper(toy), folder)
    assert {one.claim.id: one.verdict for one in again.verdicts} == {
        "capacity": "not reproduced",
        "order": "reproduced",
        "lossless": "reproduced",
        "half": "not reproduced",
        "unmeasured": "inconclusive",
    }
    assert again.verdicts[1].finding == before.verdicts[1].finding
    assert [figure.caption for figure in again.figures] == ["What was sent and received."]
    assert again.tables["runs"].equals(before.tables["runs"])
    assert again.measured_by["version"] == ackclock.__version__
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ackclock", "reproduce", str(toy), "--from", "out", "-o", "out"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert not caught.value.code
    assert "2 not reproduced (2 without a cause)" in " ".join(capsys.readouterr().out.split())
    assert (tmp_path / "out" / "figures" / "rates.png").read_bytes() == before.figures[0].png
    assert json.loads((tmp_path / "out" / "claims.json").read_text())["measured_by"] == again.measured_by


def test_a_part_is_judged_alone_and_takes_the_place_of_what_is_published(toy: Path, tmp_path: Path) -> None:
    whole = ackclock.reproduce(toy, quick=True)
    published = papers.judged_again(whole.paper, whole.save(tmp_path / "whole"))
    (toy / "reproduce.py").write_text(
        "from ackclock.papers import Values\n"
        "PARTS = ('second',)\n"
        "def measure(context):\n"
        "    assert context.parts == ('second',)\n"
        "    return {'half': Values([0.7])}\n"
    )
    with pytest.raises(InputError, match=r'no part of toy is named "secnd"; did you mean "second"'):
        ackclock.reproduce(toy, parts=["secnd"])
    assert part_names(toy) == ("second",)
    for entry in papers.list_papers():
        if entry.key in ("mesonet", "mesonet-study"):
            assert entry.parts == tuple(load_measure(entry.path).PARTS)
    part = ackclock.reproduce(toy, parts=["second"])
    assert [one.claim.id for one in part.verdicts] == ["half"]
    read = papers.judged_again(part.paper, part.save(tmp_path / "part"))
    verdicts = {one.claim.id: one.verdict for one in joined(published, read).verdicts}
    assert verdicts == {one.claim.id: one.verdict for one in whole.verdicts} | {"half": "not reproduced"}
    assert str(joined(published, read).measured_by["parts"]).startswith("second by ackclock ")
    before = {**published.measured_by, "parts": "first, second by ackclock 0.0.9 (older)"}
    parts = str(joined(replace(published, measured_by=before), read).measured_by["parts"])
    assert parts.startswith("first by ackclock 0.0.9 (older); second by ackclock "), parts


def test_evidence_leads_to_the_repository_from_a_results_folder() -> None:
    root = Path(__file__).resolve().parents[2]
    published = root / "published" / "papers" / "burst-tcp"
    text = papers.judged_again(papers.load_paper("burst-tcp"), published, trust=True).markdown()
    base = "https://github.com/ackclock/ackclock/blob/main/"
    assert f"]({base}published/papers/burst-tcp/tables/files.csv)" in text
    places = re.findall(r"\]\(([^)]*)\)", text)
    assert all((root / place.removeprefix(base).partition("#")[0]).exists() for place in places)


def test_the_report_links_evidence_that_is_in_its_folder(tmp_path: Path) -> None:
    """It named files without a link; the folder has them, so that it can be sent to somebody."""
    paper = papers.load_paper("sub-packet")
    published = Path(__file__).resolve().parents[2] / "published" / "papers" / "sub-packet"
    done = papers.judged_again(paper, published, trust=True)
    folder = done.save(tmp_path / "done")
    page = (folder / "report.html").read_text(encoding="utf-8")
    links = set(re.findall(r'href="([^"#][^"]*)"', page)) - {"data:,"}
    assert "evidence/published/papers/sub-packet/tables/timers.csv" in links
    assert "tables/timers.parquet" in links or not done.tables
    for link in links:
        assert (folder / link.partition("#")[0]).is_file(), link
    named = re.findall(r"<a[^>]*>([^<]*)</a>", page)
    assert all(named), "each link has its words"


def test_the_notes_of_a_part_take_the_place_of_those_of_its_earlier_run() -> None:
    published = ("Seeds: ten.", "Distance, way a: 0.1.", "Distance, way b: 0.2.")
    assert renewed(published, ("Distance, way b: 0.3.", "More.")) == (
        "Seeds: ten.",
        "Distance, way a: 0.1.",
        "Distance, way b: 0.3.",
        "More.",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no such file"),
        ("{", "no claims.json"),
        ('{"paper": {"key": "other"}}', "measurements for other, not for toy"),
        ('{"paper": {"key": "toy"}}', "did not keep its measurements"),
    ],
)
def test_a_folder_without_measurements_is_refused(
    toy: Path, tmp_path: Path, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / "claims.json").write_text(text)
    with pytest.raises(InputError, match=message):
        papers.judged_again(papers.load_paper(toy), tmp_path, trust=True)


@pytest.mark.parametrize(
    "name", ["claims.json", "tables/runs.parquet", "figures/rates.svg", "figures/rates.png"]
)
@pytest.mark.parametrize("damage", ["a byte", "gone"])
def test_measurements_that_have_changed_are_named_and_not_judged(
    toy: Path, tmp_path: Path, name: str, damage: str
) -> None:
    folder = ackclock.reproduce(toy, quick=True).save(tmp_path / "out")
    file = folder / name
    data = file.read_bytes()
    file.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    if damage == "gone":
        file.unlink()
    with pytest.raises(InputError, match=re.escape(str(file))):
        papers.judged_again(papers.load_paper(toy), folder)


def test_the_command_line_prints_every_claim(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (["--json"], []):
        monkeypatch.setattr(sys, "argv", ["ackclock", "reproduce", str(toy), "--quick", *arguments])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        assert not caught.value.code
        out = capsys.readouterr().out
        if arguments:
            document = json.loads(out)
            assert [claim["verdict"] for claim in document["claims"]].count("reproduced") == 4
            assert document["report"] == "results/papers/toy/report.html"
        else:
            assert "inconclusive" in out
            assert "On Queues" in out


def test_all_papers_make_one_scorecard(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = toy.with_name("other")
    shutil.copytree(toy, other)
    text = CLAIMS.replace('key = "toy"', 'key = "other"').replace("0.45, 0.55", "0.9, 1.0")
    (other / "claims.toml").write_text(text)
    monkeypatch.setattr("ackclock.papers.paper.paper_folder", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["ackclock", "reproduce", "all", "--quick", "--output", "out"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert not caught.value.code
    assert "scorecard.html" in capsys.readouterr().out
    written = (tmp_path / "out/scorecard/scorecard.md").read_text()
    rows = [line for line in written.splitlines() if line.startswith("|")]
    nothing = " | 0" * 9 + " |"
    assert rows[2:] == [
        "| [`other`](../other/report.html) On Queues | 5 | 3 | 0 | 1 | 1" + nothing,
        "| [`toy`](../toy/report.html) On Queues | 5 | 4 | 0 | 0 | 1" + nothing,
        "| all | 10 | 7 | 0 | 1 | 2" + nothing,
    ]
    assert "- [`half`](../other/report.html#claim-half), not reproduced: " in written
    assert "(../toy/report.html#claim-half)" not in written
    page = (tmp_path / "out/scorecard/scorecard.html").read_text()
    assert 'href="../other/report.html#claim-half"' in page, "what was not reproduced is named"
    assert 'href="../toy/report.html#claim-half"' not in page
    for name in ("toy/report.html", "other/claims.json", "scorecard/provenance.json"):
        assert (tmp_path / "out" / name).is_file()


def test_the_scorecard_sums_up_what_is_published() -> None:
    root = papers.paper_folder().resolve().parent
    written = (root / "published" / "scorecard.md").read_text(encoding="utf-8")
    assert published_scorecard() == written, "run `python -m papers.publish <key>`"
    (row,) = [line for line in written.splitlines() if line.startswith("| all |")]
    claims, *verdicts = re.findall(r"\d+", row)[:5]
    front = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    reproduced, elsewhere, others, undecided = verdicts
    said = f"Of {claims} statements in five publications, {reproduced} are reproduced, {elsewhere} under "
    said += f"another plausible setting only, {others} are not, and {undecided} are inconclusive"
    assert said in front, "README.md says other numbers than published/scorecard.md"


def claim(kind: str, expected: object, **more: float) -> Claim:
    return Claim("id", "I", "so it is", kind, expected, "because", ClaimClass.PAPER, **more)  # type: ignore[arg-type]


def test_a_value_is_judged_by_its_whole_interval() -> None:
    value = claim("value", 10.0, tolerance=1.0)
    inside, outside, astride = [10.1, 9.9, 10.0, 10.05], [14.0, 14.1, 13.9], [9.0, 12.8, 10.0]
    assert judge(value, Values(inside)).verdict == "reproduced"
    assert judge(value, Values(outside)).verdict == "not reproduced"
    undecided = judge(value, Values(astride))
    assert undecided.verdict == "inconclusive"
    assert undecided.interval is not None
    assert "more seeds" in undecided.note


def test_ratios_over_decades_are_judged_by_their_logarithms() -> None:
    """All are above two, so that no mean of them is in doubt; the arithmetic interval reaches below zero."""
    ratios = Values([3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 400.0])
    assert judge(claim("range", (1.5, math.inf)), ratios).verdict == "inconclusive"
    found = judge(claim("range", (1.5, math.inf), is_log=True), ratios)
    assert found.verdict == "reproduced"
    assert found.claim.expectation == "at least 1.5, geometric mean"
    every = Each({"a": ratios.samples, "b": [3.0, 4.0, 5.0]})
    assert judge(claim("each", (1.5, math.inf)), every).verdict == "inconclusive"
    assert judge(claim("each", (1.5, math.inf), is_log=True), every).verdict == "reproduced"
    nothing = judge(claim("range", (0.0, 1.0), is_log=True), Values([0.5, 0.0]))
    assert nothing.verdict == "inconclusive"
    assert "no logarithm" in nothing.note


@pytest.mark.parametrize(
    ("loads", "said"), [(6, "at 0, 1, 2, 3, 4, 5"), (7, "at 0, 1, 2, 3, 4 and 2 others")]
)
def test_a_verdict_names_the_first_loads(loads: int, said: str) -> None:
    failing = Each({str(load): [2.0] for load in range(loads)})
    assert judge(claim("each", (0.0, 1.0)), failing).note.endswith(said)


def test_a_single_measurement_is_judged_by_itself() -> None:
    verdict = judge(claim("value", 10.0, tolerance=1.0), Values([10.9]))
    assert (verdict.verdict, verdict.measured, verdict.interval) == ("reproduced", 10.9, None)
    assert judge(claim("range", (0.0, 1.0)), Values([1.5])).verdict == "not reproduced"


def test_an_order_is_judged_pair_by_pair() -> None:
    order = claim("order", ("a", "b", "c"))
    shared = [0, 100, 200, 300]
    clear = {"a": [x + 2.1 for x in shared], "b": [x + 1.0 for x in shared], "c": [x + 0.0 for x in shared]}
    assert judge(order, Ordered(clear)).verdict == "reproduced"
    assert judge(order, Ordered({**clear, "b": clear["c"], "c": clear["b"]})).verdict == "not reproduced"
    noisy = {**clear, "c": [1.5, 100.5, 201.5, 300.6]}
    verdict = judge(order, Ordered(noisy))
    assert verdict.verdict == "inconclusive"
    assert "b and c" in verdict.note
    assert isinstance(verdict.measured, dict)


def test_a_finding_tells_intervals_and_how_many_measurements_there_are() -> None:
    pairs = {"a": [3.0, 13.0], "b": [2.0, 12.0]}
    verdict = judge(claim("order", ("a", "b")), Ordered(pairs))
    assert verdict.finding == "a 8 [-55.53, 71.53], b 7 [-56.53, 70.53]; difference 1; n = 2"
    uneven = {"a": [3.0, 13.2], "b": [2.0, 12.0], "c": [0.0, 10.0]}
    found = judge(claim("order", ("a", "b", "c")), Ordered(uneven)).finding
    assert found.endswith("; least difference 1.1 [-0.1706, 2.371]; n = 2")
    assert judge(claim("value", 2.0, tolerance=1.0), Values([2.0, 2.0])).finding == "2; n = 2"
    assert judge(claim("value", 2.0, tolerance=1.0), Values([2.0])).finding == "2"
    document = verdict.document()
    assert document["n"] == 2
    assert document["intervals"]["a"] == pytest.approx([-55.53, 71.53], abs=0.01)  # type: ignore[index]


def test_an_order_can_ask_for_a_margin() -> None:
    samples = Ordered({"a": [2.0, 2.1], "b": [1.0, 1.1]})
    assert judge(claim("order", ("a", "b"), tolerance=0.5), samples).verdict == "reproduced"
    assert judge(claim("order", ("a", "b"), tolerance=5.0), samples).verdict == "not reproduced"


def test_a_predicate_is_judged_by_its_share_of_trials() -> None:
    mostly = Holds([True] * 9 + [False], number=3.5)
    strict, lenient = claim("predicate", "it holds"), claim("predicate", "it holds", at_least=0.9)
    assert judge(strict, mostly).verdict == "not reproduced"
    verdict = judge(lenient, mostly)
    assert verdict.verdict == "reproduced"
    assert verdict.measured == 3.5
    assert verdict.finding == "3.5, held in 9 of 10 trials, 90% [55%, 100%]"


def test_what_cannot_be_tested_says_why() -> None:
    verdict = judge(claim("predicate", "it holds"), Undecidable("the paper does not say how"))
    assert (verdict.verdict, verdict.note) == ("inconclusive", "the paper does not say how")


def test_the_wrong_kind_of_measurement_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="order"):
        judge(claim("order", ("a", "b")), Values([1.0]))
    with pytest.raises(TypeError, match="b"):
        judge(claim("order", ("a", "b")), Ordered({"a": [1.0]}))
    with pytest.raises(ValueError, match="finite"):
        judge(claim("value", 1.0), Values([math.nan]))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('kind = "value"', 'kind = "worth"', "worth"),
        ("expected = 1000", 'expected = "much"', "must be a number"),
        ('kind = "value"', 'kind = "value"\nscale = "log"', "scale is 'log', with kind value"),
        ('kind = "range"', 'kind = "range"\nscale = "cube"', "it may be linear or log"),
        ('why = "none"', "", "why is missing"),
        ('why = "none"', 'why = "none"\nhow = 3', "unknown key how"),
        ('id = "order"', 'id = "capacity"', "twice"),
        ("expected = [0.45, 0.55]", "expected = [0.45]", "two or more"),
        ('title = "On Queues"', "", "paper.title"),
        ("[paper]", "[paper", "claims.toml"),
    ],
)
def test_a_mistake_in_the_claims_is_named(toy: Path, before: str, after: str, words: str) -> None:
    (toy / "claims.toml").write_text(CLAIMS.replace(before, after, 1))
    with pytest.raises(InputError, match=words):
        papers.load_paper(toy)


def test_measuring_something_that_is_no_claim_is_a_mistake(toy: Path) -> None:
    (toy / "reproduce.py").write_text(REPRODUCE.replace('"half":', '"haf":'))
    with pytest.raises(InputError, match="haf"):
        ackclock.reproduce(toy)


def test_papers_of_the_repository_are_in_order() -> None:
    for entry in ackclock.list_papers():
        paper = papers.load_paper(entry.key)
        assert paper.claims
        assert (paper.folder / "measure" / "__init__.py").is_file()
        assert (paper.folder / "README.md").is_file()


TABLE = """
[paper]
key = "tabular"
title = "On Tables"
authors = "A. Nonymous"

[[table]]
id = "share"
class = "paper"
place = "Table 1"
statement = "share of the link"
columns = { short = "a short path", long = "a long path" }
tolerance = 0.02
why = "printed with two decimals"
rows = [
    { id = "fast", title = "Fast", values = [0.9, 0.8] },
    { id = "slow", title = "Slow", values = [0.5, 0.4] },
]
"""


def tabular(tmp_path: Path, text: str = TABLE) -> papers.Paper:
    (tmp_path / "claims.toml").write_text(text)
    return papers.load_paper(tmp_path)


def test_each_cell_of_a_published_table_is_a_claim(tmp_path: Path) -> None:
    claims = {claim.id: claim for claim in tabular(tmp_path).claims}
    assert list(claims) == ["share-fast-short", "share-fast-long", "share-slow-short", "share-slow-long"]
    assert claims["share-slow-short"].expected == 0.5
    assert claims["share-slow-short"].statement == "Slow, a short path: share of the link 0.5."
    assert claims["share-slow-short"].expectation == "0.5 ± 0.02"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0.5, 0.4]", "[0.5]", "row slow must have 2 values"),
        ("rows =", 'classes = { fitted = ["slow-middle"] }\nrows =', "classes names slow-middle"),
        ("rows =", 'causes = [{ cells = ["slow-long"], cause = "ours" }]\nrows =', "evidence is missing"),
        ("tolerance =", "spread =", "unknown key spread"),
        ('why = "printed with two decimals"', "", "why is missing"),
    ],
)
def test_a_table_with_a_mistake_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tabular(tmp_path, TABLE.replace(old, new))


def test_the_range_of_varied_runs_decides_nothing(tmp_path: Path) -> None:
    claim = next(claim for claim in tabular(tmp_path).claims if claim.id == "share-slow-long")
    found = judge(claim, Values([0.6], spread=(0.3, 0.45, 0.9)))
    assert found.verdict == "not reproduced", "more varied runs make a wider range"
    assert "0.3 to 0.9 over 3 varied runs" in found.note


def test_a_context_makes_something_of_each_item_in_order() -> None:
    told: list[tuple[float, float]] = []
    context = papers.Context(
        papers.load_paper("tcp-variants"), quick=True, progress=lambda done, total: told.append((done, total))
    )
    context.expect(2)
    scenario = ackclock.load_scenario("two-megabit", {"duration": "1 s"})

    def packets(seed: int, told: papers.ProgressCallback) -> int:
        return ackclock.run(scenario, seed=seed, progress=told).packets_delivered

    seeds = [5, 3, 8, 1]
    found = context.each([(scenario.duration_s, seed) for seed in seeds], packets)
    assert found == [ackclock.run(scenario, seed=seed).packets_delivered for seed in seeds]
    assert told[-1] == (1, 2), "one of the two sets of runs that were announced"
    assert context.each([], packets) == []


def test_what_is_measured_is_compared_at_the_decimals_of_the_paper(tmp_path: Path) -> None:
    printed = tabular(tmp_path, TABLE.replace("rows =", "decimals = 2\nrows ="))
    raw, rounded = (
        next(claim for claim in paper.claims if claim.id == "share-fast-long")
        for paper in (tabular(tmp_path), printed)
    )
    assert rounded.expectation == f"{raw.expectation} at 2 decimals"
    beyond = rounded.tolerance + 0.004
    for value in (rounded.expected + beyond, rounded.expected - beyond):  # type: ignore[operator]  # a number
        assert judge(raw, Values([value])).verdict == "not reproduced"
        assert judge(rounded, Values([value])).verdict == "reproduced"
        assert judge(rounded, Values([value])).measured == value, "and shown as it was measured"
    assert judge(rounded, Values([rounded.expected + beyond + 0.002])).verdict == "not reproduced"  # type: ignore[operator]
    with pytest.raises(InputError, match=r"decimals is -1; it must be a whole number"):
        tabular(tmp_path, TABLE.replace("rows =", "decimals = -1\nrows ="))


def test_a_paper_may_be_a_package_whose_modules_import_each_other(toy: Path, tmp_path: Path) -> None:
    folder = toy.rename(tmp_path / "toy_paper")
    (folder / "measure").mkdir()
    (folder / "measure" / "__init__.py").write_text("from .study import measure\n")
    (folder / "measure" / "study.py").write_text((folder / "reproduce.py").read_text())
    (folder / "reproduce.py").unlink()
    before = list(sys.path)
    assert ackclock.reproduce(folder, quick=True).tally.verdicts["reproduced"] == 4
    assert sys.path == before
    (folder / "measure" / "study.py").write_text("def measure(context):\n    return {}\n")
    assert ackclock.reproduce(folder).tally.verdicts["inconclusive"] == 5, "edited modules are read anew"


def test_a_key_is_the_name_of_the_folder_with_hyphens() -> None:
    assert loader.paper_key(Path("papers/he_tcp")) == "he-tcp"
    assert loader.folder_name("he-tcp") == "he_tcp"
