//! The input of a recovery's decisions, and the decisions.

use ackclock_units::{Duration, Time};

use super::super::mechanism::retransmission_queue::SentKey;
use super::super::mechanism::rtt::RttEstimator;
use super::super::settings::Settings;

/// An acknowledgment, or the expiry of a timer, as a recovery sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckEvent<'a> {
    pub now: Time,
    /// True if it acknowledged new data cumulatively.
    pub advanced: bool,
    /// Segments it acknowledged cumulatively.
    pub segments: u32,
    /// True for a duplicate (RFC 5681, section 2; with SACK: RFC 6675, section 2).
    pub duplicate: bool,
    /// The next sequence number to be sent (RFC 6675's `HighData` + 1).
    pub next: u64,
    /// The latest-sent of the newly delivered segments for which it is certain which copy arrived; for a recovery
    /// that needs send times.
    pub newest: Option<SentKey>,
    /// When the highest of these was sent, of those acknowledged cumulatively if there are any; likewise.
    pub highest_sent_at: Option<Time>,
    /// The smallest sequence number after a newly delivered segment that was sent only once; `u64::MAX` for none.
    /// For a recovery that needs send times.
    pub lowest_once: u64,
    /// Round-trip times of data measured so far.
    pub rtt_samples: u64,
    /// The smallest round-trip time of the path, the SYN's included (RFC 8985, 5.2: `RACK.min_RTT`).
    pub path_min_rtt: Duration,
    /// True if it reports data that arrived again (RFC 2883); for a recovery that needs send times.
    pub has_duplicate: bool,
    /// The number of duplicates that means a loss: that of the settings, or fewer (RFC 5827).
    pub duplicate_threshold: u32,
    pub rtt: &'a RttEstimator,
    pub settings: &'a Settings,
}

impl<'a> AckEvent<'a> {
    /// The passing of time, without an acknowledgment.
    #[inline]
    pub fn timer(
        now: Time,
        next: u64,
        rtt_samples: u64,
        rtt: &'a RttEstimator,
        settings: &'a Settings,
    ) -> Self {
        AckEvent {
            now,
            advanced: false,
            segments: 0,
            duplicate: false,
            next,
            newest: None,
            highest_sent_at: None,
            lowest_once: u64::MAX,
            rtt_samples,
            path_min_rtt: rtt.min_rtt(),
            has_duplicate: false,
            duplicate_threshold: settings.duplicate_threshold,
            rtt,
            settings,
        }
    }
}

/// The request of a recovery to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Go on.
    None,
    /// Go on, and do not restart the retransmission timer although new data was acknowledged.
    KeepTimer,
    /// A congestion episode begins; `restart`: the sender starts again from one packet.
    Episode { restart: bool },
    /// All that was sent for a long time was lost: an episode begins, unless one lasts, and the window falls to
    /// its minimum (RFC 9002, 7.6).
    PersistentCongestion,
    /// The latest episode was spurious: all that it declared lost has arrived.
    Undo,
}

/// The result of an expiry of a recovery's own timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    /// Segments may have been declared lost.
    Losses(Reaction),
    /// A loss probe is due; [`LossRecovery::take_probe`] returns whether one is sent.
    Probe,
}

/// An acknowledgment as the answer to a loss probe (RFC 8985, 7.4.2).
pub(crate) struct ProbeAnswer {
    pub una: u64,
    /// True if it repeats the latest acknowledgment, without any block.
    pub repeats: bool,
    /// The data that it reports to have arrived again.
    pub duplicated: Option<(u64, u64)>,
}

/// The sender's state on which the time of a loss probe depends (RFC 8985, 7.2).
pub(crate) struct ProbeConditions<'a> {
    pub now: Time,
    pub cwnd: f64,
    /// The deadline of the retransmission timer.
    pub rto_deadline: Time,
    pub rtt: &'a RttEstimator,
    pub settings: &'a Settings,
}

/// The state of fast recovery once the controller has answered an acknowledgment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowEvent {
    /// Segments delivered by the acknowledgment.
    pub delivered: u32,
    /// True if the acknowledgment began the episode.
    pub begins: bool,
    /// Those of them that it acknowledged cumulatively, and selectively.
    pub cumulative: u32,
    pub selective: u32,
    /// It advances SND.UNA, and shows no further loss (RFC 9937's `SafeACK`).
    pub is_safe: bool,
    /// The congestion window in packets before it.
    pub before: f64,
    /// The congestion window in packets, which is the target of recovery.
    pub cwnd: f64,
}
