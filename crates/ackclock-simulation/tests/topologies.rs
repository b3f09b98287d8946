//! Laws of all topologies, over the example that each has with its keys.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::{Role, Scenario, Topology};

fn read(example: &str, more: &str) -> Scenario {
    let text = format!("name = \"example\"\nduration = \"1 s\"\n{example}\n[[flow]]\ncount = 7\n{more}");
    Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The example with ends where its flows have to name them.
fn runnable(name: &str, example: &str) -> Scenario {
    let ends = if name == "graph" { "from = \"client\"\nto = \"server\"\n" } else { "" };
    read(example, ends)
}

#[test]
fn flows_connect_nodes_that_links_name_and_their_packets_arrive() {
    for (name, example) in Topology::EXAMPLES {
        let scenario = runnable(name, example);
        let links = scenario.topology.links();
        let nodes: BTreeSet<&str> = links.iter().map(|link| link.from.as_str()).collect();
        for pair in links.chunks(2) {
            assert_eq!((&pair[0].from, &pair[0].to), (&pair[1].to, &pair[1].from), "{name}: there and back");
        }
        for flow in scenario.flows() {
            assert!(nodes.contains(&*flow.source) && nodes.contains(&*flow.destination), "{name}: {flow:?}");
            assert_ne!(flow.source, flow.destination, "{name}");
        }
        // Building the network routes every flow there and back.
        Simulation::new(&scenario).unwrap();
    }
}

#[test]
fn a_mistaken_node_or_link_gets_the_nearest_name() {
    for (name, example) in Topology::EXAMPLES {
        let scenario = runnable(name, example);
        let flow = scenario.flows().remove(0);
        let ends = format!("\"{}\"", flow.source);
        let error = scenario
            .with_all([("flow.0.from", ends.as_str()), ("flow.0.to", "\"nowhere at all\"")])
            .expect_err("there is no such node");
        assert!(error.to_string().contains("there are: "), "{name}: {error}");
        let link = scenario.topology.links().remove(0).name;
        let known =
            format!("trace.packets = [\"{link}\"]\nname = \"example\"\nduration = \"1 s\"\n{example}");
        let flow = format!("[[flow]]\nfrom = \"{}\"\nto = \"{}\"\n", flow.source, flow.destination);
        let text = format!("{known}{flow}");
        assert!(Scenario::from_toml(&text, &[]).is_ok(), "{name}: {link}");
        let error = Scenario::from_toml(&text.replacen(&link, &format!("{link}x"), 1), &[]).unwrap_err();
        assert_eq!(error.nearest.as_deref(), Some(link.as_str()), "{name}: {error}");
    }
}

#[test]
fn drawings_stay_small_and_draw_nodes_that_exist() {
    for (name, example) in Topology::EXAMPLES {
        let scenario = runnable(name, example);
        let links = scenario.topology.links();
        let nodes: BTreeSet<&str> = links.iter().map(|link| link.from.as_str()).collect();
        let sketch = scenario.sketch();
        assert!(!sketch.nodes.is_empty() && sketch.nodes.len() < 40, "{name}");
        for node in &sketch.nodes {
            assert!(node.role != Role::Host || nodes.contains(&*node.name), "{name}: {node:?}");
            assert!((0.0..=1.0).contains(&node.x) && (0.0..10.0).contains(&node.y), "{name}: {node:?}");
        }
        assert!(sketch.links.iter().all(|link| link.from.max(link.to) < sketch.nodes.len()), "{name}");
    }
}

/// A home of two devices, a provider and two servers: links lead from left to right, no two nodes share a place, and the drawing is
/// the same each time.
#[test]
fn graphs_are_drawn_in_layers() {
    let links = [("client", "home"), ("isp", "home"), ("isp", "server"), ("isp", "cdn"), ("phone", "home")];
    let link = |(from, to): (&str, &str)| {
        format!(
            "[[topology.graph.link]]\nfrom = {from:?}\nto = {to:?}\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n"
        )
    };
    let text = links.map(link).concat();
    let flows = "[[flow]]\nname = \"down\"\ncount = 2\nfrom = \"server\"\nto = \"client\"\n";
    let text = format!("name = \"home\"\nduration = \"1 s\"\n{text}{flows}");
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let sketch = scenario.sketch();
    let place = |name: &str| sketch.nodes.iter().find(|node| node.name == name).unwrap();
    assert!(sketch.links.iter().all(|link| sketch.nodes[link.from].x < sketch.nodes[link.to].x));
    assert!(place("client").x < place("home").x && place("isp").x < place("server").x);
    assert!(
        (place("server").x - place("cdn").x).abs() < 1e-9 && (place("server").y - place("cdn").y).abs() > 0.9
    );
    assert_eq!(place("server").note, "down × 2");
    assert_eq!(sketch, scenario.sketch());
}

#[test]
fn every_topology_has_its_line_in_the_list_and_its_section_in_the_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(root.join("../ackclock-scenario/src/topology.rs")).unwrap();
    let docs = fs::read_to_string(root.join("../../docs/scenarios.md")).unwrap();
    for entry in fs::read_dir(root.join("../ackclock-scenario/src/topology")).unwrap() {
        let path = entry.unwrap().path();
        if !fs::read_to_string(&path).unwrap().contains("impl Layout for ") {
            continue;
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            list.contains(&format!("\nmod {name};")),
            "topology/{name}.rs is compiled by nobody: add `mod {name};` to ackclock-scenario/src/topology.rs"
        );
        assert!(
            Topology::EXAMPLES.iter().any(|(known, _)| *known == name),
            "no scenario can use topology/{name}.rs: add it to `layouts!` in ackclock-scenario/src/topology.rs"
        );
        assert!(
            docs.contains(&format!("[topology.{name}")),
            "docs/scenarios.md has no section with `[topology.{name}]`"
        );
    }
}

#[test]
fn in_a_star_many_hosts_send_to_one() {
    let (_, example) = Topology::EXAMPLES.iter().find(|(name, _)| *name == "star").unwrap();
    let scenario = read(&example.replace("hosts = 33", "hosts = 4"), "packets = 10\n");
    let flows = scenario.flows();
    let sources: Vec<&str> = flows.iter().map(|flow| flow.source.as_str()).collect();
    assert_eq!(sources, ["h2", "h3", "h4", "h2", "h3", "h4", "h2"]);
    assert!(flows.iter().all(|flow| flow.destination == "h1"));
    let alone = scenario.with("topology.star.hosts", "1").unwrap_err();
    assert_eq!(alone.to_string(), "topology.star.hosts: found 1; a star has at least two hosts");
}
