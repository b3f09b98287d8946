//! Parts that several disciplines share: lists of packets, orders of service, and memory of flows.

pub(crate) mod active_flows;
pub(crate) mod backlogs;
pub(crate) mod by_class;
pub(crate) mod candidates;
pub(crate) mod classifier;
pub(crate) mod deficit;
pub(crate) mod fifo;
pub(crate) mod flow_hash;
pub(crate) mod flow_monitor;
pub(crate) mod flow_table;
pub(crate) mod flows_by_class;
pub(crate) mod new_and_old;
pub(crate) mod numbered;
pub(crate) mod packet_lists;
pub(crate) mod short_flows;
pub(crate) mod turns;
