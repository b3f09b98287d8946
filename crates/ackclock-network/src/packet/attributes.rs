//! The attributes of a packet on which loss models and marking queues decide.

use crate::Ecn;

/// The attributes of a packet that a link direction reads only if it loses or marks packets.
pub(crate) struct PacketAttributes {
    pub(crate) flow: u32,
    pub(crate) data: bool,
    pub(crate) ecn: Ecn,
}
