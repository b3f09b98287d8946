//! Links on which something varies, by timelines worked out by hand.

use crate::common::{at, byte_per_microsecond, delivered, impairments, packet, run, single};
use ackclock_catalogue::Part;
use ackclock_network::{
    Arrival, BufferSize, Codel, DropReason, Graph, IMPAIRMENTS, LinkConfig, Opportunities, PathConfig,
    Points, Profile, QUEUES, Queue,
};
use ackclock_units::{Duration, Rate, Time};

const MBIT: u64 = 1_000_000;

fn points(points: &[(u64, u64)], linear: bool, every: Option<u64>) -> Profile {
    let points = points.iter().map(|(micros, value)| (Duration::from_micros(*micros), *value)).collect();
    Profile::Points(Points { points, linear, every: every.map(Duration::from_micros) })
}

/// A link of 8 Mbit/s on which something varies.
fn link(path: PathConfig) -> LinkConfig {
    byte_per_microsecond(Duration::ZERO).with_path(path)
}

fn rate(profile: Profile) -> LinkConfig {
    link(PathConfig { rate: Some(profile), ..PathConfig::default() })
}

fn impaired(delay: Duration, specs: &[&str]) -> LinkConfig {
    let path = PathConfig { impairments: impairments(specs), ..PathConfig::default() };
    byte_per_microsecond(delay).with_path(path)
}

/// Times in microseconds and numbers of the packets delivered, of 1000 bytes each sent at these times.
fn arrivals(config: LinkConfig, sent: &[u64]) -> Vec<(u64, u32)> {
    let packets: Vec<_> = sent.iter().map(|time| (*time, 1000)).collect();
    arrivals_of(config, &packets)
}

fn arrivals_of(config: LinkConfig, sent: &[(u64, u32)]) -> Vec<(u64, u32)> {
    let (mut network, route) = single(config, 1);
    let packets = sent.iter().zip(0..);
    let traffic: Vec<_> =
        packets.map(|((time, size), number)| (at(*time), packet(route, *size, number))).collect();
    let log = run(&mut network, &traffic);
    assert!(network.conservation().holds(), "{:?}", network.conservation());
    delivered(&log).into_iter().map(|(time, number)| (time.as_nanos().div_ceil(1000), number)).collect()
}

#[test]
fn a_step_of_the_rate_falls_into_a_transmission() {
    // 1000 bytes at 8 Mbit/s take 1000 us. At 500 us the rate halves: the other 500 bytes take 1000 us.
    let config = rate(points(&[(0, 8 * MBIT), (500, 4 * MBIT)], false, None));
    assert_eq!(arrivals(config, &[0, 0]), [(1500, 0), (3500, 1)]);
}

#[test]
fn a_ramp_from_nothing_takes_the_square_root_of_the_work() {
    // From 0 to 16 Mbit/s in 2000 us: after t us, 16 t^2 / (2 * 2000) bits = 8000 at t = 1414.21 us.
    let config = rate(points(&[(0, 0), (2000, 16 * MBIT)], true, None));
    assert_eq!(arrivals(config, &[0, 0]), [(1415, 0), (2000, 1)]);
}

#[test]
fn a_period_repeats_and_no_rounding_accumulates() {
    // 3 Mbit/s and 1 Mbit/s in turn: a mean of 2 Mbit/s, at which 1000 packets of 1000 bytes take 4 s exactly.
    let config = rate(points(&[(0, 3 * MBIT), (700, MBIT)], false, Some(1400)));
    let last = arrivals(config, &[0; 1000]).pop();
    assert_eq!(last.map(|(time, _)| time.abs_diff(4_000_000) <= 700), Some(true), "{last:?}");
    // 7 bit/ns have no whole transmission times; 7000 packets of 8000 bits take 8 ms to the nanosecond.
    let odd = rate(points(&[(0, 7_000 * MBIT)], false, None));
    assert_eq!(arrivals(odd, &vec![0; 7000]).pop(), Some((8000, 6999)));
}

