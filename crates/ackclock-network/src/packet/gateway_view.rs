//! The part of a packet's headers that a home gateway reads in addition.

/// The part of a packet's headers that a home gateway reads in addition to [`HeaderView`](crate::HeaderView): the fields by
/// which it tells hosts and services apart, and the acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatewayView {
    /// The hosts that send and receive the packet, as the numbers of their addresses; none for the hosts of its flow
    /// ([`Network::set_hosts`](crate::Network::set_hosts)).
    pub hosts: Option<[u32; 2]>,
    /// It goes from the second host of its flow to the first.
    pub is_backward: bool,
    /// The DS field's codepoint (RFC 2474, section 3), below 64; none for the class selector of its flow's class.
    pub dscp: Option<u8>,
    /// The acknowledgment of a TCP segment other than a SYN.
    pub acknowledgment: Option<AcknowledgmentView>,
}

/// The acknowledgment that a TCP segment carries, alone or with data.
///
/// Numbers are compared modulo 2^32, as on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AcknowledgmentView {
    /// The acknowledgment number.
    pub number: u64,
    /// The segment carries nothing else: no data, no flag but ACK, ECE and CWR, and no option but the two below.
    pub is_pure: bool,
    /// The flags ECE and CWR.
    pub ecn_flags: [bool; 2],
    /// The timestamps option (RFC 7323): `TSval` and `TSecr`; zeros without it.
    pub timestamps: [u32; 2],
    /// The blocks of the option SACK (RFC 2018), from their starts to before their ends, then places without a block: `(0, 0)`.
    pub sack: [(u64, u64); 4],
}

impl AcknowledgmentView {
    /// The blocks of the option SACK.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sack.into_iter().take_while(|block| *block != (0, 0))
    }
}
