//! A sender and a receiver with a network between them that delays every packet alike, and loses or holds up those a
//! script names. Tests read as stories: a [`Scene`] is set, played, and the [`Pair`] tells what was sent when.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use ackclock_congestion::conformance::{Call, Record, checked};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, CongestionControl, Signal, Start};
use ackclock_transport::tcp::{Counters, Receiver, Recovery, Sender, Settings, Transfer};
use ackclock_transport::{Flags, Segment};
use ackclock_units::{Duration, Time};

pub const MSS: u64 = 1000;

/// Those that wait for duplicates or the retransmission timer.
pub const ALL: [Recovery; 7] = [
    Recovery::Tahoe,
    Recovery::Reno,
    Recovery::NewReno,
    Recovery::Sack,
    Recovery::Prr,
    Recovery::PrrCrb,
    Recovery::Vegas,
];

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A packet, by what it is. Segments of data are numbered from 0, everything else is counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Syn(u32),
    SynAck(u32),
    /// The n-th copy of a segment of data.
    Data(u64, u32),
    /// The sender's FIN without data.
    Fin(u32),
    /// An acknowledgment without data from the sender.
    SenderAck(u32),
    /// A reset from the sender.
    Reset,
    /// An acknowledgment from the receiver.
    Ack(u32),
    /// As above, with the receiver's FIN.
    FinAck(u32),
}

/// The first copy of a segment.
pub fn data(segment: u64) -> What {
    What::Data(segment, 1)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Sender,
    Receiver,
}

/// The settings of a story.
pub struct Scene {
    pub recovery: Recovery,
    pub settings: Settings,
    pub transfer: Transfer,
    /// One way.
    pub delay: Duration,
    pub lose: Vec<What>,
    /// Packets that the network marks, if they may be (RFC 3168).
    pub mark: Vec<What>,
    /// Packets that take longer, by how much.
    pub hold: Vec<(What, Duration)>,
    pub controller: Option<Box<dyn CongestionControl>>,
    /// The fate of packets that no script names: the extra delay of each copy; none if the packet is lost.
    pub chance: Chance,
}

pub type Chance = Box<dyn FnMut() -> Vec<Duration>>;

impl Scene {
    /// A file of `packets` over 100 ms each way; no delayed acknowledgments, no limited transmit, no handshake, the reordering timer of RFC 8985, so
    /// that a story is about one thing.
    pub fn file(recovery: Recovery, packets: u64) -> Scene {
        let settings = Settings {
            mss: MSS as u16,
            initial_window: 1.0,
            segments_per_ack: 1,
            limited_transmit: false,
            handshake: false,
            reordering_timer_slack: Duration::ZERO,
            ..Settings::default()
        };
        Scene {
            recovery,
            settings,
            transfer: Transfer { start: Time::ZERO, stop: Time::MAX, packets: Some(packets) },
            delay: ms(100),
            lose: Vec::new(),
            mark: Vec::new(),
            hold: Vec::new(),
            controller: None,
            chance: Box::new(|| vec![Duration::ZERO]),
        }
    }

    /// A window of eight packets at the start of a file of 40.
    pub fn eight_of_forty(recovery: Recovery) -> Scene {
        Scene::file(recovery, 40).set(|settings| settings.initial_window = 8.0)
    }

    /// A delay of 950 ms comes over the path of [`Scene::eight_of_forty`]: the timer expires at 1000 ms, the originals
    /// arrive at 1050 ms.
    pub fn delay_spike(mut self) -> Pair {
        for segment in 0..8 {
            self = self.hold(data(segment), ms(950));
        }
        let pair = self.play();
        pair.assert_complete(40);
        pair
    }

    /// A file with a handshake.
    pub fn connection(recovery: Recovery, packets: u64) -> Scene {
        Scene::file(recovery, packets).set(|settings| settings.handshake = true)
    }

    pub fn set(mut self, change: impl FnOnce(&mut Settings)) -> Scene {
        change(&mut self.settings);
        self
    }

    pub fn stop(mut self, stop: Time) -> Scene {
        self.transfer.stop = stop;
        self
    }

    pub fn lose(mut self, lost: impl IntoIterator<Item = What>) -> Scene {
        self.lose.extend(lost);
        self
    }

    pub fn mark(mut self, marked: impl IntoIterator<Item = What>) -> Scene {
        self.mark.extend(marked);
        self
    }

    pub fn hold(mut self, what: What, extra: Duration) -> Scene {
        self.hold.push((what, extra));
        self
    }

    pub fn controller(mut self, controller: impl CongestionControl + 'static) -> Scene {
        self.controller = Some(Box::new(controller));
        self
    }

