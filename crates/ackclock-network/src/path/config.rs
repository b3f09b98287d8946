//! The configuration of a path that varies.

use ackclock_catalogue::Part;
use ackclock_units::Time;

use super::opportunities::Opportunities;
use super::profile::Profile;

/// The variations of a link direction over time, and the impairments of its packets.
#[derive(Clone, Debug, PartialEq)]
pub struct PathConfig {
    /// The rate as a function of time, in the unit of the link's rate (bits per second, or thousandths of packets per
    /// second); none for a constant rate.
    pub rate: Option<Profile>,
    /// Delivery opportunities instead of a rate.
    pub opportunities: Option<Opportunities>,
    /// 1 where the transmitter works, 0 during outages; none if it always works.
    pub up: Option<Profile>,
    /// The propagation delay in nanoseconds; none for a constant delay.
    pub delay: Option<Profile>,
    /// Impairments from the catalogue. Those on the wire act in this order.
    pub impairments: Vec<Part>,
    /// A tunnel from the catalogue, from the beginning of the direction to its end.
    pub tunnel: Option<Part>,
    /// The end of the run. A packet that would depart later does not depart.
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
            tunnel: None,
            until: Time::MAX,
        }
    }
}

impl PathConfig {
    /// True if nothing varies.
    pub fn is_plain(&self) -> bool {
        let PathConfig { rate, opportunities, up, delay, impairments, tunnel, .. } = self;
        rate.is_none()
            && opportunities.is_none()
            && up.is_none()
            && delay.is_none()
            && impairments.is_empty()
            && tunnel.is_none()
    }
}
