//! Facts that every transport computes alike for its controller: samples of the delivery rate, packet-timed
//! round trips, and the suspension of growth in the round trip of an episode.

use ackclock_congestion::{LossSample, RateSample};
use ackclock_units::Time;

use crate::facts::{RateSampler, RateState, Suspension, TxRecord};

/// Packet-timed round trips, with the sampler and the suspension of growth.
#[derive(Default)]
#[repr(C)]
pub(super) struct Rounds {
    suspension: Suspension,
    sampler: RateSampler,
}

impl Rounds {
    /// Round trips completed.
    #[inline]
    pub fn round(&self) -> u64 {
        self.sampler.round()
    }

    /// Packets delivered so far.
    pub fn delivered(&self) -> u64 {
        self.sampler.delivered()
    }

    /// True if growth is suspended in this round trip.
    #[inline]
    pub fn is_suspended(&self) -> bool {
        self.suspension.applies(self.sampler.round())
    }

    /// Begins an episode: growth is suspended for this round trip. With a `restart`, slow start begins at
    /// once.
    #[inline]
    pub fn suspend(&mut self, restart: bool) {
        self.suspension.begin(self.sampler.round(), restart);
    }

    /// Lets the window grow at once: the latest episode was spurious, or a timeout ended it.
    pub fn resume(&mut self) {
        self.suspension.end();
    }

    /// The sender sends again after a silence.
    pub fn restart(&mut self, now: Time) {
        self.sampler.restart(now);
    }

    /// The application has nothing more to send, with `in_flight` packets out.
    pub fn mark_app_limited(&mut self, in_flight: u32) {
        self.sampler.mark_app_limited(in_flight);
    }

    /// The record of a packet sent now, while `in_network` others are in the network.
    #[inline]
    pub fn record(&self, now: Time, in_network: u32) -> TxRecord {
        self.sampler.record(now, in_network + 1)
    }

    /// The record of a packet sent now, if no samples are taken.
    #[inline]
    pub fn plain_record(&self, now: Time) -> TxRecord {
        self.sampler.plain_record(now)
    }

    /// Takes packets that arrived; `newest` is the record of the latest-sent. Returns a sample if the
    /// controller uses samples.
    #[inline]
    pub fn update(
        &mut self,
        now: Time,
        delivered: u32,
        newest: Option<&TxRecord>,
        sampled: bool,
    ) -> Option<RateSample> {
        self.sampler.update(now, delivered, newest, sampled)
    }

    /// Counts packets that were declared lost. Returns the facts of the latest.
    pub fn on_lost(&mut self, lost: u32, latest: Option<RateState>) -> Option<LossSample> {
        self.sampler.on_lost(lost);
        latest.map(|sent| self.sampler.loss_sample(&sent))
    }
}
