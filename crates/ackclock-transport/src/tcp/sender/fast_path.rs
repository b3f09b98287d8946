//! Header prediction (Jacobson; RFC 1323, appendix A): nearly every acknowledgment covers new data, while nothing is
//! lost or out of order, and nearly every segment sent is a full one of new data. Both change little state. This file
//! makes these changes directly, with the same results as `endpoint/ack.rs` and `endpoint/transmit.rs`.
//!
//! Most of the conditions are evaluated once, when everything has been sent that may be. Header prediction then applies
//! until anything but a predicted acknowledgment arrives. It is compiled twice: for senders that only the window holds
//! back, which is the usual case, and for senders that take samples, pace, negotiated ECN or judge losses by sending
//! times.

use std::ops::Deref;

use ackclock_congestion::Ack;
use ackclock_units::Time;

use super::life::PendingControl;
use super::stream::NextSegment;
use super::{Prediction, Sender};
use crate::wire::{Flags, Header, Segment};

/// The most segments that an acknowledgment usually releases, when only the window holds the sender back.
const USUAL_BURST: u32 = 16;

/// A segment that a sender transmits, by its kind. Nearly all are full segments of new data, which pass from here to the
/// network in registers.
///
/// The tag is a byte of its own: as a niche of `Way` it would be read from memory even when it is known.
///
/// Exhaustive: the driver of a connection sends every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Transmission {
    /// A full segment of new data, sent by header prediction.
    Full(Header),
    /// Any other segment.
    Other(Header),
}

impl Deref for Transmission {
    type Target = Header;

    #[inline]
    fn deref(&self) -> &Header {
        let (Transmission::Full(header) | Transmission::Other(header)) = self;
        header
    }
}

impl From<Transmission> for Segment {
    fn from(transmission: Transmission) -> Segment {
        Segment::from(*transmission)
    }
}

/// The driver of a sender, which carries its segments into the network. Best a pair of references, which pass in
/// registers.
pub trait Driver {
    /// The sender.
    fn sender(&mut self) -> &mut Sender;

    /// Sends a segment of the sender now.
    fn send(&mut self, transmission: Transmission);

    /// Charges the work of a call, if it is more than usual: the segments sent, and the steps of long walks since the
    /// last call.
    fn charge(&mut self, segments: u32, walked: u32);
}

/// The next segment of a sender to which header prediction applies.
enum Predicted {
    /// A full segment of new data. Header prediction continues to apply.
    Full(NextSegment),
    /// The window releases no more segments, or pacing none yet.
    Blocked,
    /// The next segment is not full, or is the first after a silence: header prediction has ended.
    Other,
}

/// Sends all that a sender may send now, but at most about `most` segments, so that the work of a call does not depend
/// on the window. Returns false if there is more to send.
#[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
#[inline(always)]
pub fn transmit<D: Driver>(mut driver: D, now: Time, most: u32) -> bool {
    for _ in 0..USUAL_BURST {
        let sender = driver.sender();
        if sender.prediction != Prediction::Window {
            break;
        }
        match sender.next_predicted(now) {
            Predicted::Full(segment) => {
                let header = sender.endpoint.header(now, &segment);
                driver.send(Transmission::Full(header));
            }
            Predicted::Blocked => return true,
            Predicted::Other => return transmit_after_prediction(driver, now, most),
        }
    }
    let sender = driver.sender();
    if sender.prediction == Prediction::Full && !sender.marks {
        transmit_fully_predicted(driver, now, most)
    } else {
        transmit_any(driver, now, most)
    }
}

/// [`transmit`] for a sender to which header prediction applies and which may be paced: most acknowledgments find it
/// waiting for its next departure.
#[inline(never)]
fn transmit_fully_predicted<D: Driver>(mut driver: D, now: Time, most: u32) -> bool {
    for segments in 0..most {
        let sender = driver.sender();
        match sender.next_fully_predicted(now) {
            Predicted::Full(segment) => {
                let header = sender.endpoint.header(now, &segment);
                driver.send(Transmission::Full(header));
            }
            Predicted::Blocked => {
                if segments > USUAL_BURST {
                    driver.charge(segments, 0);
                }
                return true;
            }
            Predicted::Other => {
                driver.charge(segments, 0);
                return transmit_after_prediction(driver, now, most);
            }
        }
    }
    driver.charge(most, 0);
    false
}

