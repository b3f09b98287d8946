//! Calls in the simulated network.

use std::collections::VecDeque;

use ackclock_application::{Encoder, FramePacket, Playout};
use ackclock_memory::{memory_of, prefetch};
use ackclock_network::{Ecn, RouteCursor};
use ackclock_transport::media::{Feedback, HEADERS, Packet, Receiver, Sender};
use ackclock_transport::{Counters, Extension, Incidents, Payload};
use ackclock_units::{Duration, Time};

use super::context::{FlowContext, LazyTimer};
use super::endpoints::Endpoints;
use crate::facts::End;
use crate::facts::counts::{ConnectionTimes, Gauges, Snapshot};
use crate::recording::calls::{CallRecord, Seen};

/// The reports that are kept for the network at a time: older ones are lost.
const REPORTS: usize = 1024;

/// A call: the encoder and the sender at one end, the receiver and its jitter buffer at the other.
pub(crate) struct MediaFlow {
    encoder: Encoder,
    sender: Sender,
    receiver: Receiver,
    playout: Playout,
    forward: RouteCursor,
    backward: RouteCursor,
    ecn: Ecn,
    /// Bytes on the wire of the largest packet.
    packet: u32,
    sender_timer: LazyTimer,
    receiver_timer: LazyTimer,
    /// The contents of the reports in the network, by number.
    reports: VecDeque<(u32, Feedback)>,
    report_count: u32,
    /// The frames that follow a pause.
    resumed: Vec<u32>,
    record: CallRecord,
}

/// The parts of a call.
pub(crate) struct CallParts {
    pub encoder: Encoder,
    pub sender: Sender,
    pub receiver: Receiver,
    pub playout: Playout,
    pub routes: (RouteCursor, RouteCursor),
    pub ecn: Ecn,
    pub packet: u32,
}

impl MediaFlow {
    /// A call that has sent nothing yet.
    pub fn new(parts: CallParts) -> MediaFlow {
        let CallParts { encoder, sender, receiver, playout, routes: (forward, backward), ecn, packet } =
            parts;
        MediaFlow {
            encoder,
            sender,
            receiver,
            playout,
            forward,
            backward,
            ecn,
            packet,
            sender_timer: LazyTimer::NONE,
            receiver_timer: LazyTimer::NONE,
            reports: VecDeque::new(),
            report_count: 0,
            resumed: Vec::new(),
            record: CallRecord::default(),
        }
    }

    /// Encodes the frame that is due, if one is.
    fn encode(&mut self, now: Time) {
        while self.encoder.next_frame_at() <= now {
            let frame = self.encoder.next_frame(self.sender.decision().target);
            if frame.resumes {
                self.resumed.push(frame.number);
            }
            self.sender.write(now, frame.number, frame.bytes);
        }
    }

    /// Sends the packets that may leave, and sets the timer for the next one or the next frame.
    fn transmit(&mut self, context: &mut FlowContext<'_>) {
        let now = context.now();
        let mut count = 0;
        while let Some(packet) = self.sender.poll_transmit(now) {
            self.record.note_departure(now, packet.size());
            context.send(self.forward, packet.size(), true, self.ecn, packet.payload());
            count += 1;
        }
        context.charge_burst(count);
        let wake = self.sender.next_wake(now).min(self.encoder.next_frame_at());
        context.wake(End::Sender, &mut self.sender_timer, wake);
    }

    fn receive(&mut self, packet: &Packet, context: &mut FlowContext<'_>) {
        let now = context.now();
        if !self.receiver.on_packet(now, packet) {
            return;
        }
        self.record.note_arrival(packet.sequence, now);
        let Packet { frame, packets, captured, .. } = *packet;
        self.playout.on_packet(now, &FramePacket { frame, packets, captured });
        self.report(context);
    }

    /// Sends the report that is due, and sets the timer for the next one.
    fn report(&mut self, context: &mut FlowContext<'_>) {
        if let Some(feedback) = self.receiver.poll_transmit(context.now()) {
            let number = self.report_count;
            self.report_count += 1;
            let size = feedback.size();
            if self.reports.len() == REPORTS {
                self.reports.pop_front();
            }
            self.reports.push_back((number, feedback));
            context.send(self.backward, size, false, Ecn::NotCapable, Payload::MediaFeedback { number });
        }
        context.wake(End::Receiver, &mut self.receiver_timer, self.receiver.next_wake());
    }

    /// The contents of a report that arrived; none for a copy, or one that is too old.
    fn take_report(&mut self, number: u32) -> Option<Feedback> {
        let place = self.reports.iter().position(|(known, _)| *known == number)?;
        self.reports.remove(place).map(|(_, feedback)| feedback)
    }

