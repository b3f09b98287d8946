//! Delivery-rate samples and packet-timed round trips (draft-cheng-iccrg-delivery-rate-estimation).
//!
//! "Packets" stands for the unit that is counted: bytes, in a stack that counts bytes.

use ackclock_congestion::{LossSample, RateSample};
use ackclock_units::{PacketRate, Time};

/// The record of a segment's transmission: the time, and the state of the sampler at that time.
#[derive(Clone, Copy, Debug, Default)]
pub struct TxRecord {
    sent_at: Time,
    /// Packets delivered by then. Only differences matter, so it may wrap.
    delivered: u32,
    rate: RateState,
}

impl TxRecord {
    /// The record of a packet sent at `sent_at`, when this many had been delivered.
    #[inline]
    pub fn new(sent_at: Time, delivered: u32, rate: RateState) -> TxRecord {
        TxRecord { sent_at, delivered, rate }
    }

    /// When the packet was sent.
    #[inline]
    pub fn sent_at(&self) -> Time {
        self.sent_at
    }

    /// Packets delivered by then, wrapping.
    #[inline]
    pub fn delivered(&self) -> u32 {
        self.delivered
    }

    /// The state of the sampler that samples need.
    #[inline]
    pub fn rate(&self) -> RateState {
        self.rate
    }
}

/// The state of the sampler at the moment a segment was sent, for delivery-rate and loss samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct RateState {
    /// The time of the latest delivery.
    delivered_at: Time,
    /// The time at which the first packet of the flight that the segment ends was sent.
    first_sent_at: Time,
    /// Packets declared lost by then. Only differences matter, so it may wrap.
    lost: u32,
    /// Packets in flight, including the segment, and the bit [`APP_LIMITED`].
    in_flight: u32,
}

/// In [`RateState::in_flight`]: the application had less to send than the window allowed.
const APP_LIMITED: u32 = 1 << 31;

impl RateState {
    /// The state in which a packet was sent, for a driver that gets it from elsewhere: the kernel, for example, keeps
    /// it with its packets.
    pub fn new(
        delivered_at: Time,
        first_sent_at: Time,
        lost: u32,
        in_flight: u32,
        app_limited: bool,
    ) -> RateState {
        let limited = if app_limited { APP_LIMITED } else { 0 };
        RateState { delivered_at, first_sent_at, lost, in_flight: in_flight & !APP_LIMITED | limited }
    }

    fn in_flight(&self) -> u32 {
        self.in_flight & !APP_LIMITED
    }

    fn is_app_limited(&self) -> bool {
        self.in_flight & APP_LIMITED != 0
    }
}

/// The sampler of delivery rates and packet-timed round trips (draft-cheng-iccrg-delivery-rate-estimation).
///
/// The fields that are used without samples lie together, at the beginning.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct RateSampler {
    /// When the latest packet was delivered.
    delivered_at: Time,
    /// Packets delivered so far.
    delivered: u64,
    /// The round ends when a packet sent after this many deliveries is delivered.
    round_ends: u64,
    /// Rounds completed. No run fills 32 bits of them.
    round: u32,
    /// Packets declared lost so far. Only differences matter, so it may wrap.
    lost: u32,
    /// When the first packet of the present flight was sent.
    first_sent_at: Time,
    /// Packets sent before this many deliveries are application-limited.
    app_limited_until: u64,
}

impl Default for RateSampler {
    /// A connection begins with nothing to send, so its first flight is application-limited (draft-ietf-ccwg-bbr-06,
    /// 4.1.2.4).
    fn default() -> RateSampler {
        let mut sampler = RateSampler {
            delivered_at: Time::ZERO,
            delivered: 0,
            round_ends: 0,
            round: 0,
            first_sent_at: Time::ZERO,
            app_limited_until: 0,
            lost: 0,
        };
        sampler.mark_app_limited(0);
        sampler
    }
}

impl RateSampler {
    /// Restarts the clocks of the flight: the connection sends after a silence.
    pub fn restart(&mut self, now: Time) {
        self.first_sent_at = now;
        self.delivered_at = now;
    }

