use std::sync::Arc;

use ackclock_transport::tfrc::{Data, Feedback, Receiver, Settings, throughput};
use ackclock_units::{Duration, Rate, Time};

use super::path::{Fate, Path, RTT, seconds};

/// A receiver that gets a packet every 10 ms, by number; ten are a round-trip time.
struct Stream {
    receiver: Receiver,
    reports: Vec<(u64, Feedback)>,
}

impl Stream {
    fn new() -> Stream {
        Stream { receiver: Receiver::new(Arc::new(Settings::default())), reports: Vec::new() }
    }

    fn at(number: u64) -> Time {
        Time::ZERO + Duration::from_millis(10) * number
    }

    /// Packet `sequence` arrives instead of packet `slot`.
    fn arrive(&mut self, slot: u64, sequence: u64, marked: bool) {
        let now = Stream::at(slot);
        while self.receiver.next_wake() < now {
            let wake = self.receiver.next_wake();
            self.receiver.on_timer(wake);
            self.poll(wake, slot);
        }
        let data = Data { sequence, timestamp: now, rtt: RTT, length: 1460, marked };
        self.receiver.on_segment(now, &data);
        self.receiver.on_timer(now);
        self.poll(now, slot);
    }

    fn poll(&mut self, now: Time, slot: u64) {
        self.reports.extend(self.receiver.poll_transmit(now).map(|report| (slot, report)));
    }

    /// All packets of the range arrive but those lost.
    fn run(&mut self, numbers: std::ops::Range<u64>, lost: &[u64]) {
        for number in numbers.filter(|number| !lost.contains(number)) {
            self.arrive(number, number, false);
        }
    }

    /// The average loss interval in packets; infinite without loss.
    fn mean(&self) -> f64 {
        1.0 / self.receiver.loss_event_rate()
    }
}

#[test]
fn feedback_comes_once_per_round_trip() {
    let mut stream = Stream::new();
    stream.run(0..200, &[]);
    assert!((19..=21).contains(&stream.reports.len()), "{} in 20 round trips", stream.reports.len());
    let last = stream.reports.last().unwrap().1;
    assert!(last.loss_event_rate <= 0.0);
    assert!((last.receive_rate / 146_000.0 - 1.0).abs() < 1e-9, "{} bytes/s of 146000", last.receive_rate);
}

#[test]
fn every_packet_is_answered_until_the_sender_knows_its_round_trip_time() {
    let mut receiver = Receiver::new(Arc::new(Settings::default()));
    for number in 0..3 {
        let now = seconds(number as f64);
        let data =
            Data { sequence: number, timestamp: now, rtt: Duration::ZERO, length: 1460, marked: false };
        receiver.on_segment(now, &data);
        let report = receiver.poll_transmit(now).expect("feedback at once");
        assert_eq!((report.timestamp, report.delay, report.receive_rate), (now, Duration::ZERO, 0.0));
    }
    assert_eq!(receiver.next_wake(), Time::MAX);
}

#[test]
fn a_loss_is_reported_when_the_third_later_packet_is_here() {
    let mut stream = Stream::new();
    stream.run(0..104, &[100]);
    let at = stream.reports.iter().find(|(_, report)| report.loss_event_rate > 0.0).map(|(slot, _)| *slot);
    assert_eq!(at, Some(103), "without waiting for the timer");
}

#[test]
fn two_later_packets_are_reordering() {
    let mut stream = Stream::new();
    stream.run(0..103, &[100]);
    stream.arrive(103, 100, false);
    for number in 103..150 {
        stream.arrive(number + 1, number, false);
    }
    assert!(stream.receiver.loss_event_rate() <= 0.0);
    assert_eq!(stream.receiver.delivered_packets(), 150);
}

#[test]
fn a_late_packet_leaves_the_others_of_its_gap_missing() {
    let mut stream = Stream::new();
    stream.run(0..104, &[100, 101]);
    assert!(stream.receiver.loss_event_rate() <= 0.0, "two packets came from behind the gap");
    stream.arrive(104, 101, false);
    assert!(stream.receiver.loss_event_rate() > 0.0, "101 is the third after 100");
}

