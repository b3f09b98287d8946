//! A scenario is read into the types, and can be written back.

use ackclock_simulation::scenario::{
    Application, Buffer, Distribution, File, InitialWindow, Loss, Packets, Pattern, ReceiveWindow, Scenario,
    Topology, Varying, link_name,
};
use ackclock_units::{Bytes, Duration, Rate};

const FULL: &str = r#"
name = "full"
title = "Everything at once"
seed = 7
duration = "100 s"
warm_up = "5 s"

[[flow]]
name = "old"
count = 2
algorithm = "reno"
packets = 100
start = "1 s"
start_jitter = "500 ms"
stop = "50 s"
tcp = { segments_per_ack = 1 }

[[flow]]
start = "2 s"

[[udp]]
rate = "1 Mbit/s"
pattern = "poisson"

[topology.dumbbell]
pairs = 3
bottleneck = { rate = "2 Mbit/s", delay = "20 ms", buffer = "20% bdp", reverse = { delay = "30 ms" } }
access = { rate = "10 Mbit/s", delay = "10 ms", loss = { bernoulli = 0.01 } }
exit = { rate = "20 Mbit/s", delay = "5 ms", buffer = "64 kB" }

[tcp]
algorithm = "sack"
mss = "1000 bytes"
initial_window = "rfc3390"
receive_window = "20 packets"

[trace]
interval = "10 ms"
packets = ["left->right", "dst3->right"]
"#;

fn full() -> Scenario {
    Scenario::from_toml(FULL, &[]).unwrap()
}

#[test]
fn values_arrive_in_their_types() {
    let scenario = full();
    assert_eq!((scenario.name.as_str(), scenario.seed), ("full", 7));
    assert_eq!((scenario.duration, scenario.warm_up), (Duration::from_secs(100), Duration::from_secs(5)));
    let Topology::Dumbbell(dumbbell) = &scenario.topology else { panic!("a dumbbell was written") };
    let delay = |millis| Varying::Constant(Duration::from_millis(millis));
    let there = &dumbbell.bottleneck;
    let back = dumbbell.bottleneck.backward();
    assert_eq!(there.rate, Varying::Constant(Rate::from_bits_per_second(2_000_000).into()));
    assert_eq!(
        (&there.rate, there.buffer),
        (&back.rate, back.buffer),
        "what reverse leaves out is as forward"
    );
    assert_eq!((there.delay.clone(), back.delay), (delay(20), delay(30)));
    assert_eq!(there.buffer, Buffer::BdpFraction(0.2));
    assert_eq!(dumbbell.access.loss, Some(Loss::Bernoulli(0.01)));
    assert_eq!(dumbbell.access.backward().loss, None, "loss is not mirrored");
    assert_eq!(scenario.udp[0].pattern, Pattern::Poisson);
    assert_eq!(scenario.udp[0].packet, Bytes::new(1000));
}

#[test]
fn a_flow_lays_its_own_tcp_over_the_common_one() {
    let scenario = full();
    let (old, plain) = (&scenario.flow[0].tcp, &scenario.flow[1].tcp);
    assert_eq!(
        (old.settings.segments_per_ack, old.algorithm.as_str(), old.mss),
        (1, "reno", Bytes::new(1000))
    );
    assert_eq!(old.initial_window, InitialWindow::Rfc3390);
    assert_eq!(plain, &scenario.tcp);
    assert_eq!((plain.settings.segments_per_ack, plain.algorithm.as_str()), (2, "sack"));
    assert_eq!(plain.receive_window, ReceiveWindow::Packets(20));
}

#[test]
fn groups_become_flows_in_file_order_and_take_pairs_in_turn() {
    let scenario = full();
    let flows = scenario.flows();
    let told: Vec<_> =
        flows.iter().map(|f| (f.index, f.name.as_str(), f.source.as_str(), f.destination.as_str())).collect();
    assert_eq!(told, [(0, "old1", "src1", "dst1"), (1, "old2", "src2", "dst2"), (2, "tcp", "src3", "dst3")]);
    let udp = scenario.udp_flows();
    assert_eq!(
        (udp[0].index, udp[0].name.as_str(), udp[0].source.as_str()),
        (3, "udp", "src1"),
        "pairs wrap"
    );
    assert_eq!(scenario.flow_count(), 4);
}

#[test]
fn nameless_groups_share_one_numbering() {
    let scenario = full().with("flow.0.algorithm", "vegas").unwrap();
    let text = scenario.to_toml().replace("name = \"old\"\n", "");
    let scenario = Scenario::from_toml(&text, &[]).unwrap();
    let names: Vec<String> = scenario.flows().into_iter().map(|flow| flow.name).collect();
    assert_eq!(names, ["tcp1", "tcp2", "tcp3"]);
}

#[test]
fn a_dumbbell_is_laid_out_around_its_bottleneck() {
    let scenario = full();
    let links = scenario.topology.links();
    let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(
        names[..6],
        ["left->right", "right->left", "src1->left", "left->src1", "right->dst1", "dst1->right"]
    );
    assert_eq!(names.len(), 2 * (1 + 2 * 3));
    assert_eq!(
        links[4].direction.rate,
        Varying::Constant(Rate::from_bits_per_second(20_000_000).into()),
        "exit overrides access"
    );
    assert_eq!(links[1].name, link_name("right", "left"));
}

