//! `sharing` of `[tcp]`: the flows that can take something over from others.

use ackclock_transport::{Controller, Transport, Variant};

use super::application::Application;
use super::read::error::{Checked, clip};
use super::read::key::Key;
use super::{FlowGroup, Settings};

impl Settings {
    /// Refuses state that spans connections where the simulator cannot have it: of flows without an end, of flows that are made
    /// at the beginning of the run, and of controllers that set rates of their own.
    pub(super) fn check_sharing(&self, custom: &[String]) -> Checked {
        for (index, group) in self.flow.iter().enumerate().filter(|(_, group)| group.tcp.sharing.is_some()) {
            let at = Key::top("flow").then(index);
            check_application(&at, group)?;
            for name in group.algorithm_names() {
                check_algorithm(&at, name, custom)?;
            }
            if let (Application::File { .. }, Some(reason)) = (&group.application, self.reason_against(group))
            {
                let message = format!(
                    "\"sharing\" is there, and {reason}; flows of one file that share state are made when they start"
                );
                return Err(at.then("tcp").then("sharing").error(message));
            }
        }
        Ok(())
    }

    /// The key for which the flows of one file are made at the beginning of the run.
    fn reason_against(&self, group: &FlowGroup) -> Option<&'static str> {
        let mut copies = false;
        self.topology.directions(&mut |_, _, link| {
            copies |= link.impairments.iter().any(|one| one.entry().name == "duplication");
        });
        if self.trace.interval.is_some() && self.trace.flows {
            Some("trace.interval records each flow (set trace.flows = false)")
        } else if self.trace.epoch.is_some() {
            Some("trace.epoch counts the packets of each flow")
        } else if group.send_overhead.is_some() {
            Some("\"send_overhead\" is")
        } else {
            copies.then_some("a link duplicates packets")
        }
    }
}

fn check_application(at: &Key, group: &FlowGroup) -> Checked {
    let refuse = |what: &str| {
        let message = format!(
            "{what} takes nothing over from others and leaves them nothing; give it \"packets\" or \"size\""
        );
        Err(at.then("tcp").then("sharing").error(message))
    };
    match &group.application {
        Application::Bulk => refuse("a flow without an end"),
        Application::RequestResponse { .. } => refuse("a connection with data both ways"),
        _ if group.stack.is_some() => refuse("a connection of another stack"),
        _ => Ok(()),
    }
}

fn check_algorithm(at: &Key, name: &str, custom: &[String]) -> Checked {
    let names: Vec<&str> = custom.iter().map(String::as_str).collect();
    let Ok(variant) = Variant::parse(name, &names) else { return Ok(()) };
    let is_windowed = matches!(&variant.controller, Controller::Known(spec) if spec.whole().is_none());
    if matches!(variant.transport, Transport::Tcp(_)) && is_windowed {
        return Ok(());
    }
    let message =
        format!("{name} has no window and threshold to share; TCP with a slow start and an avoidance has");
    Err(at.then("tcp").then("sharing").wrong(clip(name), message))
}