    /// The application has nothing more to send, with `in_flight` packets out (`MarkConnectionAppLimited`). Packets
    /// sent until more than those are delivered are application-limited. This holds with nothing in flight, too: then
    /// the application begins the next flight.
    pub fn mark_app_limited(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + u64::from(in_flight)).max(1) + 1;
    }

    /// Packets delivered so far.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// The record of a packet sent now; `in_flight` includes it.
    #[inline]
    pub fn record(&self, now: Time, in_flight: u32) -> TxRecord {
        let limited = self.delivered < self.app_limited_until;
        TxRecord {
            sent_at: now,
            delivered: self.delivered as u32,
            rate: RateState {
                delivered_at: self.delivered_at,
                first_sent_at: self.first_sent_at,
                lost: self.lost,
                in_flight: in_flight & !APP_LIMITED | if limited { APP_LIMITED } else { 0 },
            },
        }
    }

    /// The record of a packet sent now, if no samples are taken.
    #[inline]
    pub fn plain_record(&self, now: Time) -> TxRecord {
        TxRecord { sent_at: now, delivered: self.delivered as u32, rate: RateState::default() }
    }

    /// Round trips completed.
    #[inline]
    pub fn round(&self) -> u64 {
        u64::from(self.round)
    }

    /// Counts packets that were declared lost.
    #[inline]
    pub fn on_lost(&mut self, packets: u32) {
        self.lost = self.lost.wrapping_add(packets);
    }

    /// The facts of a packet declared lost that was sent in this state.
    pub fn loss_sample(&self, sent: &RateState) -> LossSample {
        LossSample {
            tx_in_flight: f64::from(sent.in_flight()),
            lost: self.lost_since(sent),
            app_limited: sent.is_app_limited(),
        }
    }

    /// Packets declared lost since a packet was sent in this state.
    fn lost_since(&self, sent: &RateState) -> f64 {
        f64::from(self.lost.wrapping_sub(sent.lost))
    }

    /// `newest` is the latest-sent of the packets that arrived. Returns how many had been delivered when it was sent.
    #[inline]
    fn advance(&mut self, packets: u32, newest: &TxRecord) -> u64 {
        let since = (self.delivered as u32).wrapping_sub(newest.delivered);
        let before = self.delivered - u64::from(since);
        self.delivered += u64::from(packets);
        if before >= self.round_ends {
            self.round += 1;
            self.round_ends = self.delivered;
        }
        before
    }

    /// Takes packets that arrived at the receiver; `newest` is the latest-sent of them that is known. Returns a
    /// sample of the rate if the controller uses samples (`sampled`). The sample does not include losses shown by the
    /// same acknowledgment.
    #[inline]
    pub fn update(
        &mut self,
        now: Time,
        packets: u32,
        newest: Option<&TxRecord>,
        sampled: bool,
    ) -> Option<RateSample> {
        if packets == 0 {
            return None;
        }
        self.delivered_at = now;
        let Some(sent) = newest else {
            self.delivered += u64::from(packets);
            return None;
        };
        let before = self.advance(packets, sent);
        if sampled { self.sample(now, before, sent) } else { None }
    }

    fn sample(&mut self, now: Time, before: u64, sent: &TxRecord) -> Option<RateSample> {
        let state = &sent.rate;
        self.first_sent_at = sent.sent_at;
        let sending = sent.sent_at.since(state.first_sent_at);
        let interval = sending.max(now.since(state.delivered_at));
        if interval.is_zero() {
            return None;
        }
        let delivered = (self.delivered - before) as f64;
        Some(RateSample {
            rate: PacketRate(delivered / interval.as_secs_f64()),
            app_limited: state.is_app_limited(),
            interval,
            delivered,
            prior_delivered: before as f64,
            lost: self.lost_since(state),
            tx_in_flight: f64::from(state.in_flight()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_limited(sampler: &RateSampler) -> bool {
        sampler.record(Time::ZERO, 1).rate.is_app_limited()
    }

    /// Packets that were sent when `delivered` had arrived are delivered.
    fn deliver(sampler: &mut RateSampler, packets: u32) {
        let sent = sampler.record(Time::ZERO, packets);
        sampler.update(Time::from_nanos(1), packets, Some(&sent), true);
    }

    /// draft-ietf-ccwg-bbr-06, 4.1.2.4: `C.app_limited` is what was delivered and is in flight, or one; a packet is
    /// application-limited until more than that is delivered.
    #[test]
    fn what_is_sent_after_the_application_ran_dry_is_application_limited() {
        let mut sampler = RateSampler::default();
        assert!(is_limited(&sampler), "a connection begins with nothing to send");
        deliver(&mut sampler, 10);
        assert!(!is_limited(&sampler));
        sampler.mark_app_limited(0);
        assert!(is_limited(&sampler), "all is acknowledged, and the next flight begins with the application");
        deliver(&mut sampler, 1);
        assert!(!is_limited(&sampler));
        sampler.mark_app_limited(5);
        deliver(&mut sampler, 5);
        assert!(is_limited(&sampler), "five of those in flight then are delivered, and no more");
        deliver(&mut sampler, 1);
        assert!(!is_limited(&sampler));
    }
}
