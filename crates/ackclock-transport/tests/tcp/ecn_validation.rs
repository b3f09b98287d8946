//! The validation of ECN (RFC 9000, 13.4.2 and A.4) on paths that carry the ECN field, rewrite it, or drop what has it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_congestion::conformance::{Call, Record, checked};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Signal, Start};
use ackclock_transport::tcp::{EcnMode, Receiver, Recovery, Sender, Settings, Transfer};
use ackclock_transport::{ByteCounters, Flags, Segment};
use ackclock_units::{Duration, Time};

use crate::common::{MSS, ms};

/// A packet that was sent: the millisecond, its number as data, and whether it is ECN-capable.
type Sent = (u64, u64, bool);

/// The path's rule for a data packet's ECN field: the field that arrives, none if the packet is dropped.
type Fate = fn(u64, Flags) -> Option<Flags>;

/// The path's rule for the counters of an acknowledgment, by the number of those before it.
type Report = fn(usize, Option<ByteCounters>) -> Option<ByteCounters>;

const ONE_WAY: Duration = Duration::from_millis(100);

/// Both ends, and a path that takes 100 ms each way.
struct Path {
    sender: Sender,
    receiver: Receiver,
    record: Record,
    fate: Fate,
    report: Report,
    now: Time,
    transit: BTreeMap<(Time, usize), Packet>,
    departures: usize,
    reports: usize,
    sent: Vec<Sent>,
}

enum Packet {
    Data(Segment),
    Ack(Segment, Option<ByteCounters>),
}

impl Path {
    /// A window of 20 packets, and a file that stays open.
    fn new(packets: u64, fate: Fate, report: Report) -> Path {
        let settings = Arc::new(Settings {
            mss: MSS as u16,
            ecn: EcnMode::Accurate,
            ecn_validation: true,
            initial_window: 20.0,
            segments_per_ack: 1,
            handshake: false,
            ..Settings::default()
        });
        let start = Start { initial_window: 20.0, ..Start::default() };
        let (controller, record) = checked("reno".parse::<ControllerSpec>().unwrap().build(&start));
        let transfer = Transfer { start: Time::ZERO, stop: Time::MAX, packets: Some(packets) };
        let mut sender = Sender::new(Arc::clone(&settings), Recovery::Sack, controller, transfer);
        sender.keep_open();
        let receiver = Receiver::new(settings, true);
        let (transit, sent) = (BTreeMap::new(), Vec::new());
        let (now, departures, reports) = (Time::ZERO, 0, 0);
        Path { sender, receiver, record, fate, report, now, transit, departures, reports, sent }
    }

    fn play(mut self) -> Path {
        self.run_until(Time::MAX);
        assert!(self.sender.closed_at().is_some(), "all of it is acknowledged: {:?}", self.sent);
        self
    }

    fn run_until(&mut self, end: Time) {
        for _ in 0..100_000 {
            let arrival = self.transit.keys().next().map_or(Time::MAX, |key| key.0);
            let next = arrival.min(self.sender.next_wake()).min(self.receiver.next_wake());
            if next >= end {
                return;
            }
            self.now = next;
            if arrival == next {
                match self.transit.pop_first().unwrap().1 {
                    Packet::Data(segment) => self.receiver.on_segment(next, &segment),
                    Packet::Ack(segment, counters) => {
                        if let Some(counters) = counters {
                            self.sender.keep_byte_counters(&counters);
                        }
                        self.sender.on_segment(next, &segment.header, &segment.sack);
                    }
                }
            } else {
                self.sender.on_timer(next);
                self.receiver.on_timer(next);
            }
            self.transmit();
        }
        panic!("no end to it");
    }

    fn transmit(&mut self) {
        while let Some(transmission) = self.sender.poll_transmit(self.now) {
            let mut segment = Segment::from(transmission);
            let number = (segment.sequence - 1) / MSS;
            let field = segment.flags.ecn_field();
            self.sent.push((self.now.as_nanos() / 1_000_000, number, field == Flags::ECT));
            if let Some(field) = (self.fate)(number, field) {
                segment.flags = segment.flags.without(Flags::CE).with(field);
                self.send(Packet::Data(segment));
            }
        }
        while let Some(reply) = self.receiver.poll_transmit(self.now) {
            let counters = (self.report)(self.reports, self.receiver.take_byte_counters());
            self.reports += 1;
            self.send(Packet::Ack(reply.into(), counters));
        }
    }

    fn send(&mut self, packet: Packet) {
        self.transit.insert((self.now + ONE_WAY, self.departures), packet);
        self.departures += 1;
    }

    /// The numbers of the packets that were ECN-capable, in the order of sending.
    fn capable(&self) -> Vec<u64> {
        self.sent.iter().filter(|(_, _, is_capable)| *is_capable).map(|(_, number, _)| *number).collect()
    }

    fn signals(&self) -> Vec<Signal> {
        self.record.episodes().iter().map(|event| event.signal).collect()
    }

    /// The marks of which the controller was told.
    fn marks(&self) -> f64 {
        let calls = self.record.calls();
        calls.iter().map(|call| if let Call::Ack(ack) = call { ack.ce_marked } else { 0.0 }).sum()
    }
}

const HONEST: Fate = |_, field| Some(field);

