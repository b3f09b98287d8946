//! Percentiles of the one-way delay of TCP's data packets.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// A flow of packets of 1500 bytes over 1 Mbit/s and 30 ms to the receiver, and 10 ms back.
fn run_text(trace: &str, link: &str, flow: &str) -> String {
    format!(
        "name = \"delays\"\nduration = \"20 s\"\n[[topology.graph.link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\n\
         delay = \"30 ms\"\n{link}\nreverse = {{ delay = \"10 ms\" }}\n[trace]\n{trace}\n[tcp]\nalgorithm = \"sack\"\n[[flow]]\n\
         from = \"a\"\nto = \"b\"\n{flow}"
    )
}

fn run(trace: &str, link: &str, flow: &str) -> Output {
    run_of(&run_text(trace, link, flow))
}

fn run_of(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario).unwrap().run()
}

/// The median, and the delays that 95 % and 99 % do not exceed, in milliseconds.
fn percentiles(output: &Output) -> [f64; 3] {
    ["p50", "p95", "p99"]
        .map(|name| output.table("flows").unwrap().real(&format!("one_way_delay_{name}_s")).unwrap()[0] * 1e3)
}

const ON: &str = "one_way_delays = true";

/// A packet takes 12 ms to transmit and 30 ms to propagate; at 30 packets in a second none waits for another.
#[test]
fn without_a_queue_the_delay_is_that_of_the_path_there() {
    let output = run(ON, "", "write_rate = \"350 kbit/s\"");
    for delay in percentiles(&output) {
        assert!((delay - 42.0).abs() < 1e-6, "{delay} ms");
    }
}

/// Ten packets of 12 ms are on their way around, so each takes 120 ms there and back; an acknowledgment takes 10.32 ms.
#[test]
fn a_full_window_adds_its_queue() {
    let flow = "tcp = { receive_window = \"10 packets\", segments_per_ack = 1 }";
    for delay in percentiles(&run(ON, "", flow)) {
        assert!((delay - 109.68).abs() < 0.5, "{delay} ms");
    }
}

/// Every fiftieth packet or so is lost and sent again after three others or more: it would have taken 200 ms longer. What has waited
/// then leaves at once, at most the packets of a second.
#[test]
fn a_packet_that_is_sent_again_counts_from_then() {
    let output = run(ON, "loss = { bernoulli = 0.02 }", "write_rate = \"200 kbit/s\"");
    let flows = output.table("flows").unwrap();
    assert!(flows.count("retransmissions").unwrap()[0] > 2);
    let [median, _, high] = percentiles(&output);
    assert!((median - 42.0).abs() < 1e-6, "{median} ms");
    assert!(high < 42.0 + 17.0 * 12.0, "{high} ms");
}

/// For five seconds packets wait behind datagrams; with a warm-up of six seconds none that waited counts.
#[test]
fn packets_sent_before_the_end_of_the_warm_up_do_not_count() {
    let with_warm_up = |warm_up: &str| {
        let flow = "write_rate = \"100 kbit/s\"\n[[udp]]\nfrom = \"a\"\nto = \"b\"\nrate = \"900 kbit/s\"\n\
                    pattern = \"poisson\"\nstop = \"5 s\"";
        // Keys at the top come before all tables.
        let text = run_text(ON, "", flow).replace("duration", &format!("warm_up = \"{warm_up}\"\nduration"));
        percentiles(&run_of(&text))
    };
    let [_, _, all] = with_warm_up("0 s");
    assert!(all > 60.0, "{all} ms");
    for delay in with_warm_up("6 s") {
        assert!((delay - 42.0).abs() < 1e-6, "{delay} ms");
    }
}

/// Both ends of a connection send data.
#[test]
fn requests_and_responses_count() {
    let flow = "request = { size = { constant = \"1 packet\" } }\nresponse = { size = { constant = \"1 packet\" } }\n\
                think = { constant = \"1 s\" }\ntcp = { initial_window = \"1 packets\" }";
    let [median, _, high] = percentiles(&run(ON, "", flow));
    assert!((21.9..=42.1).contains(&median) && (high - 42.0).abs() < 0.1, "{median} and {high} ms");
}

#[test]
fn without_the_key_there_is_no_such_column_and_nothing_else_differs() {
    let (off, on) = (run("", "buffer = \"10 packets\"", ""), run(ON, "buffer = \"10 packets\"", ""));
    assert!(off.table("flows").unwrap().column("one_way_delay_p50_s").is_none());
    assert_eq!(off.events, on.events);
    let same = off.table("flows").unwrap().columns().iter().zip(on.table("flows").unwrap().columns());
    assert_eq!(same.filter(|(one, two)| format!("{one:?}") != format!("{two:?}")).count(), 0);
}