/// [`transmit`] for a sender that has just left the fast path.
#[inline(never)]
fn transmit_after_prediction<D: Driver>(mut driver: D, now: Time, most: u32) -> bool {
    let Some(header) = driver.sender().next_after_prediction(now) else { return true };
    driver.send(Transmission::Other(header));
    transmit_any(driver, now, most)
}

/// [`transmit`] for a sender to which header prediction does not apply, or which has much to send.
#[inline(never)]
fn transmit_any<D: Driver>(mut driver: D, now: Time, most: u32) -> bool {
    for segments in 0..most {
        let sender = driver.sender();
        let Some(mut transmission) = sender.poll_transmit(now) else {
            let walked = sender.take_walked();
            if walked > 0 || segments > USUAL_BURST {
                driver.charge(segments, walked);
            }
            return true;
        };
        if sender.marks {
            transmission = Transmission::Other(sender.endpoint.marked(*transmission));
        }
        driver.send(transmission);
    }
    let walked = driver.sender().take_walked();
    driver.charge(most, walked);
    false
}

impl Sender {
    /// True if no loss is known or suspected, and an acknowledgment of new data only resets the recovery's count of
    /// duplicates.
    #[expect(clippy::inline_always, reason = "most senders are not, by the first condition")]
    #[inline(always)]
    fn is_predictable(&self) -> bool {
        let signals = &self.endpoint.signals;
        self.endpoint.loss.is_at_rest()
            && self.endpoint.life.is_established()
            && signals.is_judged()
            && self.may_predict
            && !signals.ecn().is_accurate()
    }

    /// How far header prediction applies, now that everything is sent that may be. It applies if no duplicates are
    /// counted and only new data can be due. Predicted acknowledgments do not change this until the transfer is over.
    #[inline]
    fn predict(&self) -> Prediction {
        if self.is_predictable() { self.predict_at_rest() } else { Prediction::None }
    }

    #[inline(never)]
    fn predict_at_rest(&self) -> Prediction {
        let (recovery, life) = (self.endpoint.loss.recovery(), &self.endpoint.life);
        let needs = recovery.needs();
        let applies = recovery.is_undisturbed()
            && !needs.full_rtt_gain
            && life.pending() == PendingControl::Nothing
            && !life.is_finished();
        let has_ecn = self.endpoint.signals.ecn().is_agreed();
        let by_window = self.endpoint.window.decides_alone() && !needs.send_times && !has_ecn;
        match (applies, by_window) {
            (false, _) => Prediction::None,
            (true, true) => Prediction::Window,
            (true, false) => Prediction::Full,
        }
    }

    /// Takes a segment by header prediction. Returns false and does nothing if prediction does not apply.
    #[expect(clippy::inline_always, reason = "as for `on_predicted`")]
    #[inline(always)]
    pub(super) fn takes_predicted(&mut self, now: Time, header: &Header) -> bool {
        if self.prediction == Prediction::Window {
            self.on_predicted(now, header, Prediction::Window)
        } else {
            self.on_fully_predicted(now, header)
        }
    }

    /// [`on_predicted`](Self::on_predicted) for any sender.
    #[inline(never)]
    fn on_fully_predicted(&mut self, now: Time, header: &Header) -> bool {
        (self.prediction.applies() || self.is_predictable())
            && self.on_predicted(now, header, Prediction::Full)
    }

    /// Takes a predicted acknowledgment. Returns false and does nothing if it is another segment.
    #[expect(clippy::inline_always, reason = "once for each kind of prediction")]
    #[inline(always)]
    fn on_predicted(&mut self, now: Time, header: &Header, prediction: Prediction) -> bool {
        if header.flags != Flags::ACK {
            return false;
        }
        let is_full = prediction == Prediction::Full;
        let endpoint = &mut self.endpoint;
        let acknowledged = endpoint.loss.acknowledge_plain(now, header.acknowledgment, is_full);
        let Some((covered, newest)) = acknowledged else { return false };
        endpoint.window.note_flight(endpoint.loss.queue().outstanding() + covered);
        // A sender on the fast path has not finished.
        let applies = !is_full || self.prediction.applies();
        endpoint.window.integrate(now, if applies { now } else { endpoint.life.until(now) });
        endpoint.stream.set_window(header.window);
        endpoint.stream.set_echo(header.timestamps.value);
        let undivided = is_full && endpoint.loss.recovery().needs().full_rtt_gain;
        let rtt = endpoint.rtt_of(now, header, newest.sent_at());
        let rtt = Some(endpoint.take_rtt(rtt, covered, true, undivided));
        let sampled = is_full && !endpoint.window.decides_alone();
        let rate = endpoint.rounds.update(now, covered, Some(&newest), sampled);
        endpoint.restart_rto(now);
        if is_full && endpoint.loss.recovery().needs().send_times {
            endpoint.schedule_probe(now);
        }
        let (window_limited, largest_flight) = endpoint.growth();
        let decision = endpoint.window.on_ack(&Ack {
            now,
            delivered: f64::from(covered),
            in_flight: f64::from(endpoint.loss.in_network_at_rest()),
            rtt,
            srtt: endpoint.clock.rtt().srtt(),
            min_rtt: endpoint.clock.rtt().min_rtt(),
            round: endpoint.rounds.round(),
            suspended: endpoint.rounds.is_suspended(),
            advanced: true,
            window_limited,
            largest_flight,
            rate,
            ..Ack::default()
        });
        if is_full {
            endpoint.apply_decision(now, &decision);
        } else {
            endpoint.window.apply(&decision);
        }
        if endpoint.note_finish(now) {
            self.prediction = Prediction::None;
        }
        true
    }

