//! A source and a receiver with a network between them that delays every packet alike and loses those a script names.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_congestion::conformance::{Call, Record, checked};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, Start};
use ackclock_transport::Transfer;
use ackclock_transport::acknak::{Kind, Message, Receiver, Sender, Settings};
use ackclock_units::{Duration, Time};

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub fn at(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}

/// True if a message is lost; the number is the count of messages of its kind so far, from 1.
pub type Lose = Box<dyn FnMut(&Message, u64) -> bool>;

/// What is set before a story begins: a path of 50 ms each way, all of it propagation.
pub struct Scene {
    pub settings: Settings,
    pub transfer: Transfer,
    pub algorithm: String,
    /// One way.
    pub delay: Duration,
    /// What the source is told of the path.
    pub propagation: Duration,
    pub lose: Lose,
}

impl Scene {
    /// A flow of `packets`.
    pub fn flow(packets: u64) -> Scene {
        Scene {
            settings: Settings::default(),
            transfer: Transfer { start: Time::ZERO, stop: Time::MAX, packets: Some(packets) },
            algorithm: "reno".to_owned(),
            delay: ms(50),
            propagation: ms(100),
            lose: Box::new(|_, _| false),
        }
    }

    pub fn lose(mut self, lose: impl FnMut(&Message, u64) -> bool + 'static) -> Scene {
        self.lose = Box::new(lose);
        self
    }

    /// Loses the packets of these numbers.
    pub fn lose_data(self, numbers: &'static [u64]) -> Scene {
        self.lose(move |message, _| message.kind == Kind::Data && numbers.contains(&message.number))
    }

    pub fn set(mut self, change: impl FnOnce(&mut Scene)) -> Scene {
        change(&mut self);
        self
    }

    /// Plays to the end: until nothing is on its way and no timer is set.
    pub fn play(self) -> Story {
        self.play_until(Time::MAX)
    }

    /// Plays until `end` (excluded).
    pub fn play_until(self, end: Time) -> Story {
        let start = Start {
            initial_window: self.settings.initial_window,
            initial_ssthresh: self.settings.initial_ssthresh,
            restart_window: self.settings.initial_window,
        };
        let (controller, record) = checked(self.algorithm.parse::<ControllerSpec>().unwrap().build(&start));
        let sender = Sender::new(Arc::new(self.settings), controller, self.transfer, self.propagation);
        let mut story = Story {
            sender,
            receiver: Receiver::default(),
            record,
            log: Vec::new(),
            transit: BTreeMap::new(),
            counts: BTreeMap::new(),
            lose: self.lose,
            delay: self.delay,
        };
        story.run(end);
        story
    }
}

/// A message that was sent.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub at: Time,
    pub message: Message,
    pub lost: bool,
    /// The source's window after the event that sent it.
    pub cwnd: f64,
}

pub struct Story {
    pub sender: Sender,
    pub receiver: Receiver,
    pub record: Record,
    pub log: Vec<Entry>,
    transit: BTreeMap<(Time, usize), Message>,
    counts: BTreeMap<u8, u64>,
    lose: Lose,
    delay: Duration,
}

impl Story {
    fn run(&mut self, end: Time) {
        for _ in 0..1_000_000 {
            let arrival = self.transit.keys().next().map_or(Time::MAX, |key| key.0);
            let now = arrival.min(self.sender.next_wake());
            if now >= end {
                return;
            }
            if arrival == now {
                let (_, message) = self.transit.pop_first().unwrap();
                if message.kind.is_backward() {
                    self.sender.on_segment(now, &message);
                } else {
                    self.receiver.on_segment(now, &message);
                }
            } else {
                self.sender.on_timer(now);
            }
            while let Some(reply) = self.receiver.poll_transmit(now) {
                self.send(now, reply);
            }
            while let Some(message) = self.sender.poll_transmit(now) {
                self.send(now, message);
            }
        }
        panic!("the story has no end");
    }

    fn send(&mut self, now: Time, message: Message) {
        let count = self.counts.entry(message.kind as u8).or_default();
        *count += 1;
        let lost = (self.lose)(&message, *count);
        if !lost {
            self.transit.insert((now + self.delay, self.log.len()), message);
        }
        self.log.push(Entry { at: now, message, lost, cwnd: self.sender.cwnd() });
    }

    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Entry> {
        self.log.iter().filter(move |entry| entry.message.kind == kind)
    }

    /// Milliseconds at which messages of a kind were sent.
    pub fn times(&self, kind: Kind) -> Vec<u64> {
        self.of(kind).map(|entry| entry.at.as_nanos() / 1_000_000).collect()
    }

    pub fn sent(&self) -> usize {
        self.of(Kind::Data).count()
    }

    /// The calls the controller had.
    pub fn acks(&self) -> Vec<Ack> {
        let ack = |call| if let Call::Ack(ack) = call { Some(ack) } else { None };
        self.record.calls().into_iter().filter_map(ack).collect()
    }

    pub fn episodes(&self) -> Vec<Congestion> {
        self.record.episodes()
    }
}
