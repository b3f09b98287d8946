//! What travels between the two ends (RFC 5348, 3.2).

use ackclock_units::{Duration, Time};

use crate::wire::{Extension, Payload};

/// A data packet (RFC 5348, 3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its number; each packet sent has the next one.
    pub sequence: u64,
    /// When it was sent, by the sender's clock.
    pub timestamp: Time,
    /// The sender's current estimate of the round-trip time; zero while it has none.
    pub rtt: Duration,
    /// Payload bytes.
    pub length: u16,
}

/// A feedback packet (RFC 5348, 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// The timestamp of the last data packet received (`t_recvdata`).
    pub timestamp: Time,
    /// What passed between that packet's arrival and this report (`t_delay`).
    pub delay: Duration,
    /// The rate at which data arrived in the last round-trip time (`X_recv`), in bytes per second.
    pub receive_rate: f64,
    /// The receiver's estimate of the loss event rate (`p`).
    pub loss_event_rate: f64,
}

impl Data {
    /// As a packet carries it.
    ///
    /// # Panics
    /// If it is the 2^32nd of its flow, or a later one.
    pub fn payload(&self) -> Payload {
        let Data { sequence, timestamp, rtt, length } = *self;
        let sequence = u32::try_from(sequence).expect("a TFRC flow sends less than 2^32 packets");
        Payload::TfrcData { sequence, timestamp, rtt, length }
    }

    /// What a packet carries, if it is data.
    pub fn of(payload: &Payload) -> Option<Data> {
        let Payload::TfrcData { sequence, timestamp, rtt, length } = *payload else { return None };
        Some(Data { sequence: u64::from(sequence), timestamp, rtt, length })
    }
}

impl Feedback {
    /// As a packet carries it.
    pub fn parts(&self) -> (Payload, Extension) {
        let Feedback { timestamp, delay, receive_rate, loss_event_rate } = *self;
        (Payload::TfrcFeedback { timestamp, delay }, Extension::Rates { receive_rate, loss_event_rate })
    }

    /// What a packet carries, if it is feedback.
    pub fn of(payload: &Payload, extension: Option<Extension>) -> Option<Feedback> {
        let Payload::TfrcFeedback { timestamp, delay } = *payload else { return None };
        let Some(Extension::Rates { receive_rate, loss_event_rate }) = extension else { return None };
        Some(Feedback { timestamp, delay, receive_rate, loss_event_rate })
    }
}