    /// Sets the stage; nothing has happened yet.
    pub fn open(self) -> Pair {
        let Scene { recovery, settings, transfer, delay, lose, mark, hold, controller, chance } = self;
        let start = Start {
            initial_window: settings.initial_window,
            initial_ssthresh: settings.initial_ssthresh,
            ..Start::default()
        };
        let spec = if recovery == Recovery::Vegas { "vegas" } else { "reno" };
        let controller = controller.unwrap_or_else(|| spec.parse::<ControllerSpec>().unwrap().build(&start));
        let (controller, record) = checked(controller);
        let settings = Arc::new(settings);
        Pair {
            receiver: Receiver::new(Arc::clone(&settings), recovery.uses_sack()),
            sender: Sender::new(Arc::clone(&settings), recovery, controller, transfer),
            beyond: if recovery == Recovery::Rfc9002 { 2 } else { 1 },
            reduces: matches!(recovery, Recovery::Prr | Recovery::PrrCrb | Recovery::Rack),
            settings,
            record,
            now: Time::ZERO,
            delay,
            lose,
            mark,
            hold,
            chance,
            transit: BTreeMap::new(),
            log: Vec::new(),
            highest_ack: 1,
            highest_sent: 1,
            acks_taken: 0,
            predicted: 0,
            peak: 0,
        }
    }

    /// Plays to the end: until nothing is on its way and no timer is set.
    pub fn play(self) -> Pair {
        let mut pair = self.open();
        pair.run_until(Time::MAX);
        pair
    }
}

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub at: Time,
    pub from: End,
    pub what: What,
    pub segment: Segment,
    pub lost: bool,
    /// The sender's window when it was sent.
    pub cwnd: f64,
}

pub struct Pair {
    pub sender: Sender,
    pub receiver: Receiver,
    pub record: Record,
    pub log: Vec<Entry>,
    pub now: Time,
    settings: Arc<Settings>,
    /// Segments of an answer that may go whatever the window says: a fast retransmit, or the probes of a timeout.
    beyond: usize,
    reduces: bool,
    delay: Duration,
    lose: Vec<What>,
    mark: Vec<What>,
    hold: Vec<(What, Duration)>,
    chance: Chance,
    transit: BTreeMap<(Time, usize), (End, Segment)>,
    highest_ack: u64,
    highest_sent: u64,
    acks_taken: usize,
    /// Acknowledgments that found the sender on its fast path: the rest of its memory was not needed.
    pub predicted: usize,
    /// The most the sender has had in flight since it was last within its window.
    peak: u32,
}

impl Pair {
    /// Plays until `end` (excluded).
    pub fn run_until(&mut self, end: Time) {
        for _ in 0..1_000_000 {
            let arrival = self.transit.keys().next().map_or(Time::MAX, |key| key.0);
            let timers = self.sender.next_wake().min(self.receiver.next_wake());
            let next = arrival.min(timers);
            if next >= end {
                return;
            }
            assert!(next >= self.now, "woken in the past: {next} at {}", self.now);
            self.now = next;
            let in_flight = self.sender.in_flight();
            let is_within = f64::from(in_flight) <= self.sender.cwnd();
            self.peak = if is_within { in_flight } else { self.peak.max(in_flight) };
            if arrival <= timers {
                let ((_, _), (to, segment)) = self.transit.pop_first().unwrap();
                self.deliver(to, &segment);
            } else if self.sender.next_wake() == next {
                self.sender.on_timer(next);
                // RACK's timer speaks like an acknowledgment.
                self.acks_taken = self.record.acks();
                self.transmit(End::Sender);
            } else {
                self.receiver.on_timer(next);
                self.transmit(End::Receiver);
            }
        }
        panic!("no end to it:\n{}", self.table());
    }

    /// Hands a segment to an end, and sends what it answers.
    pub fn deliver(&mut self, to: End, segment: &Segment) {
        if to == End::Receiver {
            self.receiver.on_segment(self.now, segment);
        } else {
            let established = self.sender.established_at().is_some();
            // One of what was never sent is ignored.
            let is_of_data = segment.acknowledgment <= self.highest_sent;
            self.acks_taken += usize::from(
                established && !self.sender.has_reset() && !segment.flags.has(Flags::SYN) && is_of_data,
            );
            self.highest_ack = self.highest_ack.max(segment.acknowledgment);
            let [.., rest] = self.sender.memory_beyond(!segment.sack.is_empty());
            self.predicted += usize::from(rest.is_empty());
            self.sender.on_segment(self.now, &segment.header, &segment.sack);
            assert_eq!(self.record.acks(), self.acks_taken, "one on_ack for each acknowledgment");
        }
        self.transmit(to);
    }

