//! Media over UDP with feedback: packets with the header of RTP (RFC 3550), reports about each of them (RFC 8888), pacing, and a
//! congestion control for media, which decides the rate of the encoder.
//!
//! The sender repeats no packet, so a call lacks every packet that the path loses.

mod feedback;
mod packet;
mod receiver;
mod sender;

use std::ops::Range;

pub use feedback::{Feedback, Reception};
pub use packet::{HEADERS, Packet};
pub use receiver::Receiver;
pub use sender::{Rtt, Sender};

/// The addresses of a value, to be prefetched; none for no value.
fn memory_of<T: ?Sized>(value: Option<&T>) -> Range<*const u8> {
    let Some(value) = value else { return std::ptr::null()..std::ptr::null() };
    let start = std::ptr::from_ref(value).cast::<u8>();
    start..start.wrapping_add(size_of_val(value))
}
