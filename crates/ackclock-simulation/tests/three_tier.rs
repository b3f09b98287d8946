//! The network of backbone, POP and access routers: its nodes and links, its routes, and who talks to whom.

use std::collections::{BTreeMap, BTreeSet};

use ackclock_simulation::scenario::{Scenario, ScenarioError};
use ackclock_simulation::{Column, Simulation};

const TIERS: &str = r#"
name = "tiers"
duration = "2 s"
[topology.three_tier]
backbone = { count = 4, link = { rate = "1 Gbit/s", delay = "10 ms" } }
pop = { count = 2, link = { rate = "500 Mbit/s", delay = "2 ms" } }
access = { count = 3, link = { rate = "100 Mbit/s", delay = "1 ms" } }
[[flow]]
count = 2000
packets = 1
"#;

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn error_of(text: &str) -> ScenarioError {
    Scenario::from_toml(text, &[]).err().unwrap_or_else(|| panic!("this was accepted:\n{text}"))
}

/// Names of all links in the direction they are written.
fn links(scenario: &Scenario) -> Vec<String> {
    scenario.topology.links().into_iter().step_by(2).map(|link| link.name).collect()
}

#[test]
fn a_ring_of_four_has_four_links_and_each_router_below_has_one() {
    let names = links(&read(TIERS));
    assert_eq!(names[..4], ["b1->b2", "b1->b4", "b2->b3", "b3->b4"]);
    let up = |tier: char| names.iter().filter(|name| name.split("->").next().unwrap().contains(tier)).count();
    assert_eq!((up('a'), up('p') - up('a')), (4 * 2 * 3, 4 * 2));
    assert!(names.contains(&"b3.p2.a3->b3.p2".to_owned()), "{names:?}");
    assert_eq!(names.len(), 4 + 8 + 24);
}

#[test]
fn a_mesh_links_every_pair_of_the_backbone_and_small_rings_are_lines() {
    let backbone = |count: u32, shape: &str| {
        let text = TIERS.replace("count = 4,", &format!("count = {count}, shape = \"{shape}\","));
        links(&read(&text)).iter().filter(|name| !name.contains('p')).count()
    };
    assert_eq!([backbone(5, "mesh"), backbone(2, "mesh"), backbone(1, "mesh")], [10, 1, 0]);
    assert_eq!(
        [backbone(5, "ring"), backbone(3, "ring"), backbone(2, "ring"), backbone(1, "ring")],
        [5, 3, 1, 0]
    );
}

fn pop(node: &str) -> &str {
    &node[..node.match_indices('.').nth(1).unwrap().0]
}

#[test]
fn flows_go_between_access_routers_of_different_pops_all_alike_often() {
    let scenario = read(TIERS);
    let mut sources: BTreeMap<String, u32> = BTreeMap::new();
    let mut destinations: BTreeMap<String, u32> = BTreeMap::new();
    for flow in scenario.flows() {
        assert_ne!(pop(&flow.source), pop(&flow.destination), "{}", flow.name);
        *sources.entry(flow.source).or_default() += 1;
        *destinations.entry(flow.destination).or_default() += 1;
    }
    for ends in [sources, destinations] {
        assert_eq!(ends.len(), 24, "every access router takes part");
        // 2000 flows over 24 routers: 83 each, with a standard deviation of 9.
        assert!(ends.values().all(|count| (40..130).contains(count)), "{ends:?}");
    }
}

#[test]
fn the_ends_of_a_flow_hang_on_its_name_and_the_seed_alone() {
    let ends = |text: &str| -> BTreeMap<String, (String, String)> {
        read(text).flows().into_iter().map(|flow| (flow.name, (flow.source, flow.destination))).collect()
    };
    let named = TIERS.replace("count = 2000", "name = \"mouse\"\ncount = 50");
    let others = format!("{}[[flow]]\nname = \"elephant\"\ncount = 7\n", named.replace("packets = 1\n", ""));
    let (few, many) = (ends(&named), ends(&others));
    assert!(few.iter().all(|(name, ends)| many[name] == *ends));
    assert_ne!(few, ends(&named.replace("duration", "seed = 2\nduration")));
}

