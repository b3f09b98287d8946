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
    /// Packets declared lost so far. Only differences count, so that it may wrap.
    pub lost: u32,
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

    /// What a packet sent now remembers, with which there are `in_flight`.
    pub fn stamp(&self, now: Time, in_flight: u32) -> Stamp {
        let mut stamp = Stamp::default();
        stamp.sent_at = now;
        stamp.delivered = self.delivered;
        stamp.delivered_at = self.delivered_at;
        stamp.first_sent_at = self.first_sent_at;
        stamp.lost = self.lost;
        stamp.set(in_flight, self.delivered < self.app_limited_until);
        stamp
    }

    /// Packets declared lost since a packet with this stamp was sent.
    pub fn lost_since(&self, sent: &Stamp) -> f64 {
        f64::from(self.lost.wrapping_sub(sent.lost))
    }

    /// Packets arrived at the receiver: `newest` is the latest-sent of them that is known. The losses that the same
    /// acknowledgement shows are not in the sample yet.
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
        let delivered = (self.delivered - sent.delivered) as f64;
        Some(RateSample {
            rate: PacketRate(delivered / interval.as_secs_f64()),
            app_limited: sent.is_app_limited(),
            interval,
            delivered,
            prior_delivered: sent.delivered as f64,
            lost: self.lost_since(sent),
            tx_in_flight: f64::from(sent.in_flight()),
        })
    }
}
