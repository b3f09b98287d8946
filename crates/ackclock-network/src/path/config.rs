//! The configuration of a path that varies.

use ackclock_catalogue::Part;
use ackclock_units::Time;

use super::opportunities::Opportunities;
use super::profile::Profile;

/// What varies on a link direction, and what happens to packets on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct PathConfig {
    /// The rate as a function of time, in the unit of the link's rate (bits per second, or thousandths of packets per
    /// second); none for a constant rate.
    pub rate: Option<Profile>,
    /// Delivery opportunities in place of a rate.
    pub opportunities: Option<Opportunities>,
    /// 1 where the transmitter works, 0 during outages; none where it always works.
    pub up: Option<Profile>,
    /// The propagation delay in nanoseconds; none for a constant delay.
    pub delay: Option<Profile>,
    /// Impairments, from the catalogue; those of the wire act in this order.
    pub impairments: Vec<Part>,
    /// The end of the run: what would depart later never does.
    pub until: Time,
}

impl Default for PathConfig {
    fn default() -> PathConfig {
        PathConfig {
            rate: None,
            opportunities: None,
            up: None,
            delay: None,
            impairments: Vec::new(),
            until: Time::MAX,
        }
    }
}

impl PathConfig {
    /// True if nothing varies.
    pub fn is_plain(&self) -> bool {
        let PathConfig { rate, opportunities, up, delay, impairments, .. } = self;
        rate.is_none() && opportunities.is_none() && up.is_none() && delay.is_none() && impairments.is_empty()
    }
}
