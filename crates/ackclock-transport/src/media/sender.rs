//! The sending endpoint: frames in packets, spaced by a pacer, and the congestion control.

use std::collections::VecDeque;
use std::ops::Range;

use ackclock_congestion::media::{MediaControl, MediaDecision, MediaFrame, MediaReport, PacketFate};
use ackclock_units::{Duration, Time};

use super::feedback::Feedback;
use super::memory_of;
use super::packet::{HEADERS, Packet};
use super::receiver::REORDERING;

/// A packet sent this long ago no longer counts as in flight: if all reports are lost, the window opens again.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(1);

/// A packet that waits for the pacer.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    frame: u32,
    place: u16,
    packets: u16,
    length: u16,
    captured: Time,
}

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
struct Sent {
    size: u32,
    at: Time,
    /// All bytes on the wire up to the end of this packet.
    end: u64,
}

/// A sender of media: its driver writes frames, polls packets, and hands over feedback.
pub struct Sender {
    /// The largest packet on the wire, in bytes.
    mss: u32,
    controller: Box<dyn MediaControl>,
    decision: MediaDecision,
    waiting: VecDeque<Waiting>,
    waiting_bytes: u64,
    /// The pacer lets the next packet leave from then on.
    due: Time,
    /// The first packet of `sent`: earlier ones are told, or will never be.
    begin: u64,
    sent: VecDeque<Sent>,
    next_sequence: u64,
    sent_bytes: u64,
    /// The bytes up to the end of the highest packet that arrived.
    arrived_bytes: u64,
    most_in_flight: u64,
    /// The first packet that still counts as in flight.
    counted: u64,
    /// The fates of the latest report, kept to reuse its memory.
    fates: Vec<PacketFate>,
    rtt: Rtt,
}

/// Round-trip times of reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rtt {
    /// The latest; zero before the first.
    pub latest: Duration,
    /// The smallest; zero before the first.
    pub least: Duration,
    /// The largest.
    pub most: Duration,
    /// The number of samples.
    pub samples: u64,
    /// Their sum.
    pub total: Duration,
}

impl Rtt {
    fn sample(&mut self, rtt: Duration) {
        self.latest = rtt;
        self.least = if self.samples == 0 { rtt } else { self.least.min(rtt) };
        self.most = self.most.max(rtt);
        self.samples += 1;
        self.total += rtt;
    }
}

impl Sender {
    /// A sender that has sent nothing yet, of packets of at most `mss` bytes on the wire.
    pub fn new(mss: u32, controller: Box<dyn MediaControl>) -> Sender {
        Sender {
            mss,
            decision: controller.decision(),
            controller,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            due: Time::ZERO,
            begin: 0,
            sent: VecDeque::new(),
            next_sequence: 0,
            sent_bytes: 0,
            arrived_bytes: 0,
            most_in_flight: 0,
            counted: 0,
            fates: Vec::new(),
            rtt: Rtt::default(),
        }
    }

    /// Takes a frame of this many bytes, headers included, and cuts it into packets of nearly equal size.
    pub fn write(&mut self, now: Time, frame: u32, bytes: u64) {
        let room = u64::from(self.mss - HEADERS);
        let packets = bytes.div_ceil(u64::from(self.mss)).clamp(1, u64::from(u16::MAX));
        let payload = bytes.saturating_sub(packets * u64::from(HEADERS)).clamp(packets, packets * room);
        let queued = self.waiting.front().map_or(Duration::ZERO, |oldest| now.since(oldest.captured));
        for place in 0..packets {
            let length = (payload * (place + 1) / packets - payload * place / packets) as u16;
            let (place, packets) = (place as u16, packets as u16);
            self.waiting.push_back(Waiting { frame, place, packets, length, captured: now });
            self.waiting_bytes += u64::from(u32::from(length) + HEADERS);
        }
        let size = payload + packets * u64::from(HEADERS);
        let frame = MediaFrame { now, size, queued, queued_bytes: self.waiting_bytes };
        self.decision = self.controller.on_frame(&frame);
    }

