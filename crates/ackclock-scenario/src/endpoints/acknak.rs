//! `[acknak]`: the behaviour of endpoints of the ACK/NAK transport.

use ackclock_units::{Bytes, Duration};
use serde::Deserialize;

use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::quantity;
use crate::values::packets::LARGEST_PACKET;
use crate::values::window::{InitialWindow, Threshold};

/// The behaviour of a flow of the ACK/NAK transport: the table `[acknak]`, and `acknak = {..}` of a flow,
/// merged over it. A table separate from `[tcp]`, since MesoNet's numbers are not TCP's and most of TCP's
/// mean nothing here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AckNakConfig {
    /// The congestion window at the start and after a timeout.
    #[serde(deserialize_with = "quantity::read")]
    pub initial_window: InitialWindow,
    /// The slow-start threshold at the start.
    #[serde(deserialize_with = "quantity::read")]
    pub initial_ssthresh: Threshold,
    /// The wait before the first SYN is repeated; it doubles with every further one.
    #[serde(deserialize_with = "quantity::read")]
    pub syn_interval: Duration,
    /// SYNs sent before the connection fails.
    pub syn_attempts: u32,
    /// Bytes on the wire of a packet. Links whose rate is in packets ignore it.
    #[serde(deserialize_with = "quantity::read")]
    pub packet: Bytes,
    /// Bytes on the wire of a SYN, an ACK or a NAK.
    #[serde(deserialize_with = "quantity::read")]
    pub ack: Bytes,
}

impl Default for AckNakConfig {
    fn default() -> AckNakConfig {
        AckNakConfig {
            initial_window: InitialWindow::Packets(2.0),
            initial_ssthresh: Threshold(f64::INFINITY),
            syn_interval: Duration::from_secs(3),
            syn_attempts: 3,
            packet: Bytes::new(1500),
            ack: Bytes::new(40),
        }
    }
}

impl AckNakConfig {
    /// Refuses windows below one packet, and sizes that no packet has.
    pub(crate) fn check(&self, at: &Key) -> Checked {
        self.initial_window.check(&at.then("initial_window"))?;
        self.initial_ssthresh.check(&at.then("initial_ssthresh"))?;
        at.then("syn_interval").timeout(self.syn_interval)?;
        at.then("syn_attempts").within(self.syn_attempts, 100)?;
        for (name, size) in [("packet", self.packet), ("ack", self.ack)] {
            if !(1..=LARGEST_PACKET).contains(&size.get()) {
                let message = format!("found {size}; a packet has 1 to {LARGEST_PACKET} bytes on the wire");
                return Err(at.then(name).wrong(size, message));
            }
        }
        Ok(())
    }
}