    /// The next segment to send now, if there is one; it never carries selective acknowledgments.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Transmission> {
        let predicted = match self.prediction {
            Prediction::None => return self.next_segment(now).map(Transmission::Other),
            Prediction::Window => self.next_predicted(now),
            Prediction::Full => self.next_fully_predicted(now),
        };
        match predicted {
            Predicted::Full(segment) => Some(Transmission::Full(self.endpoint.header(now, &segment))),
            Predicted::Blocked => None,
            Predicted::Other => self.next_after_prediction(now).map(Transmission::Other),
        }
    }

    /// The next segment of a sender that has just left the fast path.
    #[inline(never)]
    fn next_after_prediction(&mut self, now: Time) -> Option<Header> {
        self.next_segment(now)
    }

    /// The next segment of any sender. If there is none, the sender may be on the fast path from then on.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    fn next_segment(&mut self, now: Time) -> Option<Header> {
        let segment = self.examined().choose_segment(now);
        if segment.is_none() {
            self.prediction = self.predict();
        }
        segment.map(|segment| self.endpoint.header(now, &segment))
    }

    /// The end of the next segment if it is full and not the first after a silence; otherwise header prediction has
    /// ended.
    #[inline]
    fn end_of_predicted(&self) -> Option<u64> {
        let (stream, queue) = (&self.endpoint.stream, self.endpoint.loss.queue());
        if queue.is_empty() { None } else { stream.end_of_full(self.endpoint.settings.mss, queue.una()) }
    }

    /// True if the window has room for another segment; otherwise the sender waits for room.
    #[inline]
    fn window_fits(&mut self) -> bool {
        let fits = self.endpoint.window.fits(self.endpoint.loss.in_network_at_rest());
        if !fits {
            self.endpoint.stop(true);
        }
        fits
    }

    /// The next segment when only the window holds the sender back.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    fn next_predicted(&mut self, now: Time) -> Predicted {
        let Some(end) = self.end_of_predicted() else {
            self.prediction = Prediction::None;
            return Predicted::Other;
        };
        if !self.window_fits() {
            return Predicted::Blocked;
        }
        Predicted::Full(self.endpoint.send_full(now, end))
    }

    /// The next segment of any other sender to which header prediction applies.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    fn next_fully_predicted(&mut self, now: Time) -> Predicted {
        let Some(end) = self.end_of_predicted().filter(|_| self.endpoint.window.cwnd() >= 1.0) else {
            self.prediction = Prediction::None;
            return Predicted::Other;
        };
        self.endpoint.pacing.clear();
        if !self.window_fits() {
            return Predicted::Blocked;
        }
        if self.endpoint.pacing.holds_back(now, None) {
            self.endpoint.pause();
            return Predicted::Blocked;
        }
        let in_network = self.endpoint.loss.in_network_at_rest();
        Predicted::Full(self.endpoint.send_full_of_any(now, end, in_network))
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;
    use std::ops::Range;

    use super::super::endpoint::Endpoint;
    use super::*;

    /// From the first field that header prediction touches to the last.
    #[test]
    fn header_prediction_touches_five_cache_lines() {
        let Range { start, end } = Sender::NEEDED;
        assert!(start == 0 && end <= 5 * 64, "from {start} to {end}");
        assert!(offset_of!(Sender, endpoint) + offset_of!(Endpoint, life) >= end);
        assert!(offset_of!(Sender, prediction) < end);
    }
}
