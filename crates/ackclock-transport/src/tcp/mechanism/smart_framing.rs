//! TCP Smart Framing: a window of few segments is sent as four smaller ones, so that three remain to cause duplicates
//! if one is lost.

use ackclock_catalogue::Entry;

use crate::tcp::settings::Settings;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "smart-framing",
    title: "TCP-SF: a window below four segments leaves as four smaller ones, which fast retransmit needs",
    source: "Mellia, Casetti and Meo, IEEE Globecom 2001; burst-tcp, 3.3.3",
    table: "tcp",
    keys: &[Settings::switch("smart_framing")],
    ..Entry::PLAIN
};

/// The number of segments into which a small window is divided: three that arrive after a loss cause three
/// duplicates.
const SEGMENTS: u32 = 4;

/// The part of a sender's state on which the division depends. The window is in full segments, as everywhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Framing {
    pub mss: u16,
    pub cwnd: f64,
    /// Segments in the network.
    pub segments: u32,
    /// Bytes in the network.
    pub bytes: u64,
}

impl Framing {
    /// True if the window is small enough to be divided.
    fn divides(&self) -> bool {
        self.cwnd < f64::from(SEGMENTS)
    }

    /// The smallest segment: a quarter of a full one, as in a window of one packet.
    fn least(&self) -> u64 {
        (u64::from(self.mss) / u64::from(SEGMENTS)).max(1)
    }

    /// The room in the window, in bytes. Sums of windows may be wrong in their last bits.
    fn room(&self) -> u64 {
        let window = self.cwnd.max(1.0) * f64::from(self.mss) + 0.5;
        (window as u64).saturating_sub(self.bytes)
    }

    /// True if a segment may leave: one of at most four that fit into a divided window, or one of as many as an
    /// undivided window has.
    pub fn has_room(&self) -> bool {
        if self.divides() {
            self.segments < SEGMENTS && self.room() >= self.least()
        } else {
            f64::from(self.segments) + 1.0 <= self.cwnd
        }
    }

    /// The payload of the next segment: an equal part of the room for each of the four that is not in the network. In
    /// slow start that is 1/4, 1/2 and 1 segment in round trips with windows of 1, 2 and 4, as much data as standard
    /// TCP sends.
    pub fn payload(&self) -> u64 {
        let mss = u64::from(self.mss);
        if !self.divides() {
            return mss;
        }
        let free = SEGMENTS.saturating_sub(self.segments).max(1);
        (self.room() / u64::from(free)).clamp(self.least(), mss)
    }
}
