//! Flows spread over paths of equally few links.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

const FLOWS: u32 = 40;

/// Flows of 200 packets from a to b over two paths, one of 10 ms and one of 30 ms each way.
fn run(graph: &str, flow: &str) -> Output {
    let link = |from: &str, to: &str, delay: u32| {
        format!(
            "[[topology.graph.link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Gbit/s\"\ndelay = \"{delay} ms\"\n"
        )
    };
    let links = link("a", "m", 5) + &link("m", "b", 5) + &link("a", "n", 15) + &link("n", "b", 15);
    let text = format!(
        "name = \"ecmp\"\nduration = \"30 s\"\n[topology.graph]\n{graph}\n{links}\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n\
         count = {FLOWS}\npackets = 200\n{flow}"
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

fn real(output: &Output, column: &str) -> Vec<f64> {
    output.table("flows").unwrap().real(column).unwrap().to_vec()
}

fn packets_over(output: &Output, link: &str) -> u64 {
    let links = output.table("links").unwrap();
    let Some(Column::Text(names)) = links.column("name") else { panic!("no names") };
    let place = names.iter().position(|name| name == link).unwrap();
    links.count("packets_forwarded").unwrap()[place]
}

/// 20, 40 or 60 ms there and back, as both, one or none of the ways of a flow lead over m: a half has one of each. If packets of a
/// flow took both paths, three acknowledgments would overtake a packet that takes 20 ms longer, and it would be sent again.
#[test]
fn each_flow_stays_on_one_path_there_and_one_back() {
    let output = run("ecmp_seed = 1", "start_jitter = \"5 s\"");
    let sent_again: u64 = output.table("flows").unwrap().count("retransmissions").unwrap().iter().sum();
    assert_eq!(sent_again, 0, "nothing is lost or overtaken");
    let mut flows_by_round_trip = [0; 3];
    let round_trips = real(&output, "min_rtt_s").into_iter().zip(real(&output, "max_rtt_s"));
    for (least, most) in round_trips {
        let class = ((least - 0.02) / 0.02).round();
        assert!((least - 0.02 - class * 0.02).abs() < 0.002, "{least} s");
        // Acknowledgments are delayed by up to 200 ms, but not here: data comes in pairs.
        assert!(most - least < 0.015, "from {least} s to {most} s");
        flows_by_round_trip[class as usize] += 1;
    }
    let [short, mixed, long] = flows_by_round_trip;
    assert!((10..=30).contains(&mixed) && short > 3 && long > 3, "{flows_by_round_trip:?}");
    // A SYN, 200 packets, of which the last carries the FIN, and the acknowledgment of the FIN back.
    let over = |link| packets_over(&output, link);
    assert_eq!((over("a->m") % 202, over("a->n") % 202), (0, 0), "whole flows");
    assert_eq!(over("a->m") + over("a->n"), u64::from(FLOWS) * 202);
}

#[test]
fn without_the_key_all_flows_take_the_path_of_least_delay() {
    let output = run("", "start_jitter = \"5 s\"");
    assert_eq!(packets_over(&output, "a->n"), 0);
}

/// Files that are made on arrival take the path that their first packet takes.
#[test]
fn flows_that_come_and_go_are_spread_too() {
    let output = run("ecmp_seed = 2", "arrivals = { poisson = { rate = \"4 flows/s\" } }");
    let [short, long] = ["a->m", "a->n"].map(|link| packets_over(&output, link) / 202);
    assert!(short > 8 && long > 8, "{short} and {long} flows");
    assert_eq!(output.table("flows").unwrap().count("retransmissions").unwrap().iter().sum::<u64>(), 0);
}

#[test]
fn a_seed_is_a_whole_number() {
    let text = "name = \"ecmp\"\nduration = \"1 s\"\n[topology.graph]\necmp_seed = -1\nlink = []\n[[flow]]\n";
    let error = Scenario::from_toml(text, &[]).unwrap_err();
    assert_eq!(error.key.as_deref(), Some("topology.graph.ecmp_seed"), "{error}");
}