#[test]
fn nothing_departs_in_an_outage_and_all_is_sent_after_it() {
    let up = points(&[(0, 1), (500, 0), (5000, 1)], false, None);
    let config = link(PathConfig { up: Some(up), ..PathConfig::default() });
    assert_eq!(arrivals(config, &[0, 600]), [(5500, 0), (6500, 1)]);
}

#[test]
fn a_delay_that_falls_keeps_the_order() {
    let delay = Some(points(&[(0, 10_000_000), (1500, 1_000_000)], false, None));
    let config = || link(PathConfig { delay: delay.clone(), ..PathConfig::default() });
    // The first departs at 1000 us and takes 10 ms; the second at 2000 us takes 1 ms, but waits for the first.
    assert_eq!(arrivals(config(), &[0, 0]), [(11_000, 0), (11_000, 1)]);
    let overtaking = impairments(&["overtaking"]);
    let path = PathConfig { delay, impairments: overtaking, ..PathConfig::default() };
    assert_eq!(arrivals(link(path), &[0, 0]), [(3000, 1), (11_000, 0)]);
}

fn trace(times: &[u32]) -> LinkConfig {
    let (size, header) = (Opportunities::SIZE, Opportunities::HEADER);
    let opportunities = Opportunities { times: times.into(), size, header };
    link(PathConfig { opportunities: Some(opportunities), ..PathConfig::default() })
}

#[test]
fn opportunities_serve_the_queue_as_mahimahi_does() {
    // One at 2 ms is missed by a packet that arrives then. Two at 5 ms, then 7 ms = 2 ms of the next cycle's 5.
    let times = [2, 5, 5];
    assert_eq!(arrivals_of(trace(&times), &[(2000, 1500)]), [(5000, 0)]);
    // 1004 of 1504 bytes, the first 500 of the next packet; its other 504 bytes, and 1000 of the third's, by the second
    // opportunity, the rest by the third.
    let sent = [(0, 1000), (0, 1000), (3000, 1000), (3000, 1000)];
    assert_eq!(arrivals_of(trace(&times), &sent), [(2000, 0), (5000, 1), (5000, 2), (5000, 3)]);
    // What an opportunity finds no bytes for is lost: the packet at 2100 us does not get the rest of the one at 2 ms.
    assert_eq!(arrivals_of(trace(&times), &[(0, 100), (2100, 1500)]), [(2000, 0), (5000, 1)]);
    // A packet of 1500 bytes takes one opportunity, with the four bytes that Mahimahi counts with it.
    assert_eq!(arrivals_of(trace(&times), &[(0, 1500), (0, 1500)]), [(2000, 0), (5000, 1)]);
    // 34 packets of 40 bytes take 44 each: 1496 bytes, and the next does not fit entirely.
    let small: Vec<_> = (0..36).map(|_| (0, 40)).collect();
    let by_first = arrivals_of(trace(&times), &small).iter().filter(|(time, _)| *time == 2000).count();
    assert_eq!(by_first, 34);
    // The third cycle begins at 10 ms.
    assert_eq!(arrivals_of(trace(&times), &[(10_000, 40)]), [(12_000, 0)]);
}

#[test]
fn a_queue_that_pulls_uses_the_same_opportunities() {
    let sent = [(0, 1000), (0, 1000), (3000, 1000), (3000, 1000), (5000, 1000), (10_000, 40)];
    let plain = arrivals_of(trace(&[2, 5, 5]), &sent);
    let pulled = arrivals_of(trace(&[2, 5, 5]).with_queue(Queue::Codel(Codel::default())), &sent);
    assert_eq!(plain, pulled);
}

#[test]
fn a_buffer_in_front_of_a_trace_counts_the_packets_that_wait() {
    let config = trace(&[2, 5, 5]).with_buffer(BufferSize::Packets(2));
    // Three arrive before the first opportunity: the third does not fit. The second is on its way after 2 ms.
    let sent = [(0, 1000), (0, 1000), (0, 1000), (3000, 1000), (3000, 1000), (3000, 1000)];
    assert_eq!(arrivals_of(config, &sent), [(2000, 0), (5000, 1), (5000, 3), (5000, 4)]);
}

