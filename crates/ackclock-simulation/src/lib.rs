#![doc = include_str!("../README.md")]

mod applications;
mod arrivals;
mod assemble;
mod baselines;
mod calls;
pub mod capture;
mod captured;
mod count_column;
mod epochs;
mod event;
mod flow_infos;
mod flow_rows;
mod flows;
mod header_view;
mod host;
mod lives;
mod measured;
mod measurements;
mod network_series;
mod packet;
mod records;
mod responses;
pub mod scenario;
mod simulation;
mod socket_calls;
mod summary;
mod texts;
mod trace;
mod transfers;
mod user_records;

pub use assemble::CustomControllers;
pub use records::{Column, Table};
pub use simulation::Simulation;
pub use summary::Output;
pub use texts::Texts;
