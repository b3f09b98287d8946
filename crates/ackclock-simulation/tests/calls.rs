//! Calls: delays and losses of datagrams, by hand.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Simulation, Table};

/// The table of a call of `keys` over 1 Mbit/s and 10 ms.
fn call(link: &str, keys: &str) -> Option<Table> {
    let text = format!(
        "name = \"x\"\nduration = \"10 s\"\nwarm_up = \"2 s\"\n[[topology.graph.link]]\nfrom = \"a\"\nto = \"b\"\n\
         rate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n{link}\n[[udp]]\nfrom = \"a\"\nto = \"b\"\nrate = \"500 kbit/s\"\n{keys}\n"
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap();
    Simulation::new(&scenario).unwrap().run().take_table("calls")
}

fn real(table: &Table, column: &str) -> f64 {
    table.real(column).unwrap()[0]
}

/// 1000 bytes take 8 ms to transmit and 10 ms to arrive. Every 16 ms one leaves: 500 in the eight seconds after the
/// warm-up, of which the last is under way at the end.
#[test]
fn an_empty_path_delays_all_alike() {
    let table = call("", "call = true").unwrap();
    assert_eq!(
        (table.count("packets_delivered"), table.count("packets_lost")),
        (Some(&[499][..]), Some(&[0][..]))
    );
    for column in ["delay_min_s", "delay_p50_s", "delay_p99_s", "delay_max_s"] {
        assert!((real(&table, column) - 0.018).abs() < 1e-9, "{column}: {}", real(&table, column));
    }
}

/// Messages of ten packets, each 8 ms behind the one before: 18, 26, .. 90 ms. Half of them take at most the fifth's 50 ms.
#[test]
fn percentiles_are_of_packets() {
    let table = call("", "call = true\nmessage = \"10000 bytes\"").unwrap();
    for (column, expected) in [("delay_min_s", 0.018), ("delay_p50_s", 0.05), ("delay_p95_s", 0.09)] {
        assert!((real(&table, column) - expected).abs() < 1e-9, "{column}: {}", real(&table, column));
    }
}

/// Of packets 201 to 263, sent in the second after 3.2 s, two are lost: numbers count from 1, those before 126 leave in the
/// warm-up. Packets 188 to 250 are the second second after it: 63 with the two, of 62.5 a second.
#[test]
fn losses_are_counted_by_the_second() {
    let table = call("loss = { scripted = { flow = 0, packets = [201, 203] } }", "call = true").unwrap();
    assert_eq!(table.count("packets_lost"), Some(&[2][..]));
    let worst = real(&table, "loss_of_seconds_max");
    assert!((worst - 2.0 / 62.0).abs() < 1e-9 || (worst - 2.0 / 63.0).abs() < 1e-9, "{worst}");
    assert!((real(&table, "loss") - 2.0 / 499.0).abs() < 1e-9);
}

#[test]
fn other_datagrams_are_no_call() {
    assert!(call("", "").unwrap().columns().is_empty());
}
