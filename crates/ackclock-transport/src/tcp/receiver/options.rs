//! The state of a receiver that few receivers have.

use super::super::mechanism::receive_buffer::ReceiveBuffer;
use super::super::settings::Settings;
use super::misbehaviour::Misbehaviour;

/// The state of mechanisms that few receivers have.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// Data that arrived again, to be reported once (RFC 2883).
    pub duplicate: Option<(u64, u64)>,
    pub misbehaviour: Misbehaviour,
    pub buffer: Option<ReceiveBuffer>,
}

impl Options {
    /// None where the settings have none of them.
    pub fn of(settings: &Settings, sack: bool) -> Option<Box<Options>> {
        let misbehaviour = Misbehaviour::of(settings);
        let buffer = ReceiveBuffer::of(settings);
        let has_any = (settings.dsack && sack) || misbehaviour != Misbehaviour::default() || buffer.is_some();
        has_any.then(|| Box::new(Options { duplicate: None, misbehaviour, buffer }))
    }

    /// Whether nothing is to be reported but that all data is there.
    pub fn is_plain(&self) -> bool {
        self.duplicate.is_none() && self.misbehaviour == Misbehaviour::default() && self.buffer.is_none()
    }
}