fn whole(_: usize, counters: Option<ByteCounters>) -> Option<ByteCounters> {
    counters
}

/// The packets of the test, of which nothing comes back that permits more.
fn ten() -> Vec<u64> {
    (0..10).collect()
}

/// A.4: ten packets are tested; those after them are not capable until the first of the ten is acknowledged, at 200 ms.
#[test]
fn an_honest_path_becomes_capable_when_the_test_is_acknowledged() {
    let path = Path::new(60, HONEST, whole).play();
    let before: Vec<u64> =
        path.sent.iter().filter(|sent| sent.0 < 200 && sent.2).map(|sent| sent.1).collect();
    assert_eq!(before, ten());
    let after: Vec<bool> = path.sent.iter().filter(|sent| sent.0 >= 200).map(|sent| sent.2).collect();
    assert_eq!(after, [true; 40]);
    assert_eq!(path.signals(), []);
}

/// 13.4.2.1: marks of a path that is valid are used, here one on a packet of the test and one later.
#[test]
fn marks_of_a_valid_path_are_congestion() {
    let marking: Fate = |number, field| {
        let marked = [9, 50].contains(&number) && field == Flags::ECT;
        Some(if marked { Flags::CE } else { field })
    };
    let path = Path::new(90, marking, whole).play();
    assert_eq!(path.signals(), [Signal::Ecn, Signal::Ecn]);
    assert!((path.marks() - 2.0).abs() < 1e-12);
    assert!(path.sent.last().unwrap().2);
}

/// 13.4.2.1: counts that do not rise by what is newly acknowledged reveal a path that zeroes the field.
#[test]
fn a_path_that_bleaches_fails() {
    let path = Path::new(60, |_, _| Some(Flags::default()), whole).play();
    assert_eq!(path.capable(), ten());
}

/// 13.4.2.1: "a non-zero ECN count corresponding to an ECT codepoint that it never applied".
#[test]
fn a_path_that_makes_ect_1_of_ect_0_fails() {
    let path =
        Path::new(60, |_, field| Some(if field == Flags::ECT { Flags::ECT1 } else { field }), whole).play();
    assert_eq!(path.capable(), ten());
    let later = |number: u64, field: Flags| {
        Some(if number == 40 && field == Flags::ECT { Flags::ECT1 } else { field })
    };
    let path = Path::new(400, later, whole).play();
    assert!(
        path.capable().contains(&41) && !path.capable().contains(&399),
        "it fails later: {:?}",
        path.capable()
    );
}

/// A.4: all packets of the test come marked. The marks of the acknowledgments before the last of them reduce the window once;
/// later ones, on whatever packets, are no congestion.
#[test]
fn a_path_that_marks_everything_fails() {
    let path = Path::new(200, |_, _| Some(Flags::CE), whole).play();
    assert_eq!(path.capable()[..10], ten());
    let last = path.sent.iter().rfind(|sent| sent.2).unwrap();
    assert!(last.0 <= 200, "{last:?}");
    assert_eq!(path.signals(), [Signal::Ecn]);
    assert!(path.marks() <= 9.0, "{}", path.marks());
}

/// 13.4.2: "all packets marked with non-zero ECN codepoints are subsequently lost".
#[test]
fn a_path_that_drops_what_is_capable_fails() {
    let path = Path::new(60, |_, field| Some(field).filter(|field| *field == Flags::default()), whole).play();
    assert_eq!(path.capable(), ten());
    assert_eq!(path.sent.iter().filter(|sent| sent.1 < 10).count(), 20, "each of the ten twice");
}

/// A loss in the test is no verdict as long as others arrive.
#[test]
fn a_loss_in_the_test_fails_nothing() {
    let path =
        Path::new(60, |number, field| Some(field).filter(|field| (number, *field) != (3, Flags::ECT)), whole)
            .play();
    assert!(path.capable().contains(&59), "{:?}", path.capable());
}

/// 13.4.2.1: counts that are not there, and counts that go back.
#[test]
fn counts_that_are_missing_or_decrease_fail() {
    let path = Path::new(60, HONEST, |_, _| None).play();
    assert_eq!(path.capable(), ten());
    let decreasing: Report = |reports, counters| {
        let less = |counters: ByteCounters| ByteCounters { capable: counters.capable - 1500, ..counters };
        if reports == 30 { counters.map(less) } else { counters }
    };
    let path = Path::new(120, HONEST, decreasing).play();
    assert!(path.capable().contains(&20) && !path.capable().contains(&119), "{:?}", path.capable());
}

/// 13.4.2: a test lasts for three probe timeouts at most. Packet 3 comes after that and is not capable; its acknowledgment makes the
/// path so.
#[test]
fn a_test_of_few_packets_ends_with_time() {
    let mut path = Path::new(3, HONEST, whole);
    for seconds in [10, 20] {
        path.run_until(Time::ZERO + ms(1000 * seconds));
        path.now = Time::ZERO + ms(1000 * seconds);
        path.sender.write(path.now, 1);
        path.transmit();
    }
    path.run_until(Time::MAX);
    let capable: Vec<bool> = path.sent.iter().map(|sent| sent.2).collect();
    assert_eq!(capable, [true, true, true, false, true]);
}