    /// Prefetches the memory that a packet or a timer of either end will need first.
    pub fn prefetch(&self) {
        prefetch(memory_of(self));
    }

    /// Prefetches the further memory that a timer of an end will need, when the first part has had time to arrive. Returns the route of
    /// what that end sends.
    pub fn prefetch_beyond_timer(&self, end: End) -> RouteCursor {
        self.prefetch_beyond(end == End::Receiver);
        if end == End::Receiver { self.backward } else { self.forward }
    }

    /// Prefetches the further memory that data or a report will need, when the first part has had time to arrive.
    pub fn prefetch_beyond(&self, data: bool) {
        if data {
            self.receiver.memory_beyond().into_iter().for_each(prefetch);
            self.record.prefetch_arrival();
        } else {
            self.sender.memory_beyond().into_iter().for_each(prefetch);
        }
    }

    /// The records of its packets.
    pub fn record(&self) -> &CallRecord {
        &self.record
    }

    /// The view of the frames from `from` on, until `until`, with the number of frames encoded.
    pub fn seen(&self, from: Time, until: Time) -> Seen {
        let (summary, freezes) = self.playout.summary(from, until, &self.resumed);
        Seen { frames: u64::from(self.encoder.frames()), summary, freezes }
    }
}

impl Endpoints for MediaFlow {
    fn deliver(&mut self, payload: &Payload, _: Option<&Extension>, context: &mut FlowContext<'_>) {
        if let Some(packet) = Packet::of(payload) {
            self.receive(&packet, context);
        } else if let Payload::MediaFeedback { number } = *payload {
            if let Some(feedback) = self.take_report(number) {
                self.sender.on_feedback(context.now(), &feedback);
                self.transmit(context);
            }
        } else {
            debug_assert!(false, "a call got {payload:?}");
        }
    }

    fn on_timer(&mut self, end: End, context: &mut FlowContext<'_>) {
        match end {
            End::Sender if self.sender_timer.fires(context.now()) => {
                self.encode(context.now());
                self.transmit(context);
            }
            End::Receiver if self.receiver_timer.fires(context.now()) => self.report(context),
            End::Sender | End::Receiver => {}
        }
    }

    fn first_wake(&mut self) -> Time {
        let start = self.encoder.next_frame_at();
        self.sender_timer.needs(start);
        start
    }

    fn snapshot(&self, _: Time) -> Snapshot {
        let (bytes, packets) = (self.receiver.payload_bytes(), self.receiver.delivered());
        let rtt = self.sender.rtt();
        let counters = Counters {
            segments_sent: self.sender.packets_sent(),
            rtt_samples: rtt.samples,
            rtt_total: rtt.total,
            rtt_max: rtt.most,
            // The window is in bytes, and most algorithms have none.
            cwnd_seconds: f64::NAN,
            ..Counters::default()
        };
        let wire = bytes + packets * u64::from(HEADERS);
        Snapshot {
            bytes,
            packets,
            arrived: bytes,
            wire,
            counters,
            incidents: Incidents::default(),
            busy: None,
        }
    }

    fn routes(&self) -> (RouteCursor, RouteCursor) {
        (self.forward, self.backward)
    }

    fn sizes(&self) -> Option<(u32, u32)> {
        Some((self.packet, self.packet.min(100)))
    }

    fn payload(&self) -> u32 {
        self.packet - HEADERS
    }

    /// A call needs no connection.
    fn is_open(&self) -> bool {
        false
    }

    /// Packets that arrive after the stop count.
    fn delivered_at(&self) -> Time {
        self.receiver.delivered_at()
    }

    fn life(&self) -> ConnectionTimes {
        ConnectionTimes { min_rtt: self.sender.rtt().least, ..ConnectionTimes::default() }
    }

    fn gauges(&self) -> Option<Gauges> {
        let decision = self.sender.decision();
        let packet = f64::from(self.packet);
        let window = if decision.window.is_finite() { decision.window / packet } else { f64::NAN };
        Some(Gauges {
            cwnd: window,
            ssthresh: f64::NAN,
            latest_rtt: self.sender.rtt().latest,
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            in_flight: self.sender.in_flight() as f64 / packet,
        })
    }

    fn observe(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let decision = self.sender.decision();
        show("target_bit_per_s", decision.target);
        show("pacing_bit_per_s", decision.pacing);
        show("waiting_bytes", self.sender.waiting_bytes() as f64);
        self.sender.controller().observe(show);
    }
}
