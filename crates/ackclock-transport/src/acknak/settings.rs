use ackclock_units::Duration;

/// The configuration of an ACK/NAK source.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The congestion window in packets at the start and after a timeout (`cwnd_INT`, Table 5-2);
    /// the controller starts with it, too.
    pub initial_window: f64,
    /// The slow-start threshold at the start, in packets (`sst_INT`, Table 5-2).
    pub initial_ssthresh: f64,
    /// The timeout of the first SYN; it doubles with each further one (`syn_INT`, Table 5-1).
    pub syn_interval: Duration,
    /// The number of SYNs after which the connection fails (`syn_MAX`, Table 5-1).
    pub syn_attempts: u32,
}

impl Default for Settings {
    /// MesoNet's: a window of two packets, no threshold, SYNs at 0, 3 and 9 s, failure at 21 s.
    fn default() -> Settings {
        Settings {
            initial_window: 2.0,
            initial_ssthresh: f64::INFINITY,
            syn_interval: Duration::from_secs(3),
            syn_attempts: 3,
        }
    }
}
