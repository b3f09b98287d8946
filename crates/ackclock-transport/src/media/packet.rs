use ackclock_units::Time;

use crate::wire::{Flags, Payload};

/// Bytes of the headers of a packet of media: IPv4, UDP and RTP (RFC 3550, 5.1).
pub const HEADERS: u32 = 20 + 8 + 12;

/// A packet of media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its number; each packet has the next one.
    pub sequence: u64,
    /// The number of its frame, from 0.
    pub frame: u32,
    /// Its place among the packets of the frame, from 0; the last one has RTP's marker bit.
    pub place: u16,
    /// The packets of its frame.
    pub packets: u16,
    /// When its frame was captured: RTP's timestamp.
    pub captured: Time,
    /// Payload bytes.
    pub length: u16,
    /// A router on the way marked it (CE).
    pub marked: bool,
}

impl Packet {
    /// Its bytes on the wire.
    pub fn size(&self) -> u32 {
        HEADERS + u32::from(self.length)
    }

    /// True for the last packet of a frame.
    pub fn ends_frame(&self) -> bool {
        self.place + 1 == self.packets
    }

    /// Its payload.
    ///
    /// # Panics
    /// If it is the 2^32nd packet of its call, or a later one.
    pub fn payload(&self) -> Payload {
        let Packet { sequence, frame, place, packets, captured, length, .. } = *self;
        let sequence = u32::try_from(sequence).expect("a call has less than 2^32 packets");
        Payload::Media { sequence, frame, place, packets, captured, length, flags: Flags::default() }
    }

    /// The packet of media in a payload, if it is one.
    pub fn of(payload: &Payload) -> Option<Packet> {
        let Payload::Media { sequence, frame, place, packets, captured, length, flags } = *payload else {
            return None;
        };
        let (sequence, marked) = (u64::from(sequence), flags.has(Flags::CE));
        Some(Packet { sequence, frame, place, packets, captured, length, marked })
    }
}
