//! Traffic: arrivals, ends, and mixtures of algorithms over the same arrivals.

use std::collections::BTreeMap;

use ackclock_simulation::scenario::{Scenario, ScenarioError};
use ackclock_simulation::{Output, Simulation};

/// A dumbbell of five pairs, with these flows.
fn text(duration: &str, flow: &str) -> String {
    format!(
        r#"
        name = "traffic"
        duration = "{duration}"
        [topology.dumbbell]
        pairs = 5
        bottleneck = {{ rate = "5 Mbit/s", delay = "20 ms", buffer = "20 packets" }}
        access = {{ rate = "50 Mbit/s", delay = "2 ms" }}
        [[flow]]
        {flow}
        "#
    )
}

fn scenario(duration: &str, flow: &str) -> Scenario {
    Scenario::from_toml(&text(duration, flow), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn starts(scenario: &Scenario) -> Vec<f64> {
    scenario.flows().iter().map(|flow| flow.start.as_secs_f64()).collect()
}

fn error(flow: &str) -> ScenarioError {
    Scenario::from_toml(&text("100 s", flow), &[]).err().unwrap_or_else(|| panic!("accepted: {flow}"))
}

#[track_caller]
fn says(flow: &str, key: &str, part: &str) {
    let error = error(flow);
    assert_eq!(error.key.as_deref(), Some(key), "{error}");
    assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
}

#[test]
fn a_poisson_process_follows_the_rates_of_its_times() {
    let rates = "[[\"0 s\", \"20 flows/s\"], [\"100 s\", \"100 flows/s\"], [\"200 s\", \"10 flows/s\"]]";
    let times =
        starts(&scenario("300 s", &format!("arrivals = {{ poisson = {{ rates = {rates} }} }}\npackets = 1")));
    for (from, expected) in [(0.0, 2000.0), (100.0, 10_000.0), (200.0, 1000.0)] {
        let found = times.iter().filter(|time| (from..from + 100.0).contains(*time)).count() as f64;
        // Four standard deviations of a Poisson number.
        assert!((found - expected).abs() < 4.0 * f64::sqrt(expected), "{found} from {from} s on");
    }
    let one = "arrivals = { poisson = { rate = \"20 flows/s\" } }\npackets = 1";
    let same = "arrivals = { poisson = { rates = [[\"0 s\", \"20 flows/s\"]] } }\npackets = 1";
    let (one, same) = (starts(&scenario("60 s", one)), starts(&scenario("60 s", same)));
    assert_eq!(one.len(), same.len());
    assert!(
        one.iter().zip(&same).all(|(one, same)| (one - same).abs() < 1e-6),
        "constant rates are one rate"
    );
}

#[test]
fn gaps_of_a_poisson_process_are_exponential() {
    let times = starts(&scenario("1 h", "count = 20000\narrivals = { poisson = { mean_gap = \"100 ms\" } }"));
    let mut gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    // The mean of 20,000 gaps is known to 0.7 %; its standard deviation is the mean itself.
    assert!((mean / 0.1 - 1.0).abs() < 0.025, "{mean}");
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    assert!((variance.sqrt() / mean - 1.0).abs() < 0.03, "{variance}");
    gaps.sort_by(f64::total_cmp);
    // Half of the gaps are below ln 2 of the mean, nine tenths below ln 10.
    assert!((gaps[gaps.len() / 2] / 0.1 - std::f64::consts::LN_2).abs() < 0.03);
    assert!((gaps[gaps.len() * 9 / 10] / 0.1 - std::f64::consts::LN_10).abs() < 0.1);
}

#[test]
fn as_many_flows_arrive_as_fit_the_run() {
    // 50 runs of 20 flows on average: the sum has a standard deviation of about 32, and counts vary as their mean.
    let group = "arrivals = { poisson = { rate = \"12 flows/min\" } }\npackets = 5";
    let runs: Vec<Scenario> =
        (0..50).map(|seed: u32| scenario("100 s", group).with("seed", &seed.to_string()).unwrap()).collect();
    let counts: Vec<f64> = runs.iter().map(|run| f64::from(run.flow_count())).collect();
    let mean = counts.iter().sum::<f64>() / 50.0;
    assert!((mean - 20.0).abs() < 2.0, "{mean}");
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 49.0;
    assert!((10.0..35.0).contains(&variance), "{variance}");
    for run in &runs {
        assert!(starts(run).iter().all(|start| *start < 100.0), "{:?}", starts(run));
        assert_eq!(run.flows().len(), run.flow_count() as usize);
    }
    // A process that begins later and stops earlier fills its own time.
    let part = scenario("100 s", &format!("{group}\nstart = \"20 s\"\nstop = \"70 s\""));
    assert!(starts(&part).iter().all(|start| (20.0..70.0).contains(start)), "{:?}", starts(&part));
    // A longer run has the flows of the shorter one, and more of them.
    let (short, long) = (starts(&scenario("100 s", group)), starts(&scenario("200 s", group)));
    assert_eq!(long[..short.len()], short);
    assert!(long.len() > short.len());
}

#[test]
fn flows_arrive_at_the_times_given() {
    let group = "arrivals = { at = [\"5 s\", \"1 s\", \"200 s\"] }\nstart = \"500 ms\"\npackets = 3";
    let scenario = scenario("20 s", group);
    assert_eq!(starts(&scenario), [5.5, 1.5, 200.5]);
    let output = Simulation::new(&scenario).unwrap().run();
    let begun = output.table("transfers").unwrap().real("start_s").unwrap();
    assert_eq!(begun, [1.5, 5.5], "what comes after the end does not come");
}

#[test]
fn flows_that_arrive_after_the_stop_do_not_begin() {
    for algorithm in ["newreno", "acknak", "tfrc"] {
        let group = format!(
            "count = 50\narrivals = {{ poisson = {{ rate = \"1 flows/s\" }} }}\npackets = 3\nstop = \"20 s\"\nalgorithm = \"{algorithm}\""
        );
        let output = Simulation::new(&scenario("100 s", &group)).unwrap().run();
        let begun = output.table("transfers").unwrap().real("start_s").unwrap();
        assert!((10..30).contains(&begun.len()), "{} transfers", begun.len());
        assert!(begun.iter().all(|start| *start < 20.0), "{begun:?}");
        let sent = output.table("flows").unwrap().count("packets_sent").unwrap();
        assert_eq!(sent.iter().filter(|sent| **sent > 0).count(), begun.len());
    }
}

#[test]
fn arrivals_of_a_group_depend_on_no_other() {
    let group = "name = \"web\"\ncount = 30\narrivals = { poisson = { rate = \"1 flows/s\" } }";
    let alone = scenario("100 s", group);
    let more = scenario("100 s", &format!("name = \"long\"\ncount = 7\n[[flow]]\n{group}"));
    assert_eq!(starts(&alone), starts(&more)[7..]);
    let other = scenario("100 s", &group.replace("web", "mail"));
    assert_ne!(starts(&alone), starts(&other));
}

fn ends(scenario: &Scenario) -> Vec<(String, String)> {
    scenario.flows().into_iter().map(|flow| (flow.source, flow.destination)).collect()
}

#[test]
fn flows_take_the_named_nodes_in_turn_and_either_way() {
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    let lists = "count = 3\nfrom = [\"src1\", \"src4\"]\nto = [\"dst2\", \"dst3\"]";
    let expected = [pair("src1", "dst2"), pair("src4", "dst3"), pair("src1", "dst2")];
    assert_eq!(ends(&scenario("1 s", lists)), expected);
    let one = "count = 3\nfrom = [\"src1\", \"src4\"]\nto = \"dst2\"";
    assert_eq!(ends(&scenario("1 s", one))[1], pair("src4", "dst2"));
    let back = scenario("1 s", "count = 7\nbackward = true\n[[udp]]\nrate = \"1 Mbit/s\"\nbackward = true");
    assert_eq!(ends(&back)[6], pair("dst2", "src2"));
    let udp = &back.udp_flows()[0];
    assert_eq!((udp.source.as_str(), udp.destination.as_str()), ("dst3", "src3"));
}

#[test]
fn reverse_traffic_loads_the_way_back() {
    let group = "count = 10\npackets = 50\nstart_jitter = \"5 s\"";
    let both = format!("name = \"there\"\n{group}\n[[flow]]\nname = \"back\"\nbackward = true\n{group}");
    let output = Simulation::new(&scenario("60 s", &both)).unwrap().run();
    let bytes = output.table("links").unwrap().count("bytes_forwarded").unwrap();
    // The first two link directions are the bottleneck's. Each carries 500 packets of 1500 bytes, and acknowledgments.
    assert!(bytes[0] > 750_000 && bytes[1] > 750_000, "{bytes:?}");
}

fn by_algorithm(scenario: &Scenario) -> BTreeMap<String, Vec<u32>> {
    let mut found: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for flow in scenario.flows() {
        found.entry(flow.algorithm.to_owned()).or_default().push(flow.index);
    }
    found
}

#[test]
fn a_mixture_is_even_over_the_pairs() {
    // 200 of 1200 over five pairs: 40 at each node, as in Burst TCP's study of deployment (5.6).
    for (burst, at_each) in [(0, 0), (200, 40), (400, 80), (1000, 200), (1200, 240)] {
        let rest = 1200 - burst;
        let shares = format!(
            "algorithms = [{{ name = \"btcp(f=8)\", count = {burst} }}, {{ name = \"newreno\", count = {rest} }}]"
        );
        let found = by_algorithm(&scenario("10 s", &shares));
        let burst_flows = found.get("btcp(f=8)").cloned().unwrap_or_default();
        assert_eq!(burst_flows.len(), burst);
        for pair in 0..5 {
            let here = burst_flows.iter().filter(|flow| **flow % 5 == pair).count();
            assert_eq!(here, at_each, "{burst} at pair {pair}");
        }
    }
    // One in five over five pairs is one in five at each, not all at one.
    let shares = "algorithms = [{ name = \"vegas\", count = 20 }, { name = \"sack\", count = 50 }, { name = \"reno\", count = 30 }]";
    let found = by_algorithm(&scenario("10 s", shares));
    for (algorithm, at_each) in [("vegas", 4), ("sack", 10), ("reno", 6)] {
        for pair in 0..5 {
            let here = found[algorithm].iter().filter(|flow| **flow % 5 == pair).count();
            assert_eq!(here, at_each, "{algorithm} at pair {pair}");
        }
    }
}

/// The flow's settings: name, ends, start, size.
fn traffic(output: &Output) -> Vec<(f64, u64)> {
    let table = output.table("transfers").unwrap();
    let mut rows: Vec<(f64, u64)> = table
        .real("start_s")
        .unwrap()
        .iter()
        .copied()
        .zip(table.count("packets").unwrap().iter().copied())
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows
}

#[test]
fn all_mixtures_meet_the_same_traffic() {
    for arrivals in ["start_jitter = \"30 s\"", "arrivals = { poisson = { rate = \"4 flows/s\" } }"] {
        let group = format!(
            "name = \"web\"\nsize = {{ pareto = {{ scale = \"4 packets\", shape = 1.2 }} }}\n{arrivals}"
        );
        let mixed = |vegas: u32| {
            let shares = format!(
                "algorithms = [{{ name = \"vegas\", count = {vegas} }}, {{ name = \"acknak\", count = 20 }}, \
                 {{ name = \"newreno\", count = {} }}]",
                80 - vegas
            );
            scenario("120 s", &format!("{group}\n{shares}"))
        };
        let pure = scenario("120 s", &format!("{group}\ncount = 100\nalgorithm = \"sack\""));
        let (runs, expected) = (vec![mixed(0), mixed(30), mixed(80)], Simulation::new(&pure).unwrap().run());
        assert_eq!(traffic(&expected).len(), 100);
        for run in runs {
            assert_eq!(ends(&run), ends(&pure));
            assert_eq!(traffic(&Simulation::new(&run).unwrap().run()), traffic(&expected));
        }
    }
}

#[test]
fn a_mixture_runs_what_its_flows_would_run_alone() {
    // dctcp needs other endpoints than newreno, though the settings of [tcp] are the same for both.
    let shares = "packets = 40\nalgorithms = [{ name = \"dctcp\", count = 1 }, { name = \"newreno\", count = 1 }]\n\
                  arrivals = { at = [\"0 s\", \"30 s\"] }";
    let mixed = Simulation::new(&scenario("60 s", shares)).unwrap().run();
    for (row, algorithm) in ["dctcp", "newreno"].iter().enumerate() {
        let alone = format!("packets = 40\nalgorithm = \"{algorithm}\"\nstart = \"{} s\"", 30 * row);
        let alone = Simulation::new(&scenario("60 s", &alone)).unwrap().run();
        let finish =
            |output: &Output, row: usize| output.table("flows").unwrap().real("finish_s").unwrap()[row];
        let difference = finish(&mixed, row) - finish(&alone, 0);
        assert!(difference.abs() < 1e-9, "{algorithm}: {difference}");
    }
}

#[test]
fn mistakes_are_said() {
    says(
        "arrivals = { poisson = {} }",
        "flow.0.arrivals.poisson",
        "neither \"rate\", \"rates\" nor \"mean_gap\"",
    );
    let both = "arrivals = { poisson = { rate = \"1 flows/s\", mean_gap = \"1 s\" } }";
    says(both, "flow.0.arrivals.poisson", "one follows from the other");
    says("arrivals = { poisson = { mean_gap = \"0 s\" } }", "flow.0.arrivals.poisson.mean_gap", "zero");
    says("arrivals = { poisson = { rate = \"5 per s\" } }", "flow.0.arrivals.poisson.rate", "flows/min");
    says("arrivals = { poisson = { rate = \"0 flows/s\" } }", "flow.0.arrivals.poisson.rate", "above zero");
    says("arrivals = { poisson = { rate = 5 } }", "flow.0.arrivals.poisson.rate", "without a unit");
    says("arrivals = { poisson = { rate = \"99 flows/ms\" } }", "flow.0.arrivals.poisson", "9900000 flows");
    let steps = |steps: &str| format!("arrivals = {{ poisson = {{ rates = [{steps}] }} }}");
    says(&steps("[\"1 s\", \"1 flows/s\"]"), "flow.0.arrivals.poisson.rates", "from \"0 s\" on");
    let twice = "[\"0 s\", \"1 flows/s\"], [\"0 s\", \"2 flows/s\"]";
    says(&steps(twice), "flow.0.arrivals.poisson.rates", "ascend");
    says("arrivals = { poison = {} }", "flow.0.arrivals.poison", "did you mean \"poisson\"?");
    says("arrivals = { at = [] }", "flow.0.arrivals.at", "empty");
    says("arrivals = { at = [\"1 s\", 2] }", "flow.0.arrivals.at.1", "without a unit");
    says("arrivals = { at = [\"1 h\"] }", "flow.0.arrivals.at", "after the end");
    says("count = 3\narrivals = { at = [\"1 s\"] }", "flow.0.arrivals.at", "found 1 flows; by flow.0.count");
    let share = "algorithms = [{ name = \"reno\", count = 2 }]";
    says(&format!("count = 3\n{share}"), "flow.0.algorithms", "found 2 flows");
    says(&format!("algorithm = \"reno\"\n{share}"), "flow.0.algorithms", "twice");
    says(&format!("tcp = {{ algorithm = \"reno\" }}\n{share}"), "flow.0.tcp.algorithm", "twice");
    says("algorithms = [{ name = \"rino\", count = 2 }]", "flow.0.algorithms.0.name", "\"reno\"");
    says("algorithms = [{ name = \"reno\" }]", "flow.0.algorithms.0.count", "missing");
    says("algorithms = [{ name = \"reno\", count = 0 }]", "flow.0.algorithms", "no flow");
    says("from = []\nto = \"dst1\"", "flow.0.from", "empty");
    says("from = [\"src1\", \"scr2\"]\nto = \"dst1\"", "flow.0.from.1", "did you mean \"src2\"?");
    says(
        "from = [\"src1\", \"src2\"]\nto = [\"dst1\", \"dst2\", \"dst3\"]",
        "flow.0.to",
        "found 3 nodes and 2",
    );
    says("from = [\"src1\", \"dst1\"]\nto = \"dst1\"", "flow.0.to", "to itself");
    says("from = 5\nto = \"dst1\"", "flow.0.from", "found 5; expected the name of a node");
    says("backward = 1", "flow.0.backward", "true or false");
}

#[test]
fn what_was_written_comes_back() {
    let group = "from = [\"src1\", \"src2\"]\nto = [\"dst1\", \"dst2\"]\nbackward = true\nstart = \"1 s\"\n\
                 arrivals = { poisson = { rate = \"2 flows/s\" } }\n\
                 algorithms = [{ name = \"vegas\", count = 3 }, { name = \"reno\", count = 5 }]";
    let read = scenario("10 s", group);
    assert_eq!(Scenario::from_toml(&read.to_toml(), &[]).as_ref(), Ok(&read));
    assert_eq!(Scenario::from_json(&read.to_json(), &[]).as_ref(), Ok(&read));
    let changed = read
        .with_all([("flow.0.algorithms.0.count", "8"), ("flow.0.algorithms.1.count", "0")])
        .unwrap()
        .with("flow.0.arrivals.poisson.rate", "4 flows/s")
        .unwrap();
    assert_eq!(by_algorithm(&changed)["vegas"].len(), 8);
    let halved: Vec<f64> = starts(&read).iter().map(|start| (start - 1.0) / 2.0 + 1.0).collect();
    assert!(starts(&changed).iter().zip(halved).all(|(start, half)| (start - half).abs() < 1e-8));
}

/// Burst TCP's network of several hops (5.4, figure 30): two bottlenecks in a row, five nodes at either end, and four
/// between which background traffic crosses one bottleneck each.
fn several_hops() -> Scenario {
    let link = |from: &str, to: &str| {
        format!(
            "[[topology.graph.link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"10 Mbit/s\"\ndelay = \"5 ms\"\n"
        )
    };
    let bottleneck = |from: &str, to: &str| {
        link(from, to).replace("10 Mbit/s", "1.5 Mbit/s").replace("5 ms", "35 ms")
            + "buffer = \"7 packets\"\n"
    };
    let mut text = "name = \"hops\"\nduration = \"100 s\"\ntcp = { handshake = false }\n".to_owned();
    text += &(bottleneck("RT0", "RT1") + &bottleneck("RT1", "RT2"));
    for node in 0..5 {
        text += &(link(&format!("S{node}"), "RT0") + &link("RT2", &format!("R{node}")));
    }
    text += &(link("B0", "RT0") + &link("RT1", "B2") + &link("B1", "RT1") + &link("RT2", "B3"));
    let group = |name: &str, count: u32, from: &str, to: &str| {
        format!(
            "[[flow]]\nname = \"{name}\"\ncount = {count}\nfrom = {from}\nto = {to}\nstart_jitter = \"60 s\"\n\
             size = {{ pareto = {{ scale = \"4 packets\", shape = 1.2 }} }}\n"
        )
    };
    let (sources, receivers) = (["S0", "S1", "S2", "S3", "S4"], ["R0", "R1", "R2", "R3", "R4"]);
    text += &group("main", 50, &format!("{sources:?}"), &format!("{receivers:?}"));
    text += &group("first", 30, "\"B0\"", "\"B2\"");
    text += &group("second", 20, "\"B1\"", "\"B3\"");
    Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn background_enters_and_leaves_in_the_middle() {
    let output = Simulation::new(&several_hops()).unwrap().run();
    let flows = output.table("flows").unwrap();
    let sent = flows.count("packets_sent").unwrap();
    let part = |range: std::ops::Range<usize>| sent[range].iter().sum::<u64>();
    let (main, first, second) = (part(0..50), part(50..80), part(80..100));
    let lost: u64 = flows.count("packets_lost").unwrap()[50..80].iter().sum();
    let links = output.table("links").unwrap();
    let (offered, dropped) = (links.count("packets_offered").unwrap(), links.count("dropped_queue").unwrap());
    // The links come as written, with the way back after each: RT0->RT1, RT1->RT0, RT1->RT2, RT2->RT1. Without
    // handshakes all that goes this way is data.
    assert_eq!(offered[0], main + first);
    let main_lost = dropped[0] - lost;
    assert!(main + second - main_lost - offered[2] < 10, "but for what is under way at the end: {offered:?}");
    assert!(main > 200 && first > 100 && second > 80, "{main} {first} {second}");
}

#[test]
fn a_parking_lot_of_two_hops_has_the_same_background() {
    let text = r#"
        name = "lot"
        duration = "100 s"
        [topology.parking_lot]
        hops = 2
        link = { rate = "1.5 Mbit/s", delay = "35 ms", buffer = "7 packets" }
        access = { rate = "10 Mbit/s", delay = "5 ms" }
        [[flow]]
        name = "main"
        count = 50
        from = "src0"
        to = "dst0"
        packets = 8
        start_jitter = "60 s"
        [[flow]]
        name = "background"
        count = 50
        from = ["src1", "src2"]
        to = ["dst1", "dst2"]
        packets = 8
        start_jitter = "60 s"
    "#;
    let output = Simulation::new(&Scenario::from_toml(text, &[]).unwrap()).unwrap().run();
    let delivered = output.table("flows").unwrap().count("packets_delivered").unwrap();
    assert!(delivered.iter().all(|packets| *packets == 8));
    // Each hop carries the main flows and half of the background, and so do its acknowledgments.
    let links = output.table("links").unwrap();
    let bytes = links.count("bytes_forwarded").unwrap();
    for direction in [0, 2] {
        let least = 75 * (8 * 1500 + 100);
        assert!((least..least * 21 / 20).contains(&bytes[direction]), "{} of {least}", bytes[direction]);
    }
}

/// 1024 bytes at 500 kbit/s in packets of at most 1000: 1000 and 24 bytes every 16.384 ms, which a link of 1 Mbit/s takes
/// 8 and 0.192 ms to send, and 10 ms to carry.
#[test]
fn a_message_is_sent_at_once_in_packets_of_at_most_the_size_given() {
    let text = |udp: &str, buffer: u32| {
        format!(
            r#"
            name = "messages"
            duration = "100 ms"
            [[topology.graph.link]]
            from = "a"
            to = "b"
            rate = "1 Mbit/s"
            delay = "10 ms"
            buffer = "{buffer} packets"
            [[udp]]
            from = "a"
            to = "b"
            rate = "500 kbit/s"
            stop = "40 ms"
            {udp}
            [trace]
            packets = ["a->b"]
            interval = "1 s"
            "#
        )
    };
    let split = "message = \"1024 bytes\"";
    let scenario = Scenario::from_toml(&text(split, 10), &[]).unwrap();
    let output = Simulation::new(&scenario).unwrap().run();
    let packets = output.table("packets").unwrap();
    let micros: Vec<f64> = packets.real("time_s").unwrap().iter().map(|time| (time * 1e6).round()).collect();
    assert_eq!(micros, [18_000.0, 18_192.0, 34_384.0, 34_576.0, 50_768.0, 50_960.0]);
    assert_eq!(packets.count("wire_bytes").unwrap(), [1000, 24, 1000, 24, 1000, 24]);
    let flows = output.table("flows").unwrap();
    assert_eq!(flows.count("packets_sent").unwrap(), [6]);
    assert_eq!(flows.count("bytes_delivered").unwrap(), [3072]);

    // Each packet takes a place of its own: where none may wait, the second is lost, at byte 1000 of its message.
    let scenario = Scenario::from_toml(&text(split, 0), &[]).unwrap();
    let drops = Simulation::new(&scenario).unwrap().run();
    let drops = drops.table("drops").unwrap();
    assert_eq!(drops.count("sequence_bytes").unwrap(), [1000, 2024, 3048]);

    // One packet carries a message no larger than it.
    let scenario = Scenario::from_toml(&text("message = \"400 bytes\"", 10), &[]).unwrap();
    let output = Simulation::new(&scenario).unwrap().run();
    assert_eq!(output.table("packets").unwrap().count("wire_bytes").unwrap(), [400; 7]);

    let error = Scenario::from_toml(&text("message = \"20 bytes\"", 10), &[]).err().unwrap();
    assert_eq!(error.key.as_deref(), Some("udp.0.message"), "{error}");
    assert!(error.to_string().contains("a message has 28"), "{error}");
}
