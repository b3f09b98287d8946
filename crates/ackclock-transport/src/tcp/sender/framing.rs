//! Segments of different sizes, where small windows are divided (TCP-SF): the network and the recoveries count segments, controllers
//! packets, which are full segments.

use super::super::mechanism::smart_framing::Framing;
use super::Sender;

impl Sender {
    /// The division of the window as it stands.
    pub(super) fn framing(&self) -> Framing {
        let Sender { settings, cwnd, .. } = self;
        let segments = self.in_network();
        Framing { mss: settings.mss, cwnd: *cwnd, segments, bytes: self.bytes_of(segments) }
    }

    /// The payload of the next segment, if the application has as much.
    #[inline]
    pub(super) fn full_segment(&self) -> u64 {
        if self.settings.smart_framing { self.framed_segment() } else { u64::from(self.settings.mss) }
    }

    #[inline(never)]
    fn framed_segment(&self) -> u64 {
        self.framing().payload()
    }

    /// The flight in packets (RFC 5681's `FlightSize`).
    #[inline]
    pub(super) fn flight(&self) -> f64 {
        self.packets_of(self.queue.outstanding())
    }

    /// Packets in the network, as far as the recovery in use can infer.
    pub(super) fn packets_in_network(&self) -> f64 {
        self.packets_of(self.in_network())
    }

    /// The packets that an acknowledgment of so many counts for the growth of the window, where segments may be small: RFC 2581
    /// counts a full segment at most.
    pub(super) fn counted_of(&self, packets: f64) -> f64 {
        if self.settings.count_acknowledgments { packets.min(1.0) } else { packets }
    }

    /// So many bytes in packets.
    pub(super) fn packets(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.settings.mss)
    }

    /// So many of the segments outstanding, in packets.
    #[inline]
    fn packets_of(&self, segments: u32) -> f64 {
        if self.settings.smart_framing { self.packets(self.bytes_of(segments)) } else { f64::from(segments) }
    }

    /// So many of the segments outstanding, in bytes: of their mean size.
    fn bytes_of(&self, segments: u32) -> u64 {
        let outstanding = u64::from(self.queue.outstanding()).max(1);
        (self.next - self.queue.una()) * u64::from(segments) / outstanding
    }
}
