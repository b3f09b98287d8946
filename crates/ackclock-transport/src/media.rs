//! Media over UDP with feedback: packets with the header of RTP (RFC 3550), reports about each of them (RFC 8888), pacing, and a
//! congestion control for media, which decides the rate of the encoder.
//!
//! The sender repeats no packet, so a call lacks every packet that the path loses.

mod feedback;
mod packet;
mod receiver;
mod sender;

pub use feedback::{Feedback, Reception};
pub use packet::{HEADERS, Packet};
pub use receiver::Receiver;
pub use sender::{Rtt, Sender};
