//! Queue disciplines in scenarios: how they are written, what is wrong with what is not, and that they work.

use ackclock_network::QUEUES;
use ackclock_simulation::scenario::{Queue, Scenario};
use ackclock_simulation::{Output, Simulation};

fn scenario(bottleneck: &str) -> String {
    format!(
        r#"
name = "queue"
duration = "20 s"
[topology.dumbbell]
pairs = 4
bottleneck = {{ rate = "1 Mbit/s", delay = "50 ms", buffer = "20 packets"{bottleneck} }}
access = {{ rate = "10 Mbit/s", delay = "5 ms" }}
[tcp]
algorithm = "sack"
[[flow]]
count = 4

start_jitter = "1 s"
"#
    )
}

fn run(queue: &str) -> Output {
    let text = scenario(&format!(", queue = {queue}"));
    Simulation::new(&Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{queue}: {error}")))
        .unwrap()
        .run()
}

/// The counts of the bottleneck, whose forward direction is the first link.
fn counted(output: &Output, column: &str) -> u64 {
    output.table("links").unwrap().count(column).unwrap()[0]
}

fn complaint(queue: &str) -> String {
    Scenario::from_toml(&scenario(&format!(", queue = {queue}")), &[]).unwrap_err().to_string()
}

#[test]
fn every_discipline_runs_by_its_name_alone() {
    for entry in QUEUES {
        let has_own_buffer = entry.name.parse::<Queue>().unwrap().discipline().buffer_of(4).is_some();
        let buffer = if has_own_buffer { "unlimited" } else { "20 packets" };
        let text = scenario(&format!(", queue = {:?}", entry.name)).replace("20 packets", buffer);
        let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
        assert!(output.packets_delivered() > 1000, "{}: {}", entry.name, output.packets_delivered());
    }
}

/// Four flows with ten packets each need forty. With less room the buffer would not grow with the flows.
#[test]
fn a_buffer_in_proportion_to_the_flows_is_not_cut_off_unsaid() {
    for buffer in ["20 packets", "39 packets", "100 kB", "100% bdp"] {
        let text = scenario(", queue = \"flow-proportional\"").replace("20 packets", buffer);
        let error = Scenario::from_toml(&text, &[]).unwrap_err();
        assert_eq!(error.key.as_deref(), Some("topology.dumbbell.bottleneck.buffer"));
        for word in ["flow-proportional", "40 packets for the 4 flows", "\"unlimited\""] {
            assert!(error.to_string().contains(word), "{word:?} is missing: {error}");
        }
    }
    for buffer in ["40 packets", "unlimited"] {
        let text = scenario(", queue = \"flow-proportional\"").replace("20 packets", buffer);
        let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
        assert_eq!(counted(&output, "max_queue_packets"), 40);
    }
    let text = scenario(", queue = \"flow-proportional\"").replace("20 packets", "40 packets");
    let with_reverse = text.replace("queue = \"flow", "reverse = { buffer = \"9 packets\" }, queue = \"flow");
    let error = Scenario::from_toml(&with_reverse, &[]).unwrap_err();
    assert_eq!(error.key.as_deref(), Some("topology.dumbbell.bottleneck.reverse.buffer"));
}

#[test]
fn a_table_and_a_text_say_the_same() {
    for (text, table, shortest) in [
        ("\"sfq\"", "{ sfq = {} }", "sfq"),
        ("\"sfq(buckets=5)\"", "{ sfq = { buckets = 5 } }", "sfq(buckets=5)"),
        ("\"sfq( perturbation = 2 s )\"", "{ sfq = { perturbation = \"2000 ms\" } }", "sfq(perturbation=2)"),
        ("\"sfq(perturbation=2)\"", "{ sfq = { perturbation = \"2 s\" } }", "sfq(perturbation=2)"),
        ("\"protect(pushout=1)\"", "{ protect = { pushout = true } }", "protect(pushout=1)"),
        ("\"droptail\"", "{ droptail = {} }", "droptail"),
    ] {
        let read = |queue: &str| {
            let toml = scenario(&format!(", queue = {queue}"));
            let scenario = Scenario::from_toml(&toml, &[]).unwrap_or_else(|error| panic!("{queue}: {error}"));
            scenario.topology.links()[0].direction.queue.to_string()
        };
        assert_eq!((read(text), read(table)), (shortest.to_owned(), shortest.to_owned()), "{text}");
        assert_eq!(shortest.parse::<Queue>().unwrap().to_string(), shortest);
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_what_is_right() {
    let place = "topology.dumbbell.bottleneck.queue";
    for (queue, words) in [
        ("\"sqf\"", &["queue: ", "\"sqf\"", "\"sfq\""][..]),
        ("\"sfq(bucket=5)\"", &["queue: ", "\"bucket\"", "\"buckets\""]),
        ("\"sfq(buckets=0)\"", &["queue: ", "buckets must be from 1"]),
        ("\"sfq(perturbation=fast)\"", &["queue: ", "\"fast\"", "number"]),
        ("\"sfq(buckets=5\"", &["queue: ", "name(key=value"]),
        ("{ sqf = {} }", &["queue.sqf: ", "\"sfq\""]),
        ("{ sfq = { bucket = 5 } }", &["queue.sfq.bucket: ", "\"buckets\""]),
        ("{ sfq = { buckets = 0 } }", &["queue.sfq.buckets: ", "found 0", "from 1"]),
        ("{ sfq = { perturbation = 2 } }", &["queue.sfq.perturbation: ", "without a unit", "\"10 s\""]),
        ("{ sfq = { perturbation = \"2 miles\" } }", &["queue.sfq.perturbation: ", "\"2 miles\"", "ms"]),
        ("{ sfq = 5 }", &["queue.sfq: ", "found 5", "settings of the queue sfq"]),
        ("{}", &["queue: ", "empty"]),
        ("{ sfq = {}, protect = {} }", &["queue: ", "one queue"]),
        ("7", &["queue: ", "found 7", "{ sfq ="]),
    ] {
        let text = complaint(queue);
        assert!(text.starts_with(place), "{queue}: {text}");
        for word in words {
            assert!(text.contains(word), "{queue}: {word:?} is missing: {text}");
        }
    }
    let sfq = |rest: &str| {
        let text = scenario(&format!(", queue = \"sfq\"{rest}")).replace("buffer = \"20 packets\", ", "");
        Scenario::from_toml(&text, &[]).unwrap_err().to_string()
    };
    let text = sfq(", ecn_threshold = \"5 packets\"");
    assert!(
        text.starts_with("topology.dumbbell.bottleneck.ecn_threshold: ") && text.contains("droptail"),
        "{text}"
    );
    let text = complaint("\"sfq\", reverse = { buffer = \"0 packets\" }");
    assert!(text.starts_with("topology.dumbbell.bottleneck.reverse.buffer: "), "{text}");
}

/// Section 6.2 of the paper: what is sent again is recognised, and is not dropped while new packets are.
#[test]
fn the_gateway_knows_retransmissions_and_spares_them() {
    let output = run("\"protect\"");
    let retransmissions: u64 = output.table("flows").unwrap().count("retransmissions").unwrap().iter().sum();
    let offered = counted(&output, "offered_protected");
    assert!(retransmissions > 50, "{retransmissions}");
    // Each is offered to the bottleneck, unless it is on its way there at the end of the run.
    assert!(offered <= retransmissions && offered + 4 >= retransmissions, "{offered} of {retransmissions}");
    assert_eq!(counted(&output, "dropped_protected"), 0);
    assert!(counted(&output, "dropped_queue") > 50);
    let plain = run("\"droptail\"");
    assert_eq!(counted(&plain, "offered_protected"), 0);
}

/// One bucket and no bound of its own: the same run as with drop-tail, table by table.
#[test]
fn one_bucket_is_drop_tail() {
    let (one, plain) = (run("\"sfq(buckets=1)\""), run("\"droptail\""));
    assert_eq!(one.packets_delivered(), plain.packets_delivered());
    for column in ["packets_offered", "packets_forwarded", "dropped_queue", "max_queue_packets"] {
        assert_eq!(counted(&one, column), counted(&plain, column), "{column}");
    }
}

/// A queue goes with a link wherever it lies.
#[test]
fn every_topology_has_queues() {
    let end = r#"
[tcp]
algorithm = "sack"
[[flow]]
from = "SOURCE"
to = "DESTINATION"
"#;
    let link =
        "{ rate = \"1 Mbit/s\", delay = \"5 ms\", buffer = \"10 packets\", queue = \"sfq(buckets=5)\" }";
    let graph = format!(
        "[[topology.graph.link]]\nfrom = \"a\"\nto = \"b\"\n{}\n",
        link.trim_matches(['{', '}']).trim().replace(", ", "\n")
    );
    let lot = format!("[topology.parking_lot]\nhops = 2\nlink = {link}\naccess = {link}\n");
    let tiers = format!(
        "[topology.three_tier]\nbackbone = {{ count = 2, shape = \"mesh\", link = {link} }}\n\
         pop = {{ count = 1, link = {link} }}\naccess = {{ count = 1, link = {link} }}\n\
         host = {{ count = 1, link = {link} }}\n"
    );
    for (topology, source, destination) in
        [(graph, "a", "b"), (lot, "src0", "dst0"), (tiers, "b1.p1.a1.h1", "b2.p1.a1.h1")]
    {
        let end = end.replace("SOURCE", source).replace("DESTINATION", destination);
        let text = format!("name = \"q\"\nduration = \"10 s\"\n{topology}{end}");
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(Simulation::new(&scenario).unwrap().run().packets_delivered() > 500, "{text}");
    }
}

/// Two long flows, the second of another class, and their packets delivered.
fn two_classes(queue: &str) -> Vec<u64> {
    let text = format!(
        "name = \"classes\"\nduration = \"20 s\"\nwarm_up = \"5 s\"\n[topology.dumbbell]\npairs = 2\n\
         bottleneck = {{ rate = \"5 Mbit/s\", delay = \"10 ms\", buffer = \"60 packets\", queue = \"{queue}\" }}\n\
         access = {{ rate = \"100 Mbit/s\", delay = \"1 ms\" }}\n[tcp]\nalgorithm = \"sack\"\n\
         [[flow]]\n[[flow]]\npriority = 3\n[[udp]]\nrate = \"100 kbit/s\"\npriority = 7\n"
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario)
        .unwrap()
        .run()
        .table("flows")
        .unwrap()
        .count("packets_delivered")
        .unwrap()
        .to_vec()
}

/// `priority` is the class of a group's packets: one that does not back off from losses of lower classes has the link alone, and
/// one with four times the weight has four times the rate.
#[test]
fn the_priority_of_a_group_is_the_class_of_its_packets() {
    let strict = two_classes("priority");
    assert!(strict[0] * 50 < strict[1] && strict[2] > 150, "{strict:?}");
    let weighted = two_classes("weighted-priority");
    let ratio = weighted[1] as f64 / weighted[0] as f64;
    assert!((ratio / 4.0 - 1.0).abs() < 0.1, "{weighted:?}");
    let text = scenario("").replace("count = 4", "count = 4\npriority = 8");
    let error = Scenario::from_toml(&text, &[]).unwrap_err().to_string();
    assert!(error.starts_with("flow.0.priority: ") && error.contains("to 7"), "{error}");
}

/// Twice the rate of the link in packets of 100 bytes fills the thirty places, in packets of 1500 bytes the 15 000 bytes.
#[test]
fn of_a_buffer_in_packets_and_bytes_the_smaller_counts() {
    for (size, most) in [(100, 30), (500, 30), (600, 25), (1500, 10)] {
        let text = format!(
            "name = \"both\"\nduration = \"2 s\"\n[topology.dumbbell]\nbottleneck = {{ rate = \"1 Mbit/s\", delay = \"1 ms\", \
             buffer = \"30 packets, 15 kB\" }}\naccess = {{ rate = \"1 Gbit/s\", delay = \"0 s\" }}\n[[udp]]\n\
             rate = \"2 Mbit/s\"\npacket = \"{size} bytes\""
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            counted(&Simulation::new(&scenario).unwrap().run(), "max_queue_packets"),
            most,
            "{size} bytes"
        );
    }
}

#[test]
fn a_buffer_of_two_limits_has_one_in_packets_and_one_in_bytes() {
    for buffer in [
        "10 packets, 20 packets",
        "10 kB, 20 ms",
        "10 packets, 10 kB, 1 kB",
        "10 packets,",
        "unlimited, 10 kB",
    ] {
        let error = Scenario::from_toml(&scenario("").replace("20 packets", buffer), &[]).unwrap_err();
        assert_eq!(error.key.as_deref(), Some("topology.dumbbell.bottleneck.buffer"), "{buffer}: {error}");
    }
    let turned = scenario("").replace("20 packets", "30 kB,20 packets");
    let straight = scenario("").replace("20 packets", "20 packets, 30 kB");
    let [turned, straight] = [turned, straight].map(|text| Scenario::from_toml(&text, &[]).unwrap());
    assert_eq!(turned.topology, straight.topology);
}
