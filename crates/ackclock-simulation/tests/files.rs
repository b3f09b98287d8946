//! Sources that think and then transfer a file, over and over: what they draw, and what tables say of it.

use std::collections::BTreeMap;

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation, Table};

fn scenario(duration: &str, bottleneck: &str, tcp: &str, flow: &str) -> Scenario {
    let text = format!(
        r#"
        name = "files"
        duration = "{duration}"
        [[topology.graph.link]]
        from = "a"
        to = "b"
        {bottleneck}
        [tcp]
        {tcp}
        [[flow]]
        from = "a"
        to = "b"
        {flow}
        "#
    );
    Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

const WIDE: &str = "rate = \"10 Gbit/s\"\ndelay = \"10 ms\"";

fn run(scenario: &Scenario) -> Output {
    Simulation::new(scenario).unwrap().run()
}

fn real(table: &Table, name: &str) -> Vec<f64> {
    table.real(name).unwrap_or_else(|| panic!("no {name}")).to_vec()
}

fn count(table: &Table, name: &str) -> Vec<u64> {
    table.count(name).unwrap_or_else(|| panic!("no {name}")).to_vec()
}

fn index(table: &Table, name: &str) -> Vec<u32> {
    match table.column(name) {
        Some(Column::Index(values)) => values.clone(),
        _ => panic!("no {name}"),
    }
}

/// By flow: start, finish and size of each transfer.
fn transfers(run: &Output) -> BTreeMap<u32, Vec<(f64, f64, u64)>> {
    let table = run.table("transfers").unwrap();
    let mut found: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let columns = (real(table, "start_s"), real(table, "finish_s"), count(table, "packets"));
    for (row, flow) in index(table, "flow").into_iter().enumerate() {
        found.entry(flow).or_default().push((columns.0[row], columns.1[row], columns.2[row]));
    }
    found
}

#[test]
fn active_sources_obey_littles_law() {
    // No queue worth mentioning: a transfer's time hangs on its own size alone, and a source's cycle is the sum of its
    // thinking (2 s on average) and its transfer.
    for algorithm in ["sack", "acknak"] {
        let flow = r#"
            count = 2000
            size = { pareto = { mean = "30 packets", shape = 1.8 } }
            think = { exponential = { mean = "2 s" } }
            [trace]
            interval = "100 ms"
            flows = false
        "#;
        let tcp = format!("algorithm = \"{algorithm}\"");
        let run = run(&scenario("30 s", WIDE, &tcp, flow));
        let table = run.table("transfers").unwrap();
        let times: Vec<f64> = real(table, "start_s")
            .into_iter()
            .zip(real(table, "finish_s"))
            .map(|(start, finish)| finish - start)
            .filter(|time| time.is_finite())
            .collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let active = count(run.table("network_series").unwrap(), "flows_active");
        let steady = &active[100..];
        let found = steady.iter().sum::<u64>() as f64 / steady.len() as f64;
        let expected = 2000.0 * mean / (mean + 2.0);
        assert!((found / expected - 1.0).abs() < 0.04, "{algorithm}: {found} active, {expected} expected");
        assert!(times.len() > 20_000, "{algorithm}: {} transfers", times.len());
    }
}

#[test]
fn every_packet_delivered_belongs_to_a_transfer() {
    for algorithm in ["newreno", "sack", "acknak"] {
        let link = "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"40 packets\"";
        let flow = r#"
            count = 50
            size = { pareto = { scale = "4 packets", shape = 1.2 } }
            think = { exponential = { mean = "500 ms" } }
        "#;
        let run = run(&scenario("30 s", link, &format!("algorithm = \"{algorithm}\""), flow));
        let delivered = count(run.table("flows").unwrap(), "packets_delivered");
        let retransmissions: u64 = count(run.table("flows").unwrap(), "retransmissions").iter().sum();
        for (flow, files) in transfers(&run) {
            let total: u64 = files.iter().map(|(_, _, packets)| packets).sum();
            let finished: u64 = files.iter().filter(|file| file.1.is_finite()).map(|file| file.2).sum();
            let delivered = delivered[flow as usize];
            assert!((finished..=total).contains(&delivered), "{algorithm}: {finished} {delivered} {total}");
            assert!(files.iter().rev().skip(1).all(|file| file.1.is_finite()), "one file at a time");
            assert!(files.windows(2).all(|pair| pair[0].1 < pair[1].0), "one after the other");
        }
        let noted: u64 = count(run.table("transfers").unwrap(), "retransmissions").iter().sum();
        assert!(retransmissions > 100, "{algorithm} loses packets here: {retransmissions}");
        // What is sent again after a transfer is over is the flow's, not the transfer's.
        assert!(noted <= retransmissions && noted * 100 >= retransmissions * 95, "{noted} {retransmissions}");
    }
}

#[test]
fn algorithms_share_sizes_and_thinking() {
    let link = "rate = \"5 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"20 packets\"";
    let flow = r#"
        name = "mouse"
        count = 20
        size = { pareto = { mean = "20 packets", shape = 1.5 } }
        think = { exponential = { mean = "1 s" } }
    "#;
    let of = |algorithm: &str| {
        transfers(&run(&scenario("60 s", link, &format!("algorithm = \"{algorithm}\""), flow)))
    };
    let (one, other) = (of("newreno"), of("acknak"));
    let mut compared = 0;
    for (flow, files) in &one {
        let others = &other[flow];
        assert!((files[0].0 - others[0].0).abs() < 1e-12, "the first thinking is the same");
        for (a, b) in files.windows(2).zip(others.windows(2)) {
            assert_eq!(a[0].2, b[0].2, "the same sizes in the same order");
            // The same thinking, after what came to an end; times are doubles, read off different clocks.
            let failed = a[0].1.is_nan() || b[0].1.is_nan();
            assert!(failed || (a[1].0 - a[0].1 - (b[1].0 - b[0].1)).abs() < 1e-9, "{a:?} {b:?}");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
    let alone = scenario("60 s", link, "algorithm = \"newreno\"", &flow.replace("count = 20", "count = 40"));
    let first: Vec<f64> = transfers(&run(&alone)).iter().take(20).map(|(_, files)| files[0].0).collect();
    assert_eq!(first, one.values().map(|files| files[0].0).collect::<Vec<_>>(), "more flows shift nobody");
}

#[test]
fn what_is_left_of_the_connection_before_is_not_taken_for_the_next() {
    // Lossy, with hardly any thinking, so that FINs, duplicates and answers of old connections meet new ones.
    for algorithm in ["newreno", "sack", "acknak"] {
        let link = "rate = \"10 Mbit/s\"\ndelay = \"40 ms\"\nloss = { bernoulli = 0.1 }\n\
                    reverse = { loss = { bernoulli = 0.1 } }";
        let flow = "packets = 3\nthink = { constant = \"1 ns\" }\ncount = 10";
        let run = run(&scenario("300 s", link, &format!("algorithm = \"{algorithm}\""), flow));
        let delivered = count(run.table("flows").unwrap(), "packets_delivered");
        for (flow, files) in transfers(&run) {
            let finished = files.iter().filter(|file| file.1.is_finite()).count() as u64;
            let delivered = delivered[flow as usize];
            assert!(finished > 100, "{algorithm}: {finished} files in 300 s");
            // A file whose connection failed may have been delivered in part.
            let failed = files.len() as u64 - finished;
            assert!((3 * finished..=3 * (finished + failed)).contains(&delivered), "{finished} {delivered}");
        }
    }
}

#[test]
fn a_source_may_begin_with_a_file() {
    let flow = "packets = 5\nthink = { constant = \"1 s\" }\nstart = \"2 s\"\nthink_first = false";
    let files = &transfers(&run(&scenario("10 s", WIDE, "", flow)))[&0];
    assert!((files[0].0 - 2.0).abs() < 1e-12);
    // A handshake, and one window of five: two round trips of 20 ms. Then a second of thinking.
    assert!((files[0].1 - 2.04).abs() < 1e-3, "{}", files[0].1);
    assert!((files[1].0 - files[0].1 - 1.0).abs() < 1e-9);
    let thinks = flow.replace("think_first = false", "");
    let first = transfers(&run(&scenario("10 s", WIDE, "", &thinks)))[&0][0].0;
    assert!((first - 3.0).abs() < 1e-12, "{first}");
}

#[test]
fn a_single_file_is_a_transfer_and_a_bulk_flow_is_none() {
    let once = run(&scenario("10 s", WIDE, "", "packets = 7\nstart = \"1 s\""));
    let (flows, table) = (once.table("flows").unwrap(), once.table("transfers").unwrap());
    for column in ["start_s", "established_s", "finish_s"] {
        assert_eq!(real(flows, column), real(table, column), "{column}");
    }
    assert_eq!(count(table, "packets"), [7]);
    let drawn = run(&scenario(
        "10 s",
        WIDE,
        "",
        "count = 100\nsize = { uniform = { from = \"2 packets\", to = \"9 packets\" } }",
    ));
    let sizes = count(drawn.table("transfers").unwrap(), "packets");
    assert_eq!(sizes, count(drawn.table("flows").unwrap(), "packets_delivered"));
    assert!(sizes.iter().all(|packets| (3..=9).contains(packets)), "rounded up: {sizes:?}");
    let bulk = run(&scenario("1 s", WIDE, "", ""));
    assert!(real(bulk.table("transfers").unwrap(), "start_s").is_empty());
}

#[test]
fn nothing_new_begins_after_the_stop() {
    let flow = "count = 30\npackets = 2\nthink = { exponential = { mean = \"200 ms\" } }\nstop = \"5 s\"";
    let run = run(&scenario("20 s", WIDE, "", flow));
    let starts = real(run.table("transfers").unwrap(), "start_s");
    let last = starts.iter().copied().fold(0.0, f64::max);
    assert!((4.8..5.0).contains(&last), "{last}");
}

#[test]
fn classes_say_of_the_transfers_what_their_rows_say() {
    let link = "rate = \"20 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"40 packets\"";
    let flow = r#"
        count = 30
        size = { pareto = { scale = "3 packets", shape = 1.2 } }
        think = { exponential = { mean = "500 ms" } }
    "#;
    let scenario = scenario("30 s", link, "", flow).with("warm_up", "5 s").unwrap();
    let full = run(&scenario);
    let mut expected: BTreeMap<u64, (u64, f64)> = BTreeMap::new();
    for (start, finish, packets) in transfers(&full).into_values().flatten() {
        if start >= 5.0 && finish.is_finite() {
            // 3 is in the class of 2 to 3, 4 in that of 4 to 7.
            let class = expected.entry(1 << packets.ilog2()).or_default();
            *class = (class.0 + 1, class.1 + finish - start);
        }
    }
    let brief = run(&scenario.with("trace.transfers", "false").unwrap());
    assert!(brief.table("transfers").is_none(), "not recorded is not empty");
    let classes = brief.table("transfer_classes").unwrap();
    // As texts: classes without a transfer have means that are not a number.
    let text = |table: &Table| format!("{table:?}");
    assert_eq!(text(classes), text(full.table("transfer_classes").unwrap()), "with rows or without");
    let (from, to) = (count(classes, "packets_from"), count(classes, "packets_to"));
    let (number, mean) = (count(classes, "transfers"), real(classes, "mean_time_s"));
    assert_eq!((from[..4].to_vec(), to[..4].to_vec()), (vec![1, 2, 4, 8], vec![1, 3, 7, 15]));
    for (row, from) in from.iter().enumerate() {
        let (transfers, seconds) = expected.get(from).copied().unwrap_or_default();
        assert_eq!(number[row], transfers, "of {from} packets");
        assert!(transfers == 0 || (mean[row] - seconds / transfers as f64).abs() < 1e-9);
    }
}

#[test]
fn mistakes_are_said() {
    let says = |flow: &str, part: &str| {
        let text = format!(
            "name = \"x\"\nduration = \"1 s\"\n[topology.dumbbell]\nbottleneck = {{ rate = \"1 Mbit/s\", delay = \"1 ms\" }}\n\
             access = {{ rate = \"1 Mbit/s\", delay = \"1 ms\" }}\n[[flow]]\n{flow}\n"
        );
        let error = Scenario::from_toml(&text, &[]).err().unwrap_or_else(|| panic!("accepted: {flow}"));
        assert!(error.to_string().contains(part), "{part:?} is not in: {error}");
    };
    says("packets = 1\nsize = { constant = \"5 packets\" }", "flow.0.size: ");
    says("think = { constant = \"1 s\" }", "flow.0.size: missing");
    says("packets = 1\nthink_first = false", "flow.0.think_first");
    says("size = { pareto = { mean = \"5 packets\", shape = 1.0 } }", "flow.0.size.pareto.mean");
    says("size = { pareto = { shape = 1.2 } }", "neither \"mean\" nor \"scale\"");
    says("size = { pareto = { mean = \"5 packets\", scale = \"2 packets\", shape = 1.2 } }", "one follows");
    says("size = { pareto = { scale = \"0 packets\", shape = 1.2 } }", "flow.0.size.pareto.scale");
    says("size = { exponential = { mean = \"5 s\" } }", "packets");
    says("size = { gauss = { mean = \"5 packets\" } }", "flow.0.size.gauss");
    says("size = { uniform = { from = \"5 packets\", to = \"2 packets\" } }", "flow.0.size.uniform.from");
    says("packets = 1\nthink = { exponential = { mean = \"5 packets\" } }", "flow.0.think.exponential.mean");
    says("packets = 1\nthink = { weibull = { scale = \"5 s\", shape = 0.0 } }", "flow.0.think.weibull.shape");
}

#[test]
fn a_file_is_given_up_when_patience_ends() {
    // A packet takes a millisecond and a round trip 0.1 s: SYN at 0, two packets at 0.1 s, four at 0.2 s, eight at 0.3 s. At 0.35 s
    // the user gives up: the acknowledgments from 0.4 s on release nothing more, and the user thinks from the last one.
    let link = "rate = \"12 Mbit/s\"\ndelay = \"50 ms\"";
    let tcp = "initial_window = \"2 packets\"\nsegments_per_ack = 1";
    let patience = "packets = 100\npatience = { constant = \"350 ms\" }";
    for (think, starts) in [("", 1), ("think = { constant = \"1 s\" }\nthink_first = false", 2)] {
        let run = run(&scenario("2 s", link, tcp, &format!("{patience}\n{think}")));
        let table = run.table("transfers").unwrap();
        assert_eq!(count(table, "packets_sent"), vec![14; starts]);
        assert_eq!((index(table, "cut_off"), index(table, "failed")), (vec![1; starts], vec![0; starts]));
        assert!(real(table, "finish_s").iter().all(|time| time.is_nan()));
        let second = real(table, "start_s").get(1).copied();
        assert!(second.is_none_or(|time| (time - 1.41).abs() < 0.01), "{second:?}");
    }
    // Who waits longer gets the file.
    let run = run(&scenario("2 s", link, tcp, "packets = 14\npatience = { constant = \"500 ms\" }"));
    let table = run.table("transfers").unwrap();
    assert_eq!(index(table, "cut_off"), [0]);
    assert!(real(table, "finish_s")[0] < 0.5);
}

#[test]
fn patience_belongs_to_files() {
    for flow in [
        "patience = { constant = \"1 s\" }",
        "patience = { constant = \"1 s\" }\nsize = { constant = \"3 packets\" }\npool = { connections = 2 }",
    ] {
        let text = format!(
            "name = \"x\"\nduration = \"2 s\"\n[topology.dumbbell]\npairs = 1\nbottleneck = {{ {link} }}\naccess = {{ {link} }}\n[[flow]]\n{flow}",
            link = WIDE.replace('\n', ", ")
        );
        let error = Scenario::from_toml(&text, &[]).err().unwrap();
        assert_eq!(error.key.as_deref(), Some("flow.0.patience"), "{error}");
    }
}