#[test]
fn hosts_have_links_of_their_own_where_they_are_asked_for() {
    let hosts = "host = { count = 5, link = { rate = \"10 Mbit/s\", delay = \"1 ms\" } }\n[[flow]]";
    let scenario = read(&TIERS.replace("[[flow]]", hosts));
    assert_eq!(links(&scenario).len(), 4 + 8 + 24 + 24 * 5);
    let ends: BTreeSet<String> = scenario.flows().into_iter().map(|flow| flow.source).collect();
    assert!(ends.iter().all(|node| node.contains(".h")));
    assert_eq!(ends.len(), 120, "2000 flows find every one of 120 hosts");
}

#[test]
fn nodes_below_one_router_take_the_links_of_their_tier_in_turn() {
    let two =
        "links = [{ rate = \"100 Mbit/s\", delay = \"1 ms\" }, { rate = \"1 Gbit/s\", delay = \"1 ms\" }]";
    let text = TIERS.replace("link = { rate = \"100 Mbit/s\", delay = \"1 ms\" }", two);
    let run = Simulation::new(&read(&text)).unwrap().run();
    let table = run.table("links").unwrap();
    let Some(Column::Text(names)) = table.column("name") else { panic!("no names") };
    for (name, rate) in
        names.iter().zip(table.real("rate_bit_per_s").unwrap()).filter(|(name, _)| name.contains('a'))
    {
        let expected = if name.contains("a2") { 1e9 } else { 1e8 };
        assert!((rate - expected).abs() < 1.0, "{name}: {rate}");
    }
    let twice = text.replace("links = [", "link = { rate = \"1 Mbit/s\", delay = \"1 ms\" }, links = [");
    assert_eq!(error_of(&twice).key.as_deref(), Some("topology.three_tier.access.links"));
    let none = text.replace(two, "links = []");
    assert_eq!(error_of(&none).key.as_deref(), Some("topology.three_tier.access.link"));
}

#[test]
fn packets_take_the_shorter_way_round_the_ring() {
    let text = format!("{}from = \"b1.p1.a1\"\nto = \"b4.p2.a3\"\n", TIERS.replace("2000", "1"));
    let run = Simulation::new(&read(&text)).unwrap().run();
    let Some(Column::Real(rtt)) = run.table("flows").unwrap().column("min_rtt_s") else { panic!("no rtt") };
    // Up 1 + 2 ms, over 10 ms, down 2 + 1 ms, and back; transmissions take 0.3 ms more.
    assert!((rtt[0] - 0.0323).abs() < 0.0003, "{}", rtt[0]);
}

#[test]
fn nodes_and_links_are_known_by_name_and_mistakes_get_a_hint() {
    let point = |name: &str| format!("{TIERS}[trace]\npackets = [\"{name}\"]\n");
    for name in ["b1->b2", "b4->b1", "b1->b1.p2", "b2.p1.a3->b2.p1"] {
        read(&point(name));
    }
    for name in ["b1->b3", "b1.p1->b2", "b1.p1.a4->b1.p1", "b1.p1.a1->b1.p1.a2", "b01->b2"] {
        assert_eq!(error_of(&point(name)).key.as_deref(), Some("trace.packets.0"), "{name}");
    }
    let error = error_of(&format!("{TIERS}from = \"b1.p1.a9\"\nto = \"b1\"\n"));
    assert!(error.to_string().contains("did you mean \"b1.p1.a"), "{error}");
}

#[test]
fn what_cannot_be_is_said_before_the_run() {
    let says = |old: &str, new: &str, part: &str| {
        assert!(TIERS.contains(old));
        let error = error_of(&TIERS.replace(old, new)).to_string();
        assert!(error.contains(part), "{part:?} is not in: {error}");
    };
    says("count = 4", "count = 0", "topology.three_tier.backbone.count");
    says("count = 4", "count = 1000000", "topology.three_tier: ");
    says("\"2 ms\"", "\"2 packets\"", "topology.three_tier.pop.link.delay");
    says("\"500 Mbit/s\"", "\"0 bit/s\"", "topology.three_tier.pop.link.rate");
    says("access =", "acces =", "did you mean \"access\"");
    says("count = 4", "count = 4, shape = \"star\"", "ring, mesh");
    let alone = TIERS.replace("count = 4", "count = 1").replace("count = 2,", "count = 1,");
    assert!(error_of(&alone).to_string().contains("only one POP"));
}