#[test]
fn a_parking_lot_has_a_flow_over_all_hops_and_one_over_each() {
    let text = r#"
        name = "lot"
        duration = "1 s"
        flow = [{ count = 4 }]
        topology.parking_lot.hops = 2
        topology.parking_lot.link = { rate = "1 Mbit/s", delay = "1 ms" }
        topology.parking_lot.access = { rate = "1 Mbit/s", delay = "1 ms" }
        trace.packets = ["r0->r1", "r2->dst0", "r1->dst1", "src2->r1"]
    "#;
    let scenario = Scenario::from_toml(text, &[]).unwrap();
    let names: Vec<String> = scenario.topology.links().into_iter().step_by(2).map(|link| link.name).collect();
    let expected =
        ["r0->r1", "r1->r2", "src0->r0", "r2->dst0", "src1->r0", "r1->dst1", "src2->r1", "r2->dst2"];
    assert_eq!(names, expected);
    let ends: Vec<_> = scenario.flows().into_iter().map(|flow| (flow.source, flow.destination)).collect();
    let pair = |n| (format!("src{n}"), format!("dst{n}"));
    assert_eq!(ends, [pair(0), pair(1), pair(2), pair(0)]);
}

#[test]
fn every_laid_out_link_can_be_captured() {
    for name in full().topology.links().into_iter().map(|link| link.name) {
        assert!(full().with("trace.packets", &format!("[{name:?}]")).is_ok(), "{name}");
    }
}

#[test]
fn what_was_read_can_be_written_and_read_again() {
    let scenario = full();
    let again = Scenario::from_toml(&scenario.to_toml(), &[]).unwrap();
    assert_eq!(*scenario, *again);
    assert_eq!(scenario.to_toml(), again.to_toml());
    let through_json = Scenario::from_json(&scenario.to_json(), &[]).unwrap();
    assert_eq!(scenario, through_json);
    assert!(!scenario.to_toml().contains("rto_min"), "defaults are not written into the user's text");
}

#[test]
fn one_value_is_replaced() {
    let scenario = full();
    assert_eq!(scenario.with("seed", "9").unwrap().seed, 9);
    let changed = scenario.with("tcp.mss", "500 bytes").unwrap();
    assert_eq!((changed.tcp.mss, changed.flow[0].tcp.mss), (Bytes::new(500), Bytes::new(500)));
    let three = Application::File(File::of(Distribution::Constant(Packets(3.0))));
    assert_eq!(scenario.with("flow.0.packets", "3").unwrap().flow[0].application, three);
    assert_eq!(scenario.with("topology.dumbbell.bottleneck.buffer", "unlimited").unwrap().flow_count(), 4);
    assert!(scenario.with("flow.1.tcp.timestamps", "true").unwrap().flow[1].tcp.settings.timestamps);
    let captures = scenario.with("trace.packets", "[\"right->left\"]").unwrap();
    assert_eq!(captures.trace.packets, ["right->left"]);
    assert_eq!(
        scenario.with("title", "one\ntwo = 3").unwrap().title,
        "one\ntwo = 3",
        "no line is smuggled in"
    );
    assert_eq!(scenario, full(), "the scenario itself is unchanged");
}

#[test]
fn null_in_json_counts_as_left_out() {
    let scenario = full();
    let text = scenario.to_json().replacen("\"packets\":100", "\"packets\":null", 1);
    assert_eq!(Scenario::from_json(&text, &[]).unwrap().flow[0].application, Application::default());
}

#[test]
fn initial_windows_are_those_of_the_rfcs() {
    // RFC 3390, 1: four segments up to 1095 bytes, three up to 2190 (4380 bytes), two above.
    let rfc3390 = |mss| InitialWindow::Rfc3390.packets(Bytes::new(mss)).to_string();
    assert_eq!(
        [rfc3390(536), rfc3390(1095), rfc3390(1460), rfc3390(2190), rfc3390(4312)],
        ["4", "4", "3", "2", "2"]
    );
    // RFC 6928, 2: ten segments of the usual 1460 bytes, fewer of jumbo frames, never less than two.
    let rfc6928 = |mss| InitialWindow::Rfc6928.packets(Bytes::new(mss)).to_string();
    assert_eq!([rfc6928(536), rfc6928(1460), rfc6928(8960)], ["10", "10", "2"]);
}

#[test]
fn buffers_are_read_in_every_form() {
    let buffer = |text: &str| text.parse::<Buffer>().map_err(|error| error.to_string());
    assert_eq!(buffer("7 packets"), Ok(Buffer::Packets(7)));
    assert_eq!(buffer("1 packet"), Ok(Buffer::Packets(1)));
    assert_eq!(buffer("64 kB"), Ok(Buffer::Bytes(Bytes::new(64_000))));
    assert_eq!(buffer("20% bdp"), Ok(Buffer::BdpFraction(0.2)));
    assert_eq!(buffer("20 %  bdp"), Ok(Buffer::BdpFraction(0.2)));
    assert_eq!(buffer("1.5 bdp"), Ok(Buffer::BdpFraction(1.5)));
    assert_eq!(buffer("unlimited"), Ok(Buffer::Unlimited));
    assert_eq!(buffer("100 ms"), Ok(Buffer::Time(Duration::from_millis(100))));
    assert_eq!(buffer(&Buffer::Time(Duration::from_millis(100)).to_string()), buffer("100 ms"));
    for wrong in ["7.5 packets", "5000000000 packets", "-1% bdp", "20%", "", "packets", "7"] {
        assert!(buffer(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn values_are_checked_when_all_are_in_place() {
    let text = include_str!("../../../scenarios/lossy-link.toml");
    let scenario = Scenario::from_toml(text, &[]).unwrap();
    assert!(scenario.warm_up >= Duration::from_secs(5));
    assert!(scenario.with("duration", "5 s").is_err(), "shorter than the warm-up");
    let both = [("duration", "5 s"), ("warm_up", "1 s")];
    assert_eq!(scenario.with_all(both).unwrap().duration, Duration::from_secs(5));
}
