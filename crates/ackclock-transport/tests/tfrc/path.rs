//! A path of constant delay, on which a script decides what is lost, marked or late.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_transport::Transfer;
use ackclock_transport::tfrc::{Data, Feedback, Receiver, Sender, Settings};
use ackclock_units::{Duration, Rate, Time};

/// The fate of a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    Marked,
    Late(Duration),
    Lost,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Data(Data),
    Feedback(Feedback),
}

/// A sender, a receiver, and what passed between them.
pub struct Path {
    pub sender: Sender,
    pub receiver: Receiver,
    /// The fate of the packet of this number, sent at this time.
    pub fate: Box<dyn FnMut(u64, Time) -> Fate>,
    /// True if feedback sent at this time arrives.
    pub answers: Box<dyn FnMut(Time) -> bool>,
    /// A queue without limit before the path, if set.
    pub bottleneck: Option<Rate>,
    pub now: Time,
    delay: Duration,
    busy_until: Time,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    /// When each data packet left.
    pub departures: Vec<Time>,
    /// When each feedback packet left, and what it says.
    pub reports: Vec<(Time, Feedback)>,
    /// The sender's rate after each event, in packets per second.
    pub rates: Vec<(Time, f64)>,
}

/// The round-trip time of the paths here.
pub const RTT: Duration = Duration::from_millis(100);

pub fn seconds(value: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(value)
}

pub fn always() -> Transfer {
    Transfer { start: Time::ZERO, stop: Time::MAX, packets: None }
}

impl Path {
    pub fn new(settings: Settings, transfer: Transfer) -> Path {
        let settings = Arc::new(settings);
        Path {
            sender: Sender::new(Arc::clone(&settings), transfer),
            receiver: Receiver::new(settings),
            fate: Box::new(|_, _| Fate::Arrives),
            answers: Box::new(|_| true),
            bottleneck: None,
            now: Time::ZERO,
            delay: RTT / 2,
            busy_until: Time::ZERO,
            events: BTreeMap::new(),
            count: 0,
            departures: Vec::new(),
            reports: Vec::new(),
            rates: Vec::new(),
        }
    }

    pub fn lossless() -> Path {
        Path::new(Settings::default(), always())
    }

    /// The rate as packets per round-trip time of the path.
    pub fn packets_per_rtt(&self) -> f64 {
        self.sender.rate() * RTT.as_secs_f64() / 1460.0
    }

    pub fn run_until(&mut self, end: Time) {
        self.transmit();
        loop {
            let next_event = self.events.keys().next().map_or(Time::MAX, |(time, _)| *time);
            let next = next_event.min(self.sender.next_wake()).min(self.receiver.next_wake());
            if next > end {
                self.now = end;
                return;
            }
            assert!(next >= self.now, "time runs backwards: {next} after {}", self.now);
            self.now = next;
            if next_event == next {
                let (_, event) = self.events.pop_first().unwrap();
                match event {
                    Event::Data(data) => self.receiver.on_segment(next, &data),
                    Event::Feedback(feedback) => self.sender.on_segment(next, &feedback),
                }
            }
            self.sender.on_timer(next);
            self.receiver.on_timer(next);
            self.transmit();
            self.rates.push((next, self.sender.rate() / 1460.0));
        }
    }

    fn transmit(&mut self) {
        while let Some(data) = self.sender.poll_transmit(self.now) {
            self.departures.push(self.now);
            let start = self.now.max(self.busy_until);
            let size = ackclock_units::Bytes::new(u64::from(data.length));
            self.busy_until = start + self.bottleneck.map_or(Duration::ZERO, |r| r.transmission_time(size));
            let arrival = self.busy_until + self.delay;
            match (self.fate)(data.sequence, self.now) {
                Fate::Arrives => self.schedule(arrival, Event::Data(data)),
                Fate::Marked => self.schedule(arrival, Event::Data(Data { marked: true, ..data })),
                Fate::Late(more) => self.schedule(arrival + more, Event::Data(data)),
                Fate::Lost => {}
            }
        }
        while let Some(feedback) = self.receiver.poll_transmit(self.now) {
            self.reports.push((self.now, feedback));
            if (self.answers)(self.now) {
                self.schedule(self.now + self.delay, Event::Feedback(feedback));
            }
        }
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }
}
