use ackclock_congestion::RateSample;
use ackclock_units::{PacketRate, Time};

use super::retransmission_queue::{RateState, TxRecord};

/// RateSampler rate and packet-timed round trips (draft-cheng-iccrg-delivery-rate-estimation).
///
/// What is needed where no samples are taken lies together, at the beginning.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct RateSampler {
    /// When the latest packet was delivered.
    pub delivered_at: Time,
    /// Packets delivered so far.
    pub delivered: u64,
    /// The round ends when a packet sent after this many deliveries is delivered.
    round_ends: u64,
    /// Rounds completed.
    pub round: u64,
    /// When the first packet of the flight now being measured was sent.
    pub first_sent_at: Time,
    /// Until this many packets are delivered, samples are application-limited.
    app_limited_until: u64,
    /// Packets declared lost so far. Only differences count, so that it may wrap.
    pub lost: u32,
    /// Whether the controller learns from samples.
    sampled: bool,
}

impl RateSampler {
    /// Nothing delivered yet.
    pub fn new(sampled: bool) -> RateSampler {
        RateSampler { sampled, ..RateSampler::default() }
    }

    /// The connection sends out of silence: the clocks of the flight start now.
    pub fn restart(&mut self, now: Time) {
        self.first_sent_at = now;
        self.delivered_at = now;
    }

    /// The application has nothing more to send, with `in_flight` packets out.
    pub fn mark_app_limited(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + u64::from(in_flight)).max(1);
    }

    /// What a packet sent now remembers, with which there are `in_flight`.
    #[inline]
    pub fn stamp(&self, now: Time, in_flight: u32) -> TxRecord {
        let limited = self.delivered < self.app_limited_until;
        TxRecord {
            sent_at: now,
            delivered: self.delivered as u32,
            conditions: RateState::new(self.delivered_at, self.first_sent_at, self.lost, in_flight, limited),
        }
    }

    /// Packets declared lost since a packet was sent under these conditions.
    pub fn lost_since(&self, sent: &RateState) -> f64 {
        f64::from(self.lost.wrapping_sub(sent.lost))
    }

    /// `newest` is the latest-sent of the packets that arrived. Gives how many had been delivered when it was sent.
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

    /// Packets arrived at the receiver: `newest` is the latest-sent of them that is known. Gives a sample of the rate,
    /// where the controller learns from it; the losses that the same acknowledgment shows are not in it yet.
    #[inline]
    pub fn update(&mut self, now: Time, packets: u32, newest: Option<&TxRecord>) -> Option<RateSample> {
        if packets == 0 {
            return None;
        }
        self.delivered_at = now;
        let Some(sent) = newest else {
            self.delivered += u64::from(packets);
            return None;
        };
        let before = self.advance(packets, sent);
        if self.sampled { self.sample(now, before, sent) } else { None }
    }

    fn sample(&mut self, now: Time, before: u64, sent: &TxRecord) -> Option<RateSample> {
        let conditions = &sent.conditions;
        self.first_sent_at = sent.sent_at;
        let sending = sent.sent_at.since(conditions.first_sent_at);
        let interval = sending.max(now.since(conditions.delivered_at));
        if interval.is_zero() {
            return None;
        }
        let delivered = (self.delivered - before) as f64;
        Some(RateSample {
            rate: PacketRate(delivered / interval.as_secs_f64()),
            app_limited: conditions.is_app_limited(),
            interval,
            delivered,
            prior_delivered: before as f64,
            lost: self.lost_since(conditions),
            tx_in_flight: f64::from(conditions.in_flight()),
        })
    }
}
