//! rLEDBAT (RFC 9840): the receiver measures the path by timestamps, and announces the window of LEDBAT++ where it is smaller than the
//! room in its buffer.
//!
//! Choices where the RFC is open:
//! - The window begins as the sender's, and not with the whole buffer, so that the first slow start is LEDBAT++'s.
//! - It grows while data arrives that used it up: without bound it would say nothing once the sender's own window is the smaller one.
//! - While data is missing, acknowledgments repeat the right edge, for a sender counts only those as duplicates (RFC 5681, 2).

use std::collections::VecDeque;

use ackclock_catalogue::{Entry, Key};
use ackclock_congestion::controllers::LedbatPlusPlus;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, Time};

use super::super::settings::{RtoSettings, Settings};
use super::super::{is_not_before, timestamp};
use super::rtt::RttEstimator;
use crate::wire::Header;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "rledbat",
    title: "the receiver runs LEDBAT++ and announces its window, so that any sender yields to others",
    source: "RFC 9840, 4",
    parameters: LedbatPlusPlus::PARAMETERS,
    table: "tcp",
    keys: &[Key::optional(
        "receiver_control",
        "\"rledbat\"",
        "the congestion control of the receiver, with its parameters; segments must carry timestamps",
    )],
    ..Entry::PLAIN
};

/// The window of a receiver, and the facts of the path by which it changes.
#[derive(Clone, Debug)]
pub(crate) struct ReceiverControl {
    controller: LedbatPlusPlus,
    mss: u32,
    rto: RtoSettings,
    rtt: RttEstimator,
    /// The acknowledgments that no data has echoed yet.
    announced: VecDeque<Announced>,
    /// The window of the latest acknowledgment.
    window: u64,
    /// The right edge that the sender knew when it sent the latest data.
    edge: u64,
    /// Round trips so far, and when the present one began: it ends with data that echoes a later acknowledgment.
    round: u64,
    round_began: Option<u32>,
    /// True if data reached the edge in this round trip, and in the one before.
    reaches: bool,
    reached: bool,
    /// The end of the highest data so far, and its timestamp (`RCV.HGH` and `TSV.HGH`).
    highest: (u64, u32),
    /// A round trip after the latest reduction for a loss.
    reduced_until: Time,
}

/// The window of an acknowledgment that was sent.
#[derive(Clone, Copy, Debug)]
struct Announced {
    timestamp: u32,
    /// The right edge of the window.
    edge: u64,
    /// The window is smaller than that before it: the sender may have to wait, and its answer measures no round trip (4.2.1.1).
    is_reduced: bool,
}

impl ReceiverControl {
    /// None if the settings leave the window to the buffer.
    pub fn of(settings: &Settings) -> Option<ReceiverControl> {
        let part = settings.receiver_control.as_ref()?;
        let start = Start { initial_window: settings.initial_window, ..Start::default() };
        Some(ReceiverControl {
            controller: LedbatPlusPlus::new(&part.values(), &start),
            mss: settings.mss.into(),
            rto: settings.rto,
            rtt: RttEstimator::new(&settings.rto),
            announced: VecDeque::new(),
            window: 0,
            edge: 0,
            round: 0,
            round_began: None,
            reaches: true,
            reached: true,
            highest: (0, 0),
            reduced_until: Time::ZERO,
        })
    }

    /// The window in bytes, of whole segments; at least one (RLWND).
    pub fn window(&self) -> u64 {
        self.controller.decision().cwnd.max(1.0) as u64 * u64::from(self.mss)
    }

    /// An acknowledgment of `next` that is sent now announces a window up to this right edge.
    pub fn on_ack_sent(&mut self, now: Time, next: u64, edge: u64) {
        let (timestamp, window) = (timestamp(now), edge - next);
        let is_reduced = window < std::mem::replace(&mut self.window, window);
        match self.announced.back_mut().filter(|latest| latest.timestamp == timestamp) {
            Some(latest) => {
                *latest = Announced { edge, is_reduced: latest.is_reduced || is_reduced, ..*latest }
            }
            None => self.announced.push_back(Announced { timestamp, edge, is_reduced }),
        }
    }

