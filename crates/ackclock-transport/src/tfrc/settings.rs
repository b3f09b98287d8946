use ackclock_units::Duration;

/// The configuration of a TFRC flow, the same at both ends; the defaults come from RFC 5348 if it has any.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Payload bytes per packet (`s`, and the `MSS` of the initial rate).
    pub segment_size: u16,
    /// The number of loss intervals in the average (`n` in 5.4).
    pub intervals: usize,
    /// History discounting: a long time without loss makes older intervals count less (5.5, optional there).
    pub discounting: bool,
    /// The smallest discount factor (5.5). The default is that of ns-2: with it the rate grows by at most
    /// 0.28 packets per round-trip time, as in Floyd et al. (SIGCOMM 2000).
    pub discount_floor: f64,
    /// Packets that must arrive after a missing one before it counts as lost (`NDUPACK` in 5.1).
    pub reordering: u32,
    /// The rate is modulated by the square root of the round-trip time (4.5, optional there).
    pub oscillation_reduction: bool,
    /// The weight of the past in the average round-trip time (`q` in 4.3).
    pub rtt_weight: f64,
    /// The smallest retransmission timeout in the throughput equation, where `t_RTO = max(4 R, this)`
    /// (3.1).
    pub min_rto: Duration,
    /// True if `t_RTO` is TCP's estimate from all round-trip times, SRTT + 4 RTTVAR, as in ns-2, instead of
    /// `4 R`. The receiver knows only one round-trip time, so it uses `4 R` for its first loss interval.
    pub estimated_rto: bool,
    /// The longest time between two packets (`t_mbi` in 4.3).
    pub max_backoff: Duration,
    /// The tick of the sender's clock (`t_gran` in 4.6); zero for an exact clock.
    pub granularity: Duration,
    /// How much sending an idle sender may catch up on (4.6), in round-trip times; at most one.
    pub credit_rtts: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            segment_size: 1460,
            intervals: 8,
            discounting: false,
            discount_floor: 0.25,
            reordering: 3,
            oscillation_reduction: false,
            rtt_weight: 0.9,
            min_rto: Duration::ZERO,
            estimated_rto: false,
            max_backoff: Duration::from_secs(64),
            granularity: Duration::ZERO,
            credit_rtts: 0.0,
        }
    }
}

impl Settings {
    /// `t_RTO` of the throughput equation for a round-trip time, both in seconds (3.1).
    pub(super) fn rto(&self, rtt: f64) -> f64 {
        (4.0 * rtt).max(self.min_rto.as_secs_f64())
    }

    /// The smallest sending rate in bytes per second: one packet per `t_mbi`.
    pub(super) fn min_rate(&self) -> f64 {
        f64::from(self.segment_size) / self.max_backoff.as_secs_f64()
    }

    /// The initial window in bytes (`W_init` in 4.2, after RFC 3390).
    pub(super) fn initial_window(&self) -> f64 {
        let size = f64::from(self.segment_size);
        (4.0 * size).min((2.0 * size).max(4380.0))
    }
}