    fn transmit(&mut self, from: End) {
        for sent in 0.. {
            assert!(sent < 100_000, "no end of segments at {}:\n{}", self.now, self.table());
            let segment = match from {
                End::Sender => self.sender.poll_transmit(self.now).map(Segment::from),
                End::Receiver => self.receiver.poll_transmit(self.now).map(Segment::from),
            };
            let Some(segment) = segment else { break };
            if from == End::Sender {
                self.highest_sent = self.highest_sent.max(segment.end());
                self.check(&segment, sent);
            }
            self.forward(from, segment);
        }
    }

    /// Takes a segment into the network, as the script says, or chance where it says nothing.
    fn forward(&mut self, from: End, segment: Segment) {
        let what = self.name(from, &segment);
        let copies = if self.lose.contains(&what) {
            Vec::new()
        } else if let Some((_, extra)) = self.hold.iter().find(|(held, _)| *held == what) {
            vec![*extra]
        } else {
            (self.chance)()
        };
        let (at, cwnd, lost) = (self.now, self.sender.cwnd(), copies.is_empty());
        self.log.push(Entry { at, from, what, segment, lost, cwnd });
        let to = if from == End::Sender { End::Receiver } else { End::Sender };
        let mut segment = segment;
        if segment.flags.has(Flags::ECT) && self.mark.contains(&what) {
            segment.flags = segment.flags.with(Flags::CE);
        }
        for (copy, extra) in copies.into_iter().enumerate() {
            self.transit.insert((at + self.delay + extra, 2 * self.log.len() + copy), (to, segment));
        }
    }

    /// The invariants of every segment that the sender sends, in every story.
    fn check(&self, segment: &Segment, sent: usize) {
        let edge = self.highest_ack + u64::from(self.settings.receive_window);
        assert!(segment.end() <= edge || segment.flags.has(Flags::SYN), "{segment:?} is beyond {edge}");
        // Proportional rate reduction takes a round trip to come down to the window, but comes down.
        let in_flight = f64::from(self.sender.in_flight());
        // Small windows leave as four smaller segments, where they are divided.
        let least = if self.settings.smart_framing { 4.0 } else { 1.0 };
        let window = self.sender.cwnd().max(least);
        let allowed = if self.reduces { window.max(self.peak.into()) } else { window };
        assert!(
            sent < self.beyond || in_flight <= allowed,
            "{in_flight} of {allowed} in flight, with {segment:?}"
        );
    }

    fn name(&self, from: End, segment: &Segment) -> What {
        let count = |wanted: fn(&What) -> bool| {
            1 + self.log.iter().filter(|entry| wanted(&entry.what)).count() as u32
        };
        let has = |flags| segment.flags.has(flags);
        match from {
            End::Sender if has(Flags::SYN) => What::Syn(count(|what| matches!(what, What::Syn(_)))),
            End::Sender if segment.length > 0 => {
                let number = (segment.sequence - 1) / MSS;
                let same = |entry: &&Entry| matches!(entry.what, What::Data(known, _) if known == number);
                What::Data(number, 1 + self.log.iter().filter(same).count() as u32)
            }
            End::Sender if has(Flags::FIN) => What::Fin(count(|what| matches!(what, What::Fin(_)))),
            End::Sender if has(Flags::RST) => What::Reset,
            End::Sender => What::SenderAck(count(|what| matches!(what, What::SenderAck(_)))),
            End::Receiver if has(Flags::SYN) => What::SynAck(count(|what| matches!(what, What::SynAck(_)))),
            End::Receiver if has(Flags::FIN) => What::FinAck(count(|what| matches!(what, What::FinAck(_)))),
            End::Receiver => What::Ack(count(|what| matches!(what, What::Ack(_)))),
        }
    }

    pub fn counters(&self) -> Counters {
        self.sender.counters(self.now)
    }

    /// The congestion episodes, by their signals.
    pub fn signals(&self) -> Vec<Signal> {
        self.record.episodes().iter().map(|event| event.signal).collect()
    }

    /// The facts passed to the controller with each acknowledgment.
    pub fn acks(&self) -> Vec<Ack> {
        let calls = self.record.calls();
        calls.iter().filter_map(|call| if let Call::Ack(ack) = call { Some(*ack) } else { None }).collect()
    }

