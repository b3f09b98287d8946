//! The receiving endpoint: which packets arrived and when, reported at intervals.

use std::collections::VecDeque;
use std::ops::Range;

use ackclock_units::{Duration, Time};

use super::feedback::{Feedback, Reception};
use super::memory_of;
use super::packet::Packet;
use crate::udp;

/// A packet counts as lost when one with a number this much higher has arrived, as in TCP (RFC 5681).
pub(super) const REORDERING: u64 = 3;

/// The most packets of a report: its numbers have 16 bits, and stay within a quarter of them (RFC 8888, 3.1).
const MOST: usize = 16_384;

/// A receiver of media.
#[derive(Clone, Debug)]
pub struct Receiver {
    interval: Duration,
    /// Tells copies from new packets, and counts these.
    arrivals: udp::Receiver,
    payload_bytes: u64,
    /// The first packet of the next report, and the reception of that and the following ones.
    begin: u64,
    packets: VecDeque<Reception>,
    /// When the next report is due; [`Time::MAX`] without news.
    deadline: Time,
    /// The earliest time for a report: an interval after the last.
    earliest: Time,
}

impl Receiver {
    /// A receiver that reports at this interval while packets come.
    pub fn new(interval: Duration) -> Receiver {
        Receiver {
            interval,
            arrivals: udp::Receiver::of_copies(),
            payload_bytes: 0,
            begin: 0,
            packets: VecDeque::new(),
            deadline: Time::MAX,
            earliest: Time::ZERO,
        }
    }

    /// Takes a packet that arrived; false if it has arrived before.
    pub fn on_packet(&mut self, now: Time, packet: &Packet) -> bool {
        if !self.arrivals.on_segment(now, &udp::Datagram { number: packet.sequence }) {
            return false;
        }
        self.payload_bytes += u64::from(packet.length);
        if let Some(place) = packet.sequence.checked_sub(self.begin) {
            let place = place as usize;
            if place >= self.packets.len() {
                self.packets.resize(place + 1, Reception::default());
            }
            self.packets[place] = Reception { arrived: Some(now), marked: packet.marked };
            self.deadline = self.deadline.min(self.earliest.max(now));
        }
        true
    }

    /// The time of the next report; [`Time::MAX`] for none.
    pub fn next_wake(&self) -> Time {
        self.deadline
    }

    /// The report that is due, if one is. The next one begins after it, or with the first packet that may still be late.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Feedback> {
        if now < self.deadline {
            return None;
        }
        let surplus = self.packets.len().saturating_sub(MOST);
        self.packets.drain(..surplus);
        self.begin += surplus as u64;
        let rounded = |packet: &Reception| Reception {
            arrived: packet.arrived.map(|arrived| Feedback::rounded(now, arrived)),
            ..*packet
        };
        let packets: Vec<Reception> = self.packets.iter().map(rounded).collect();
        let feedback = Feedback { sent_at: now, begin: self.begin, packets };
        self.deadline = Time::MAX;
        self.earliest = now + self.interval;
        let settled = self.settled();
        self.packets.drain(..settled);
        self.begin += settled as u64;
        Some(feedback)
    }

    /// The number of packets that need no further report. They end at the first that is missing and may still be late.
    fn settled(&self) -> usize {
        let all = self.packets.len();
        let from = all.saturating_sub(REORDERING as usize);
        (from..all).find(|place| self.packets[*place].arrived.is_none()).unwrap_or(all)
    }

    /// The memory beyond the receiver itself that a packet needs, to be prefetched.
    pub fn memory_beyond(&self) -> [Range<*const u8>; 2] {
        [memory_of(self.arrivals.latest()), memory_of(self.packets.back())]
    }

    /// Different packets that arrived.
    pub fn delivered(&self) -> u64 {
        self.arrivals.delivered()
    }

    /// Their payload bytes.
    pub fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    /// The arrival of the latest.
    pub fn delivered_at(&self) -> Time {
        self.arrivals.delivered_at()
    }
}