#[test]
fn aggregation_releases_packets_at_multiples_of_its_period() {
    let config = impaired(Duration::ZERO, &["aggregation(period=4)"]);
    assert_eq!(arrivals(config, &[0, 0, 0, 0, 0]), [(4000, 0), (4000, 1), (4000, 2), (4000, 3), (8000, 4)]);
}

#[test]
fn jitter_and_retransmission_keep_the_order_and_delay_in_bursts() {
    for spec in ["jitter(uniform=20)", "jitter(exponential=5)", "retransmission(probability=0.5,after=8)"] {
        let got = arrivals(impaired(Duration::from_millis(1), &[spec]), &[0; 200]);
        assert!(got.is_sorted(), "{spec}: {got:?}");
        let together = got.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
        assert!(together > 20, "{spec}: packets behind a late one arrive with it, {together} pairs did");
    }
}

#[test]
fn all_attempts_of_a_link_may_fail() {
    // A quarter fails twice; of 4000 packets 1000, with a standard deviation of 27.
    let got =
        arrivals(impaired(Duration::ZERO, &["retransmission(probability=0.5,attempts=2)"]), &vec![0; 4000]);
    assert!((2900..=3100).contains(&got.len()), "{} arrived", got.len());
}

#[test]
fn packets_are_displaced_by_a_time_or_by_a_number() {
    let late = arrivals(impaired(Duration::ZERO, &["reordering(probability=1,delay=2.5)"]), &[0, 0]);
    assert_eq!(late, [(3500, 0), (4500, 1)], "all are late, by the same time");
    // A displaced packet arrives with the third behind it, or after 10 ms.
    let spec = "reordering(probability=0.1,delay=10,packets=3)";
    let got = arrivals(impaired(Duration::ZERO, &[spec]), &[0; 1000]);
    assert_eq!(got.len(), 1000);
    let mut displaced = 0;
    for (place, (_, number)) in got.iter().enumerate() {
        let ahead = got[..place].iter().filter(|(_, other)| other > number).count();
        displaced += usize::from(ahead > 0);
        // Others that are displaced too do not count, so that more may be ahead; none waits for longer than 10 ms.
        assert!(ahead == 0 || (3..=10).contains(&ahead), "{ahead} packets ahead of {number}");
    }
    assert!((60..=140).contains(&displaced), "one in ten, {displaced} were");
}

#[test]
fn sprayed_packets_keep_the_order_of_their_path_and_flows_keep_theirs() {
    let got = arrivals(impaired(Duration::ZERO, &["spraying(paths=2,spread=5)"]), &[0; 100]);
    let path = |(time, number): &(u64, u32)| time - 1000 * (u64::from(*number) + 1);
    assert!(got.iter().all(|one| [0, 5000].contains(&path(one))), "{got:?}");
    assert!(got.windows(2).any(|pair| pair[0].1 > pair[1].1), "packets overtake");
    let one = arrivals(impaired(Duration::ZERO, &["spraying(paths=2,spread=5,per_flow=1)"]), &[0; 100]);
    assert!(one.windows(2).all(|pair| pair[0].1 < pair[1].1), "one flow, one path");
}

#[test]
fn a_copy_arrives_behind_its_packet_and_is_counted() {
    assert!(!single(impaired(Duration::ZERO, &["jitter(exponential=1)"]), 1).0.duplicates());
    let (mut network, route) = single(impaired(Duration::ZERO, &["duplication(probability=1)"]), 1);
    assert!(network.duplicates());
    let log = run(&mut network, &[(at(0), packet(route, 1000, 7))]);
    assert_eq!(delivered(&log), [(at(1000), 7), (at(1000), 7)]);
    let counts = network.conservation();
    assert_eq!((counts.sent, counts.duplicated, counts.delivered), (1, 1, 2));
    assert!(counts.holds());
}

