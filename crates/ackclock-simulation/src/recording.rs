//! The records of a run: series, drops, captured packets, delays, qlogs, transfers, pages, responses, films and calls.

pub(crate) mod calls;
pub mod capture;
pub(crate) mod captured;
pub(crate) mod epochs;
pub(crate) mod films;
pub(crate) mod flow_events;
pub(crate) mod network_series;
pub(crate) mod one_way_delays;
pub(crate) mod page_objects;
pub(crate) mod qlogs;
pub(crate) mod recorder;
pub(crate) mod responses;
pub(crate) mod transfers;
pub(crate) mod user_records;