    /// Takes data that has arrived: `new` bytes for the first time.
    pub fn on_data(&mut self, now: Time, segment: &Header, new: u64) {
        let rtt = self.measure(now, segment);
        if self.is_retransmission(segment) && now >= self.reduced_until {
            self.reduced_until = now + self.rtt.srtt();
            let flight = self.controller.decision().cwnd;
            let event = Congestion { now, signal: Signal::Loss, flight, ..Congestion::default() };
            self.controller.on_congestion(&event);
        }
        self.reaches |= segment.end() + u64::from(self.mss) > self.edge;
        self.controller.on_ack(&Ack {
            now,
            delivered: new as f64 / f64::from(self.mss),
            rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min_rtt(),
            round: self.round,
            suspended: now < self.reduced_until,
            advanced: new > 0,
            window_limited: self.reaches || self.reached,
            ..Ack::default()
        });
    }

    /// The round-trip time that data measures if it is the first to echo a timestamp (4.2.1): since the acknowledgment with this
    /// timestamp was sent.
    fn measure(&mut self, now: Time, segment: &Header) -> Option<Duration> {
        let echo = segment.timestamps.echo;
        let mut answered = None;
        while let Some(sent) = self.announced.pop_front_if(|sent| is_echoed(sent.timestamp, echo)) {
            self.edge = sent.edge;
            answered = Some(sent);
        }
        let answered = answered.filter(|sent| sent.timestamp == echo)?;
        if self.round_began.is_none_or(|began| is_not_before(echo, began)) {
            self.round += 1;
            self.round_began = Some(timestamp(now));
            (self.reached, self.reaches) = (self.reaches, false);
        }
        if answered.is_reduced {
            return None;
        }
        let rtt = Duration::from_micros(timestamp(now).wrapping_sub(echo).max(1).into());
        self.rtt.sample(rtt, 1, &self.rto);
        Some(rtt)
    }

    /// 4.3: data below the highest was sent again if it was sent later; data that the highest has overtaken was sent earlier.
    fn is_retransmission(&mut self, segment: &Header) -> bool {
        let (end, sent) = self.highest;
        if segment.end() > end {
            self.highest = (segment.end(), segment.timestamps.value);
            return false;
        }
        !is_not_before(sent, segment.timestamps.value)
    }
}

/// True if data with this echo was sent after an acknowledgment with this timestamp had arrived. Data before any has no echo, 0.
fn is_echoed(timestamp: u32, echo: u32) -> bool {
    echo != 0 && is_not_before(echo, timestamp)
}

#[cfg(test)]
mod tests {
    use ackclock_catalogue::Part;

    use super::*;
    use crate::wire::Timestamps;

    /// An acknowledgment at 10 ms announces three segments, another at 20 ms two: data at 70 ms that echoes the first measures 60 ms, and
    /// data at 200 ms that echoes the second nothing, for the sender may have waited. An echo is measured once.
    #[test]
    fn an_acknowledgment_that_reduces_the_window_measures_nothing() {
        let part = Some(Part::of(&super::super::RECEIVER_CONTROLS[0]));
        let mut control =
            ReceiverControl::of(&Settings { receiver_control: part, ..Settings::default() }).unwrap();
        let at = |millis| Time::ZERO + Duration::from_millis(millis);
        control.on_ack_sent(at(10), 1, 4381);
        control.on_ack_sent(at(20), 1461, 4381);
        let mut measure = |millis, echo| {
            let timestamps = Timestamps { value: 0, echo };
            control.measure(at(millis), &Header { timestamps, ..Header::default() })
        };
        assert_eq!(measure(70, 10_000), Some(Duration::from_millis(60)));
        assert_eq!(measure(71, 10_000), None);
        assert_eq!(measure(200, 20_000), None);
        assert_eq!(control.rtt.srtt(), Duration::from_millis(60));
    }
}
