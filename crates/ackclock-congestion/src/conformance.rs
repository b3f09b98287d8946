//! Checks of the contract of [`CongestionControl`](crate::CongestionControl): that drivers keep it, and that
//! controllers do.
//!
//! A driver's tests wrap the controller with [`checked`], run as usual, and count the calls in the [`Record`]. A
//! window-based controller's tests feed [`exercise`] with operations; this crate does so for every entry of the
//! registry with random operations. A [`Connection`] is such a sequence drawn from bytes, for a fuzzer.

mod checked;
mod connection;
mod contract;
mod exercise;

pub use checked::{Record, checked};
pub use connection::{Connection, compositions, drawn};
pub use contract::{Call, Contract};
pub use exercise::{Operation, Sender, exercise, exercise_model};