    /// Asserts that all of `packets` arrived once, that the sender knows, and that both ends are at rest.
    #[track_caller]
    pub fn assert_complete(&self, packets: u64) {
        assert_eq!(self.receiver.delivered_bytes(), packets * MSS);
        assert_eq!(self.receiver.delivered_segments(), packets);
        assert!(self.sender.closed_at().is_some());
        assert_eq!(self.sender.in_flight(), 0);
        assert_eq!((self.sender.next_wake(), self.receiver.next_wake()), (Time::MAX, Time::MAX));
    }

    /// Asserts that the right edge of the receiver's window never moves back (RFC 9293, 3.8.6).
    #[track_caller]
    pub fn assert_edge_stays(&self) {
        let acks =
            self.log.iter().filter(|entry| entry.from == End::Receiver && entry.segment.acknowledgment > 0);
        let edges = acks.map(|entry| entry.segment.acknowledgment + u64::from(entry.segment.window));
        edges.reduce(|edge, next| {
            assert!(next >= edge, "from {edge} to {next}");
            next
        });
    }

    /// The times, in milliseconds, at which packets `wanted` were sent.
    pub fn times(&self, wanted: impl Fn(&What) -> bool) -> Vec<u64> {
        let sent = self.log.iter().filter(|entry| wanted(&entry.what));
        sent.map(|entry| entry.at.as_nanos() / 1_000_000).collect()
    }

    /// The segments of data sent, with the millisecond.
    pub fn data(&self) -> Vec<(u64, u64)> {
        self.data_entries().map(|(entry, number, _)| (entry.at.as_nanos() / 1_000_000, number)).collect()
    }

    /// The segments of data sent again, with the millisecond.
    pub fn again(&self) -> Vec<(u64, u64)> {
        let again = self.data_entries().filter(|(_, _, copy)| *copy > 1);
        again.map(|(entry, number, _)| (entry.at.as_nanos() / 1_000_000, number)).collect()
    }

    fn data_entries(&self) -> impl Iterator<Item = (&Entry, u64, u32)> {
        self.log.iter().filter_map(|entry| match entry.what {
            What::Data(number, copy) => Some((entry, number, copy)),
            _ => None,
        })
    }

    /// The data sent from one millisecond to another, both included, one line for each moment: the millisecond, the
    /// segments; `'` marks one sent again, `x` one lost.
    pub fn moments(&self, from: u64, to: u64) -> String {
        let mut text = String::new();
        let mut last = None;
        for (entry, number, copy) in self.data_entries() {
            let millis = entry.at.as_nanos() / 1_000_000;
            if !(from..=to).contains(&millis) {
                continue;
            }
            if last != Some(millis) {
                let _ = write!(text, "{}{millis:>6}:", if last.is_some() { "\n" } else { "" });
                last = Some(millis);
            }
            let mark = if entry.lost { "x" } else { "" };
            let _ = write!(text, " {number}{}{mark}", "'".repeat(copy as usize - 1));
        }
        text
    }

    /// All packets, one line each: the millisecond, what the sender sent, what the receiver sent.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for entry in &self.log {
            let millis = entry.at.as_nanos() / 1_000_000;
            let mark = if entry.lost { " x" } else { "" };
            let indent = if entry.from == End::Sender { "" } else { "             " };
            let _ = writeln!(text, "{millis:>6} {indent}{}{mark}", describe(entry));
        }
        text
    }
}

fn describe(entry: &Entry) -> String {
    let segment = &entry.segment;
    let segments = |sequence: u64| sequence.saturating_sub(1) / MSS;
    let mut text = match entry.what {
        What::Syn(_) => "SYN".to_owned(),
        What::SynAck(_) => "SYN-ACK".to_owned(),
        What::Data(number, copy) => format!("{number}{}", "'".repeat(copy as usize - 1)),
        What::Fin(_) => return "FIN".to_owned(),
        What::Reset => "RST".to_owned(),
        What::SenderAck(_) => format!("ack {}", segment.acknowledgment),
        What::Ack(_) | What::FinAck(_) => format!("ack {}", segments(segment.acknowledgment)),
    };
    if segment.flags.has(Flags::FIN) {
        text.push_str(" FIN");
    }
    for (start, end) in segment.sack.iter(segment.acknowledgment) {
        let _ = write!(text, " [{}, {})", segments(start), segments(end));
    }
    text
}

/// Compares two tables line by line and word by word.
#[track_caller]
pub fn assert_lines(actual: &str, expected: &str) {
    let lines = |text: &str| -> Vec<String> {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(words).filter(|line| !line.is_empty()).collect()
    };
    assert!(lines(actual) == lines(expected), "what was sent:\n{actual}\nwhat was expected:\n{expected}");
}
