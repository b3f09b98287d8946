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

/// 1 Mbit/s of datagrams over half of it, with marks above a queue of five packets and room for ten. RFC 3168, section 5: what is
/// ECN-capable is marked, either codepoint alike, and what is not is never marked; a full buffer drops both.
#[test]
fn capable_datagrams_are_marked() {
    let marked_and_dropped = |keys: &str| {
        let text = format!(
            "name = \"x\"\nduration = \"10 s\"\n[[topology.graph.link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"500 kbit/s\"\n\
             delay = \"10 ms\"\nbuffer = \"10 packets\"\necn_threshold = \"5 packets\"\n[[udp]]\nfrom = \"a\"\nto = \"b\"\n\
             rate = \"1 Mbit/s\"\n{keys}\n"
        );
        let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
        let links = output.table("links").unwrap();
        ["marked", "dropped_queue"].map(|column| links.count(column).unwrap()[0])
    };
    let [none, dropped] = marked_and_dropped("");
    // 125 packets a second arrive and 62.5 leave; the buffer is full within a second, and then every arriving packet that is
    // enqueued finds more than five waiting.
    assert!(none == 0 && dropped > 500, "{none} marks, {dropped} drops");
    for codepoint in ["ect0", "ect1"] {
        let [marks, drops] = marked_and_dropped(&format!("ecn = \"{codepoint}\""));
        assert!(
            marks > 550 && drops == dropped,
            "{codepoint}: {marks} marks, {drops} drops instead of {dropped}"
        );
    }
    assert_eq!(marked_and_dropped("ecn = \"off\""), [0, dropped]);
}