#[test]
fn a_policer_drops_what_exceeds_its_tokens_and_a_shaper_delays_it() {
    // A bucket of two packets, and a packet's tokens in 2000 us.
    let (mut network, route) = single(impaired(Duration::ZERO, &["policer(rate=4 Mbit/s,burst=2000)"]), 1);
    let traffic: Vec<_> = (0..4).map(|number| (at(0), packet(route, 1000, number))).collect();
    let more = [(at(2000), packet(route, 1000, 4)), (at(2001), packet(route, 1000, 5))];
    let log = run(&mut network, &[traffic, more.to_vec()].concat());
    assert_eq!(delivered(&log).iter().map(|(_, number)| *number).collect::<Vec<_>>(), [0, 1, 4]);
    assert_eq!(network.conservation().dropped_queue, 3);
    // The first two at 8 Mbit/s; then one in 2000 us, each transmitted at 8 Mbit/s.
    let shaped = impaired(Duration::ZERO, &["shaper(rate=4 Mbit/s,burst=2000)"]);
    // At 1000 us, when the second begins, 500 bytes have come; the third needs 500 more.
    assert_eq!(arrivals(shaped, &[0, 0, 0, 0]), [(1000, 0), (2000, 1), (3000, 2), (5000, 3)]);
}

#[test]
fn a_policed_packet_is_dropped_with_that_reason() {
    let mut graph = ackclock_network::Graph::new();
    let (a, b, c) = (graph.node("a"), graph.node("b"), graph.node("c"));
    graph.add_link(a, b, byte_per_microsecond(Duration::ZERO)).unwrap();
    graph.add_link(b, c, impaired(Duration::ZERO, &["policer(rate=1000 bit/s,burst=1000)"])).unwrap();
    let mut network = ackclock_network::Network::new(graph, 1);
    let route = network.route(a, c).unwrap();
    let log = run(&mut network, &[(at(0), packet(route, 1000, 0)), (at(0), packet(route, 1000, 1))]);
    let policed = |(_, arrival): &(Time, Arrival<u32, ()>)| {
        matches!(arrival, Arrival::Dropped { reason: DropReason::Policed, .. })
    };
    assert_eq!(log.iter().filter(|entry| policed(entry)).count(), 1);
}

#[test]
fn the_capacity_used_is_a_share_of_the_capacity_offered() {
    let (mut network, route) = single(trace(&[1, 2]), 1);
    let traffic: Vec<_> = (0..5).map(|number| (at(0), packet(route, 1500, number))).collect();
    let _ = run(&mut network, &traffic);
    // Ten opportunities in 10 ms, five of them used.
    let stats = network.link_stats(ackclock_network::LinkId::new(0), at(10_000));
    assert!((stats.utilisation() - 0.5).abs() < 1e-12, "{}", stats.utilisation());
    assert_eq!(stats.mean_capacity(), Some(1500.0 * 8.0 * 1000.0));
    let constant = LinkConfig::new(Rate::from_bits_per_second(8 * MBIT), Duration::ZERO);
    let path = PathConfig { up: Some(points(&[(0, 1)], false, None)), ..PathConfig::default() };
    let (mut network, route) = single(constant.with_path(path), 1);
    let _ = run(&mut network, &[(at(0), packet(route, 1000, 0))]);
    let stats = network.link_stats(ackclock_network::LinkId::new(0), at(4000));
    assert!((stats.utilisation() - 0.25).abs() < 1e-12, "{}", stats.utilisation());
}

#[test]
fn a_part_of_another_list_is_an_error() {
    let error = Queue::try_from(&Part::of(&IMPAIRMENTS[0])).unwrap_err().to_string();
    assert!(error.starts_with("\"jitter\": unknown queue") && error.contains("fq-codel"), "{error}");
    let mut graph = Graph::new();
    let (a, b) = (graph.node("a"), graph.node("b"));
    let path = PathConfig { impairments: vec![Part::of(&QUEUES[0])], ..PathConfig::default() };
    let error = graph.add_link(a, b, link(path)).unwrap_err().to_string();
    assert!(error.contains("has an impairment that is none of the catalogue's"), "{error}");
}
