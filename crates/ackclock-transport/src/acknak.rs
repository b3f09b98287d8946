//! The abstract transport of MesoNet (Mills, Filliben, Cho, Schwartz and Genin, NIST SP 500-282, 5.1 and 5.3):
//! numbered packets, each acknowledged by an ACK, or by a NAK if an earlier packet is missing.
//!
//! No packet is retransmitted under its own number. A source counts ACKs and NAKs, and sends packets until their number
//! equals that of the flow's packets. So a lost packet, a lost ACK and a lost NAK each cost one more packet. The model
//! assumes a network that may drop packets but does not reorder them.

mod message;
mod receiver;
mod sender;
mod settings;

use ackclock_catalogue::Entry;

pub use message::{Kind, Message};
pub use receiver::Receiver;
pub use sender::Sender;
pub use settings::Settings;

/// The catalogue entry of the transport, which has no parameters.
pub const ENTRY: Entry = Entry {
    kind: "transport",
    name: "acknak",
    title: "abstract packets, each answered by an ACK or a NAK; in place of a recovery",
    source: "Mills et al. (NIST SP 500-282) 5.1, 5.3",
    ..Entry::PLAIN
};
