//! rLEDBAT (RFC 9840): the receiver measures the path by timestamps, and announces the window of LEDBAT++ where it is smaller than the
//! room in its buffer.
//!
//! Choices where the RFC is open:
//! - The window begins as the sender's, and not with the whole buffer, so that the first slow start is LEDBAT++'s.
//!
//! The RFC is silent on these:
//! - The window grows while data arrives that used it up: without bound it would say nothing once the sender's own window is the smaller one.
//! - While data is missing, acknowledgments repeat the right edge, for a sender counts only those as duplicates (RFC 5681, 2).
//! - An echo of 0, and one of a timestamp that was never sent, measures nothing.

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
    /// The window of the latest acknowledgment; before any, the one with which the connection begins.
    window: u64,
    /// The right edge that the sender knew when it sent the latest data.
    edge: u64,
    /// Round trips so far, and when the present one began: it ends with data that echoes a later acknowledgment.
    round: u64,
    round_began: Option<u32>,
    /// True if data reached the edge in this round trip, and in the one before.
    reaches: bool,
    reached: bool,
    /// The end of the highest data so far, one above `RCV.HGH`, and its timestamp (`TSV.HGH`).
    highest: (u64, u32),
    /// A round trip after the latest reduction for a loss.
    reduced_until: Time,
}

/// The window of an acknowledgment that was sent.
#[derive(Clone, Copy, Debug)]
struct Announced {
    timestamp: u32,
    /// When the first with this timestamp was sent.
    at: Time,
    /// The right edge of the window.
    edge: u64,
    /// A window with this timestamp is smaller than that before it: the sender may have to wait, and its answer measures no round trip (4.2.1.1).
    is_reduced: bool,
}

impl ReceiverControl {
    /// None if the settings leave the window to the buffer.
    pub fn of(settings: &Settings) -> Option<ReceiverControl> {
        let part = settings.receiver_control.as_ref()?;
        let mss = u32::from(settings.mss);
        let start = Start { initial_window: settings.initial_window, ..Start::default() };
        Some(ReceiverControl {
            controller: LedbatPlusPlus::new(&part.values(), &start),
            mss,
            rto: settings.rto,
            rtt: RttEstimator::new(&settings.rto),
            announced: VecDeque::new(),
            window: u64::from(settings.first_window() / mss).max(1) * u64::from(mss),
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
            None => self.announced.push_back(Announced { timestamp, at: now, edge, is_reduced }),
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

    /// The round-trip time that data measures if it is the first to echo a timestamp (4.2.1): since the first acknowledgment with this
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
        let rtt = now.since(answered.at);
        self.rtt.sample(rtt, 1, &self.rto);
        Some(rtt)
    }

    /// 4.3: data from below the highest byte was sent again if it was sent later; data that the highest has overtaken was sent earlier.
    fn is_retransmission(&mut self, segment: &Header) -> bool {
        let (end, sent) = self.highest;
        if segment.end() > end {
            self.highest = (segment.end(), segment.timestamps.value);
        }
        segment.sequence + 1 < end && !is_not_before(sent, segment.timestamps.value)
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

    fn control() -> ReceiverControl {
        let part = Some(Part::of(&super::super::RECEIVER_CONTROLS[0]));
        ReceiverControl::of(&Settings { receiver_control: part, ..Settings::default() }).unwrap()
    }

    fn at_micros(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    /// An acknowledgment at 10 ms announces ten segments, as at the beginning, another at 20 ms nine: data at 70 ms that echoes the first measures 60 ms, and
    /// data at 200 ms that echoes the second nothing, for the sender may have waited. An echo is measured once.
    #[test]
    fn an_acknowledgment_that_reduces_the_window_measures_nothing() {
        let mut control = control();
        let at = |millis: u64| at_micros(1000 * millis);
        control.on_ack_sent(at(10), 1, 14_601);
        control.on_ack_sent(at(20), 1461, 14_601);
        let mut measure = |millis, echo| {
            let timestamps = Timestamps { value: 0, echo };
            control.measure(at(millis), &Header { timestamps, ..Header::default() })
        };
        assert_eq!(measure(70, 10_000), Some(Duration::from_millis(60)));
        assert_eq!(measure(71, 10_000), None);
        assert_eq!(measure(200, 20_000), None);
        assert_eq!(control.rtt.srtt(), Duration::from_millis(60));
    }

    /// The first segment arrives, and the one after it is missing: the right edge of the beginning stays, which leaves nine segments.
    #[test]
    fn the_first_acknowledgment_may_reduce_the_window_of_the_beginning() {
        let mut control = control();
        control.on_ack_sent(at_micros(10), 1461, 14_601);
        let timestamps = Timestamps { value: 0, echo: 10 };
        assert_eq!(control.measure(at_micros(50_010), &Header { timestamps, ..Header::default() }), None);
    }

    /// Two acknowledgments leave within a microsecond, at 300 and at 900 ns, so that they have one timestamp: a round trip begins
    /// with the first. If the second reduces the window, it measures nothing.
    #[test]
    fn a_timestamp_is_as_old_as_the_first_acknowledgment_with_it() {
        for (edge, rtt) in [(14_601, Some(Duration::from_nanos(50_000_100))), (13_141, None)] {
            let mut control = control();
            control.on_ack_sent(at_micros(10) + Duration::from_nanos(300), 1, 14_601);
            control.on_ack_sent(at_micros(10) + Duration::from_nanos(900), 1, edge);
            let timestamps = Timestamps { value: 0, echo: 10 };
            let now = at_micros(50_010) + Duration::from_nanos(400);
            assert_eq!(control.measure(now, &Header { timestamps, ..Header::default() }), rtt);
        }
    }

    /// 4.3: SEG.SEQ < RCV.HGH, with a later timestamp. Bytes 1 to 100 were sent at 5. A segment that begins below the last of them and
    /// carries new data was sent again; then byte 300 is the highest, and 8 its time.
    #[test]
    fn a_retransmission_may_carry_new_data() {
        let mut control = control();
        let mut is_again = |sequence, length, value| {
            let timestamps = Timestamps { value, echo: 0 };
            control.is_retransmission(&Header { sequence, timestamps, length, ..Header::default() })
        };
        assert!(!is_again(1, 100, 5));
        assert!(!is_again(51, 50, 5), "sent at the same time");
        assert!(!is_again(100, 1, 6), "the highest byte is not below itself");
        assert!(is_again(51, 250, 8));
        assert!(!is_again(51, 50, 8));
        assert!(!is_again(301, 100, 9), "new data alone");
    }
}
