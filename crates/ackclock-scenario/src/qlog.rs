//! `trace.qlog`: the flows that write a log.

use ackclock_transport::{Transport, Variant};

use super::Settings;
use super::read::error::Checked;
use super::read::key::Key;
use super::traffic::FlowGroup;

impl Settings {
    /// Refuses logs where no flow writes one.
    pub(super) fn check_qlog(&self, custom: &[String]) -> Checked {
        let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
        let is_tcp = |name: &str| {
            Variant::parse(name, &custom).is_ok_and(|variant| matches!(variant.transport, Transport::Tcp(_)))
        };
        let is_logged = |group: &FlowGroup| {
            group.stack.is_some() || !group.application.is_two_way() && group.algorithm_names().any(is_tcp)
        };
        if self.trace.qlog && !self.flow.iter().any(is_logged) {
            let message = "flows over TCP with data one way, and over a QUIC stack, write a qlog; this scenario has none";
            return Err(Key::top("trace").then("qlog").error(message));
        }
        Ok(())
    }
}
