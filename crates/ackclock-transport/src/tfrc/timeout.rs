//! TCP's estimate of the retransmission timeout, instead of four round-trip times (ns-2's TFRC, `update_rtt` in `tfrc.cc`).

/// SRTT + 4 RTTVAR over all samples (RFC 6298, 2.2 and 2.3), without bounds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TcpTimeout {
    /// SRTT and RTTVAR in seconds; none before the first sample.
    estimate: Option<(f64, f64)>,
}

impl TcpTimeout {
    /// Takes a round-trip time in seconds.
    pub fn sample(&mut self, rtt: f64) {
        let next = self.estimate.map_or((rtt, rtt / 2.0), |(srtt, rttvar)| {
            // The deviation is from the average before this sample.
            (0.875 * srtt + 0.125 * rtt, 0.75 * rttvar + 0.25 * (srtt - rtt).abs())
        });
        self.estimate = Some(next);
    }

    /// The timeout in seconds; zero before the first sample.
    pub fn seconds(&self) -> f64 {
        self.estimate.map_or(0.0, |(srtt, rttvar)| srtt + 4.0 * rttvar)
    }
}
