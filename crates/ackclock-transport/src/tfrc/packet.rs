//! The packets of both directions (RFC 5348, 3.2).

use ackclock_units::{Duration, Time};

use crate::wire::{Extension, Payload};

/// A data packet (RFC 5348, 3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its number; each packet sent has the next one.
    pub sequence: u64,
    /// The time at which it was sent, by the sender's clock.
    pub timestamp: Time,
    /// The sender's current estimate of the round-trip time; zero while it has none.
    pub rtt: Duration,
    /// Payload bytes.
    pub length: u16,
    /// True if a router on the way marked it (ECN).
    pub marked: bool,
}

/// A feedback packet (RFC 5348, 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// The timestamp of the last data packet received (`t_recvdata`).
    pub timestamp: Time,
    /// The time between that packet's arrival and this report (`t_delay`).
    pub delay: Duration,
    /// The rate at which data arrived in the last round-trip time (`X_recv`), in bytes per second.
    pub receive_rate: f64,
    /// The receiver's estimate of the loss event rate (`p`).
    pub loss_event_rate: f64,
}

impl Data {
    /// Its payload.
    ///
    /// # Panics
    /// If it is the 2^32nd packet of its flow, or a later one.
    pub fn payload(&self) -> Payload {
        let Data { sequence, timestamp, rtt, length, .. } = *self;
        let sequence = u32::try_from(sequence).expect("a TFRC flow sends less than 2^32 packets");
        Payload::TfrcData { sequence, timestamp, rtt, length }
    }

    /// The data packet in a payload, if it is one. TFRC's packets are not sent as ECN-capable.
    pub fn of(payload: &Payload) -> Option<Data> {
        let Payload::TfrcData { sequence, timestamp, rtt, length } = *payload else { return None };
        Some(Data { sequence: u64::from(sequence), timestamp, rtt, length, marked: false })
    }
}

impl Feedback {
    /// Its payload and extension.
    pub fn parts(&self) -> (Payload, Extension) {
        let Feedback { timestamp, delay, receive_rate, loss_event_rate } = *self;
        (Payload::TfrcFeedback { timestamp, delay }, Extension::Rates { receive_rate, loss_event_rate })
    }

    /// The feedback packet in a payload and its extension, if they are one.
    pub fn of(payload: &Payload, extension: Option<Extension>) -> Option<Feedback> {
        let Payload::TfrcFeedback { timestamp, delay } = *payload else { return None };
        let Some(Extension::Rates { receive_rate, loss_event_rate }) = extension else { return None };
        Some(Feedback { timestamp, delay, receive_rate, loss_event_rate })
    }
}
