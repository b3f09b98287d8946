//! A barrier of requests: a client that asks several servers, and asks again when all have answered.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

/// The built-in scenario with other words in its text.
fn run(changes: &[(&str, &str)]) -> Output {
    let mut text = include_str!("../../../scenarios/incast-barrier.toml").to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

fn real(output: &Output, table: &str, column: &str) -> Vec<f64> {
    output.table(table).and_then(|table| table.real(column)).unwrap_or_else(|| panic!("no {column}")).to_vec()
}

/// Payload that arrived, in Mbit/s.
fn goodput(output: &Output) -> f64 {
    output.packets_delivered() as f64 * 1460.0 * 8.0 / 3.0 / 1e6
}

/// The published relation (Vasudevan et al. 2009): timers of 200 ms take up to 90 % of the goodput; with timers of a millisecond or less
/// it does not collapse.
#[test]
fn goodput_collapses_with_slow_timers_and_not_with_fast_ones() {
    let slow = goodput(&run(&[]));
    let fast = goodput(&run(&[("200 ms", "1 ms")]));
    assert!(slow < 250.0, "{slow} Mbit/s with 200 ms");
    assert!(fast > 600.0, "{fast} Mbit/s with 1 ms");
}

/// Few servers fit the buffer: 4 times 10 packets, and then as many as were acknowledged.
#[test]
fn few_servers_do_not_collapse() {
    let few = run(&[
        ("hosts = 33", "hosts = 5"),
        ("connections = 32", "connections = 4"),
        ("32 objects", "4 objects"),
        ("packets = 22", "packets = 20"),
    ]);
    let fits = goodput(&few);
    assert!(fits > 600.0, "{fits} Mbit/s from 4 servers");
    assert_eq!(few.table("flows").unwrap().count("timeouts").unwrap().iter().sum::<u64>(), 0);
}

/// The next block is asked for when all of the one before is there: after the time to think, and no earlier.
#[test]
fn a_block_begins_when_the_one_before_is_there() {
    let output = run(&[("200 ms", "1 ms")]);
    let (starts, ends) = (real(&output, "pages", "start_s"), real(&output, "pages", "finish_s"));
    assert!(starts.len() > 100, "{} blocks", starts.len());
    for (end, next) in ends.iter().zip(&starts[1..]) {
        assert!(next - end > 99e-6, "a block ends at {end} s, and the next begins at {next} s");
    }
    // 32 times 22 packets of 1500 bytes at 1 Gbit/s.
    let least = ends.iter().zip(&starts).map(|(end, start)| end - start).fold(f64::INFINITY, f64::min);
    assert!(least > 32.0 * 22.0 * 12e-6, "{least} s");
}

#[test]
fn each_connection_has_a_server_of_its_own() {
    let output = run(&[("200 ms", "1 ms")]);
    let flows = output.table("flows").unwrap();
    let (Some(Column::Text(from)), Some(Column::Text(to))) =
        (flows.column("source"), flows.column("destination"))
    else {
        panic!("no names")
    };
    let from: Vec<&str> = from.iter().collect();
    let expected: Vec<String> = (2..34).map(|host| format!("h{host}")).collect();
    assert_eq!(from, expected);
    assert!(to.iter().all(|name| name == "h1"));
}

/// Two clients with two servers each take four pairs of nodes, and a flow after them takes the fifth.
#[test]
fn each_client_has_servers_of_its_own() {
    let text = "name = \"clients\"\nduration = \"1 s\"\n[topology.dumbbell]\npairs = 5\nbottleneck = { rate = \"1 Mbit/s\", \
                delay = \"1 ms\" }\naccess = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n[[flow]]\ncount = 2\npackets = 5\n\
                pool = { connections = 2, own_servers = true }\n[[flow]]\n[[udp]]\nrate = \"1 kbit/s\"\n[[call]]";
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let ends: Vec<(String, String)> =
        scenario.flows().into_iter().map(|flow| (flow.name, flow.source)).collect();
    let named = |name: &str, source: &str| (name.to_owned(), source.to_owned());
    let expected =
        [("tcp1.1", "src1"), ("tcp1.2", "src2"), ("tcp2.1", "src3"), ("tcp2.2", "src4"), ("tcp3", "src5")];
    assert_eq!(ends, expected.map(|(name, source)| named(name, source)));
    assert_eq!(scenario.udp_flows()[0].source, "src1", "the pairs begin again");
    assert_eq!(scenario.calls()[0].source, "src2", "calls go on where datagrams end");
}
