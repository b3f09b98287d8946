//! `sharing` of `[tcp]`: the flows that can take over state from others.

use ackclock_transport::tcp::Sharing;
use ackclock_transport::{Controller, Transport, Variant};

use crate::read::error::{Checked, clip};
use crate::read::key::Key;
use crate::settings::Settings;
use crate::traffic::FlowGroup;
use crate::traffic::Pattern;
use crate::traffic::UdpGroup;
use crate::traffic::applications::Application;

impl Settings {
    /// Refuses shared state that the simulator cannot have: for flows without an end, for flows
    /// that are made at the beginning of the run, and for controllers that set their own rates.
    pub(crate) fn check_sharing(&self, custom: &[String]) -> Checked {
        for (index, group) in self.flow.iter().enumerate().filter(|(_, group)| group.tcp.sharing.is_some()) {
            let at = Key::top("flow").then(index);
            check_application(&at, group)?;
            check_weight(&at.then("tcp"), group.tcp.sharing_weight)?;
            for name in group.algorithm_names() {
                check_algorithm(&at.then("tcp").then("sharing"), group.tcp.sharing, name, custom)?;
            }
            if let (Application::File(_), Some(reason)) = (&group.application, self.reason_against(group)) {
                let message = format!(
                    "\"sharing\" is there, and {reason}; flows of one file that share state are made when they start"
                );
                return Err(at.then("tcp").then("sharing").error(message));
            }
        }
        for (index, group) in self.udp.iter().enumerate() {
            let at = Key::top("udp").then(index);
            check_layers(&at, group)?;
            if group.sharing.is_none() {
                continue;
            }
            check_weight(&at, group.sharing_weight)?;
            if group.sharing != Some(Sharing::CongestionManager) {
                let message = "of UDP flows only \"congestion-manager\" can be shared: datagrams have no window to inherit";
                return Err(at.then("sharing").error(message));
            }
            check_algorithm(&at.then("sharing"), group.sharing, &self.tcp.algorithm, custom)?;
        }
        Ok(())
    }

    /// The key because of which flows of one file are made at the beginning of the run.
    fn reason_against(&self, group: &FlowGroup) -> Option<&'static str> {
        let mut copies = false;
        self.topology.directions(&mut |_, _, link| {
            copies |= link.impairments.iter().any(|one| one.entry().name == "duplication");
        });
        if self.trace.epoch.is_some() {
            Some("trace.epoch counts the packets of each flow")
        } else if self.trace.qlog {
            Some("trace.qlog logs each flow")
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
        Application::Bulk(_) => refuse("a flow without an end"),
        Application::RequestResponse(_) => refuse("a connection with data both ways"),
        _ if group.stack.is_some() => refuse("a connection of another stack"),
        _ => Ok(()),
    }
}

/// Refuses rates that no callback could choose.
fn check_layers(at: &Key, group: &UdpGroup) -> Checked {
    let (layers, thresholds) = (at.then("layers"), at.then("rate_thresholds"));
    let [down, up] = group.rate_thresholds;
    if !((0.0..=1.0).contains(&down) && up >= 1.0 && up.is_finite()) {
        let message = format!("found [{down}, {up}]; the first is from 0 to 1, the second at least 1");
        return Err(thresholds.error(message));
    }
    if group.layers.is_empty() {
        return Ok(());
    }
    if group.sharing.is_none() {
        return Err(
            layers.error("goes with \"sharing\"; the Congestion Manager's callbacks choose among them")
        );
    }
    if group.pattern != Pattern::Constant || group.on.is_some() || group.off.is_some() {
        return Err(layers.error("goes without \"pattern\", \"on\" and \"off\": messages are evenly spaced"));
    }
    group.layers.iter().try_for_each(|rate| layers.rate(*rate))?;
    if group.layers.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(layers.error("rates ascend: each is above the one before"));
    }
    Ok(())
}

fn check_weight(at: &Key, weight: f64) -> Checked {
    if weight.is_finite() && weight > 0.0 {
        return Ok(());
    }
    Err(at.then("sharing_weight").wrong(weight, "a weight is above zero"))
}

/// Refuses an algorithm that has no use for what is shared.
fn check_algorithm(at: &Key, sharing: Option<Sharing>, name: &str, custom: &[String]) -> Checked {
    let names: Vec<&str> = custom.iter().map(String::as_str).collect();
    let Ok(variant) = Variant::parse(name, &names) else { return Ok(()) };
    let known = match &variant.controller {
        Controller::Known(spec) if spec.whole().is_none() => Some(spec),
        _ => None,
    };
    let Some(spec) = known.filter(|_| matches!(variant.transport, Transport::Tcp(_))) else {
        let message = format!(
            "{name} has no window and threshold to share; TCP with a slow start and an avoidance has"
        );
        return Err(at.wrong(clip(name), message));
    };
    let resumes = spec.slow_start().is_some_and(|entry| entry.name == "careful-resume");
    if sharing == Some(Sharing::CarefulResume) && !resumes {
        let message = format!(
            "{} has no use for the memory; write the slow start too, such as \"careful-resume+cubic\"",
            clip(name)
        );
        return Err(at.wrong(clip(name), message));
    }
    Ok(())
}