#[test]
fn losses_of_one_round_trip_are_one_event() {
    // The interval between two events is what decides the rate: 200 packets, also with more lost in between.
    for lost in [&[300, 500, 700][..], &[300, 304, 308, 500, 501, 509, 700, 705]] {
        let mut stream = Stream::new();
        stream.run(0..704, lost);
        let mut seeded = stream.mean();
        stream.run(704..900, &[900]);
        assert!(seeded > 0.0);
        seeded = stream.mean();
        let mut plain = Stream::new();
        plain.run(0..900, &[300, 500, 700]);
        assert!((seeded / plain.mean() - 1.0).abs() < 1e-9, "{seeded} with {lost:?}");
    }
}

#[test]
fn a_second_event_begins_more_than_a_round_trip_later() {
    // Ten packets are a round-trip time: packet 110 belongs to the event of 100, packet 111 begins the next.
    let mean_after = |second| {
        let mut stream = Stream::new();
        stream.run(0..130, &[100, second]);
        stream.mean()
    };
    assert!(mean_after(111) < 0.9 * mean_after(110), "{} and {}", mean_after(111), mean_after(110));
}

#[test]
fn a_long_outage_is_an_event_per_round_trip() {
    // Of 25 round-trip times nothing arrives: their nominal arrivals lie between the arrivals around (5.2), so all
    // eight intervals are of eleven packets.
    let mut stream = Stream::new();
    let lost: Vec<u64> = (1000..1250).collect();
    stream.run(0..1254, &lost);
    assert!((stream.mean() - 11.0).abs() < 0.5, "{}", stream.mean());
}

#[test]
fn a_mark_is_a_loss_event_at_once() {
    let mut stream = Stream::new();
    stream.run(0..100, &[]);
    stream.arrive(100, 100, true);
    assert!(stream.receiver.loss_event_rate() > 0.0);
    assert_eq!(stream.reports.last().unwrap().0, 100);
    assert_eq!(stream.receiver.delivered_packets(), 101, "and the packet is here");
}

#[test]
fn packets_that_overtake_each_other_do_not_slow_a_flow_down() {
    let mut path = Path::lossless();
    path.bottleneck = Some(Rate::from_bits_per_second(100 * 1460 * 8));
    // 15 ms late behind a bottleneck of a packet per 10 ms: one packet overtakes it, then it arrives.
    let late = Fate::Late(Duration::from_millis(15));
    path.fate = Box::new(move |number, _| if number % 20 == 7 { late } else { Fate::Arrives });
    path.run_until(seconds(10.0));
    assert!(path.receiver.loss_event_rate() <= 0.0);
    assert!(path.receiver.delivered_packets() > 900);
}

#[test]
fn no_data_no_feedback() {
    let mut path = Path::lossless();
    path.fate = Box::new(|_, at| if at < seconds(1.0) { Fate::Arrives } else { Fate::Lost });
    path.run_until(seconds(8.0));
    let last = path.reports.last().unwrap().0;
    assert!(last < seconds(1.2), "{last}");
}

#[test]
fn the_first_packet_after_a_pause_is_answered_at_once() {
    let mut stream = Stream::new();
    stream.run(0..50, &[]);
    let before = stream.reports.len();
    stream.arrive(500, 50, false);
    assert_eq!(stream.reports.last().unwrap().0, 500);
    assert_eq!(stream.reports.len(), before + 2, "what was unreported when the pause began, and this");
}

#[test]
fn the_first_loss_leaves_what_arrived_before() {
    // 6.3.1: the right rate is taken to be half of the largest before the loss, for which the largest receive rate
    // stands, within 5 %.
    let mut path = Path::lossless();
    path.bottleneck = Some(Rate::from_bits_per_second(200 * 1460 * 8));
    path.fate = Box::new(|number, _| if number == 120 { Fate::Lost } else { Fate::Arrives });
    path.run_until(seconds(0.6));
    while path.receiver.loss_event_rate() == 0.0 {
        let next = path.now + Duration::from_millis(1);
        path.run_until(next);
    }
    let report = path.reports.last().unwrap().1;
    let largest = path.reports.iter().map(|(_, report)| report.receive_rate).fold(0.0, f64::max);
    let rtt = path.sender.rtt().unwrap().as_secs_f64();
    let aimed_at = throughput(1460.0, rtt, 4.0 * rtt, report.loss_event_rate);
    assert!((aimed_at / largest - 1.0).abs() < 0.05, "{aimed_at} of {largest} bytes/s");
}
