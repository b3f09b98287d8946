//! The contract of [`CongestionControl`](crate::CongestionControl), checked: from the outside on any driver, and
//! from the inside on any controller.
//!
//! A driver's tests wrap the controller with [`checked`], run whatever they run, and count what was called in the
//! [`Record`]. A window-based controller's tests feed [`exercise`] with operations; this crate does it for every
//! entry of the registry with random ones. A [`Connection`] is such a sequence drawn from
//! bytes, for a fuzzer.

mod checked;
mod connection;
mod contract;
mod exercise;

pub use checked::{Record, checked};
pub use connection::{Connection, compositions, drawn};
pub use contract::{Call, Contract};
pub use exercise::{Operation, Sender, exercise, exercise_model};
