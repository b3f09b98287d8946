use ackclock_congestion::RateSample;
use ackclock_units::{PacketRate, Time};

use super::flight::Stamp;

/// Delivery rate and packet-timed round trips (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivery {
    /// Packets delivered so far.
    pub delivered: u64,
    /// When the latest was.
    pub delivered_at: Time,
    /// When the first packet of the flight now being measured was sent.
    pub first_sent_at: Time,
    /// Until this many packets are delivered, samples are application-limited.
    app_limited_until: u64,
    /// The round ends when a packet sent after this many deliveries is delivered.
    round_ends: u64,
    /// Rounds completed.
    pub round: u64,
}

impl Delivery {
    /// The connection sends out of silence: the clocks of the flight start now.
    pub fn restart(&mut self, now: Time) {
        self.first_sent_at = now;
        self.delivered_at = now;
    }

    /// The application has nothing more to send, with `in_flight` packets out.
    pub fn mark_app_limited(&mut self, in_flight: u32) {
        self.app_limited_until = (self.delivered + u64::from(in_flight)).max(1);
    }

    /// What a packet sent now remembers.
    pub fn stamp(&self, now: Time) -> Stamp {
        Stamp {
            sent_at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.delivered < self.app_limited_until,
        }
    }

    /// Packets arrived at the receiver: `newest` is the latest-sent of them that is known.
    pub fn update(&mut self, now: Time, packets: u64, newest: Option<&Stamp>) -> Option<RateSample> {
        if packets == 0 {
            return None;
        }
        self.delivered += packets;
        self.delivered_at = now;
        let sent = newest?;
        if sent.delivered >= self.round_ends {
            self.round += 1;
            self.round_ends = self.delivered;
        }
        self.first_sent_at = sent.sent_at;
        let interval = sent.sent_at.since(sent.first_sent_at).max(now.since(sent.delivered_at));
        if interval.is_zero() {
            return None;
        }
        let rate = (self.delivered - sent.delivered) as f64 / interval.as_secs_f64();
        Some(RateSample { rate: PacketRate(rate), app_limited: sent.app_limited })
    }
}