    /// The next packet that may leave now, if one may.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Packet> {
        let next = *self.waiting.front()?;
        let size = u32::from(next.length) + HEADERS;
        if now < self.due || !self.has_room(now, size) {
            return None;
        }
        self.waiting.pop_front();
        self.waiting_bytes -= u64::from(size);
        self.due = self.due.max(now) + self.spacing(size);
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        self.sent_bytes += u64::from(size);
        self.sent.push_back(Sent { size, at: now, end: self.sent_bytes });
        self.most_in_flight = self.most_in_flight.max(self.in_flight());
        let Waiting { frame, place, packets, length, captured } = next;
        Some(Packet { sequence, frame, place, packets, captured, length, marked: false })
    }

    /// The time until the packet after one of this size.
    fn spacing(&self, size: u32) -> Duration {
        Duration::from_secs_f64(8.0 * f64::from(size) / self.decision.pacing)
    }

    /// True if the window has room for a packet of this size.
    fn has_room(&mut self, now: Time, size: u32) -> bool {
        if self.decision.window.is_infinite() {
            return true;
        }
        self.forget(now);
        let in_flight = self.in_flight();
        in_flight == 0 || (in_flight + u64::from(size)) as f64 <= self.decision.window
    }

    /// Packets sent long ago no longer count as in flight.
    fn forget(&mut self, now: Time) {
        self.counted = self.counted.max(self.begin);
        while let Some(packet) = self.sent.get((self.counted - self.begin) as usize)
            && packet.at + FORGOTTEN_AFTER <= now
        {
            self.arrived_bytes = self.arrived_bytes.max(packet.end);
            self.counted += 1;
        }
    }

    /// Bytes sent after the highest packet that arrived.
    pub fn in_flight(&self) -> u64 {
        self.sent_bytes - self.arrived_bytes
    }

    /// The time at which the next packet may leave; [`Time::MAX`] if none waits. If the window holds it back, a report comes first or
    /// the oldest packet is forgotten.
    pub fn next_wake(&mut self, now: Time) -> Time {
        let Some(next) = self.waiting.front() else { return Time::MAX };
        let size = u32::from(next.length) + HEADERS;
        if self.has_room(now, size) {
            return self.due.max(now);
        }
        let oldest = self.sent.get((self.counted - self.begin) as usize);
        oldest.map_or(Time::MAX, |packet| packet.at + FORGOTTEN_AFTER)
    }

    /// Takes a report that arrived.
    pub fn on_feedback(&mut self, now: Time, feedback: &Feedback) {
        let Some((highest, arrived)) = feedback.highest() else { return };
        let mut rtt = None;
        if let Some(sent) = self.sent_packet(highest) {
            self.arrived_bytes = self.arrived_bytes.max(sent.end);
            let since_sent = now.since(sent.at);
            let sample = since_sent.saturating_sub(feedback.sent_at.since(arrived));
            self.rtt.sample(sample);
            rtt = Some(sample);
        }
        let mut fates = std::mem::take(&mut self.fates);
        fates.clear();
        // Packets before the range are of no report, and will not be.
        self.advance(feedback.begin.max(self.begin));
        for (sequence, packet) in (feedback.begin..).zip(&feedback.packets) {
            let is_lost = packet.arrived.is_none() && sequence + REORDERING <= highest;
            if sequence < self.begin {
                continue;
            }
            if packet.arrived.is_none() && !is_lost {
                break;
            }
            let Some(sent) = self.sent_packet(sequence) else { break };
            let (arrived, marked) = (packet.arrived, packet.marked);
            fates.push(PacketFate { sequence, size: sent.size, sent: sent.at, arrived, marked });
            self.advance(sequence + 1);
        }
        if !fates.is_empty() {
            let in_flight = self.in_flight();
            let most_in_flight = std::mem::replace(&mut self.most_in_flight, in_flight).max(in_flight);
            let report = MediaReport { now, packets: &fates, rtt, in_flight, most_in_flight };
            self.decision = self.controller.on_report(&report);
        }
        self.fates = fates;
    }

    fn sent_packet(&self, sequence: u64) -> Option<Sent> {
        let place = sequence.checked_sub(self.begin)?;
        self.sent.get(place as usize).copied()
    }

    /// Forgets the packets before this number.
    fn advance(&mut self, begin: u64) {
        let told = (begin.min(self.next_sequence) - self.begin) as usize;
        self.sent.drain(..told);
        self.begin += told as u64;
    }

    /// The memory beyond the sender itself that a packet or a report needs, to be prefetched.
    pub fn memory_beyond(&self) -> [Range<*const u8>; 4] {
        let (first, last) = (self.sent.front(), self.sent.back());
        [
            memory_of(Some(&*self.controller)),
            memory_of(self.waiting.front()),
            memory_of(first),
            memory_of(last),
        ]
    }

    /// The limits in force.
    pub fn decision(&self) -> MediaDecision {
        self.decision
    }

    /// The congestion control.
    pub fn controller(&self) -> &dyn MediaControl {
        &*self.controller
    }

    /// Packets sent.
    pub fn packets_sent(&self) -> u64 {
        self.next_sequence
    }

    /// Bytes that wait for the pacer.
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// The round-trip times of reports.
    pub fn rtt(&self) -> &Rtt {
        &self.rtt
    }
}
