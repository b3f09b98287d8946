//! TFRC, TCP Friendly Rate Control (RFC 5348): datagrams paced at the rate a TCP connection would have under the
//! same round-trip time and loss.
//!
//! A flow is a [`Sender`] and a [`Receiver`]; data goes one way and is never sent again. The receiver estimates
//! the rate of loss events and reports it about once per round-trip time. The sender computes its own rate from
//! it by TCP's throughput equation. Rates are in bytes of payload per second, as in the RFC.

mod data_limited;
mod equation;
mod intervals;
mod packet;
mod receive_rates;
mod receiver;
mod reception;
mod sender;
mod settings;
mod spec;
mod timeout;

pub use equation::{loss_event_rate_for, throughput};
pub use intervals::LossIntervals;
pub use packet::{Data, Feedback};
pub use receiver::Receiver;
pub use sender::Sender;
pub use settings::Settings;
pub use spec::{ENTRY, Spec};
