//! Explicit feedback: the state that a sender declares to routers, and the changes of its throughput that they grant.

use ackclock_units::PacketRate;

use super::Sender;
use crate::wire::CongestionHeader;

impl Sender {
    /// The congestion header of a segment that is sent now (draft-falk-xcp-spec-03, 3.1). Packets without data take no part of the
    /// feedback. A sender that the window holds back asks for as much as there is, another for no more than it has.
    pub fn congestion_header(&self, is_data: bool) -> CongestionHeader {
        let rtt = if is_data { self.rtt.srtt().as_secs_f64() } else { 0.0 };
        CongestionHeader {
            rtt: rtt as f32,
            spacing: (rtt / self.cwnd.max(1.0)) as f32,
            delta_throughput: if self.window_limited { f32::INFINITY } else { 0.0 },
            reverse_feedback: f32::INFINITY,
        }
    }

    /// Keeps the feedback of routers in a congestion header, if it brings any, for the controller, which gets it with the next
    /// acknowledgment. A full segment has `size` bytes on the wire.
    pub fn keep_feedback(&mut self, header: &CongestionHeader, size: f64) {
        if header.reverse_feedback.is_finite() {
            let change = f64::from(header.reverse_feedback) / size;
            let feedback = &mut self.cold_mut().feedback;
            let kept = feedback.map_or(0.0, |feedback| feedback.0);
            *feedback = Some(PacketRate(kept + change));
        }
    }

    /// The feedback that has been kept.
    #[cold]
    pub(super) fn take_feedback(&mut self) -> Option<PacketRate> {
        self.cold.as_mut()?.feedback.take()
    }

    /// True if there is feedback for the controller.
    pub(in crate::tcp) fn has_feedback(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| cold.feedback.is_some())
    }
}
