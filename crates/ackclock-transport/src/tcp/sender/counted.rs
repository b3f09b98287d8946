//! Acknowledgments that count bytes by codepoint (RFC 9768, 3.2.3).

use super::Sender;
use crate::wire::ByteCounters;

impl Sender {
    /// Keeps the byte counters of the acknowledgment that is taken next.
    pub fn keep_byte_counters(&mut self, counters: &ByteCounters) {
        let mss = self.settings.mss;
        self.cold_mut().bytes.keep(counters, mss);
    }

    /// Forgets the byte counters kept, of an acknowledgment that is not taken.
    pub(in crate::tcp) fn discard_byte_counters(&mut self) {
        if let Some(cold) = &mut self.cold {
            cold.bytes.discard();
        }
    }
}
