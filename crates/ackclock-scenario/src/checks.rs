//! The checks of a scenario before its run that involve more than one of its parts. Each part checks itself.

mod duplication;
mod flows;
mod framing;
mod memory;
mod sharing;
mod transmission;

use ackclock_transport::{Transport, Variant};
use ackclock_units::Duration;
use serde_json::Value;

use crate::read::error::{Checked, clip};
use crate::read::key::Key;
use crate::read::limits::{LONGEST_RUN, MOST_SEGMENTS, MOST_UPDATES};
use crate::settings::Settings;
use crate::topology::{NodeIndex, link_name};
use crate::traffic::{FlowGroup, GroupContext};

/// Refuses whatever can be seen to be wrong before a run; `tree` is the text's own tree, `custom` are the algorithms
/// that the caller brings.
pub(crate) fn check(settings: &Settings, tree: &Value, custom: &[String]) -> Checked {
    check_name(&settings.name)?;
    Key::top("duration").above_zero(settings.duration)?;
    Key::top("duration").at_most(settings.duration, LONGEST_RUN)?;
    if settings.warm_up >= settings.duration {
        let message = format!(
            "found {}; it must be shorter than the duration, {}",
            settings.warm_up, settings.duration
        );
        return Err(Key::top("warm_up").wrong(settings.warm_up, message));
    }
    settings.check_flow_count()?;
    settings.topology.check(&Key::top("topology"), settings.flow_count())?;
    settings.check_updates()?;
    settings.check_segments()?;
    settings.tcp.check(&Key::top("tcp"), custom)?;
    settings.acknak.check(&Key::top("acknak"))?;
    let nodes = NodeIndex::new(&settings.topology);
    let Settings { duration, ref tcp, ref acknak, .. } = *settings;
    let context = GroupContext { duration, tcp, acknak, nodes: &nodes, custom };
    for (index, group) in settings.flow.iter().enumerate() {
        let at = Key::top("flow").then(index);
        group.check(&at, &context, &tree["flow"][index])?;
    }
    for (index, group) in settings.udp.iter().enumerate() {
        group.check(&Key::top("udp").then(index), settings.duration, &nodes)?;
    }
    for (index, group) in settings.call.iter().enumerate() {
        group.check(&Key::top("call").then(index), settings.duration, &nodes, custom)?;
    }
    settings.check_transmission_times(custom)?;
    settings.check_duplication(custom)?;
    settings.check_sharing(custom)?;
    settings.check_framing(custom)?;
    settings.check_flow_names()?;
    settings.trace.check(&Key::top("trace"), settings.duration, &nodes)?;
    settings.check_qlog(custom)?;
    settings.check_memory()
}

impl Settings {
    /// Refuses queues that would update their drop probabilities too often in a run of this length, all together.
    fn check_updates(&self) -> Checked {
        let (mut queues, mut updates) = (0_u32, 0.0);
        let mut shortest = None;
        self.topology.directions(&mut |from, to, link| {
            let Some(period) = link.queue.discipline().update_period() else { return };
            queues += 1;
            updates += self.duration / period;
            if shortest.as_ref().is_none_or(|(least, _)| period < *least) {
                shortest = Some((period, link_name(from, to)));
            }
        });
        let Some((period, link)) = shortest.filter(|_| updates > MOST_UPDATES) else { return Ok(()) };
        let least = Duration::from_secs_f64(self.duration.as_secs_f64() * f64::from(queues) / MOST_UPDATES);
        let message = format!(
            "queues make {updates:.0} updates in {}, those of {link} with the period {period}; at most {MOST_UPDATES:.0} together, \
             so periods of at least {least}",
            self.duration
        );
        Err(Key::top("topology").wrong(period, message))
    }

    /// Refuses schedules that would change too often in a run of this length, all together.
    fn check_segments(&self) -> Checked {
        let (mut segments, mut most, mut link) = (0.0, 0.0, String::new());
        self.topology.directions(&mut |from, to, config| {
            let own = config.segments(self.duration);
            segments += own;
            if own > most {
                (most, link) = (own, link_name(from, to));
            }
        });
        if segments <= MOST_SEGMENTS {
            return Ok(());
        }
        let message = format!(
            "schedules change {segments:.0} times in {}, those of {link} {most:.0} times; at most {MOST_SEGMENTS:.0} together, so \
             longer periods or dwell times",
            self.duration
        );
        Err(Key::top("topology").wrong(segments, message))
    }

    /// Refuses qlogs if no flow writes one.
    pub(crate) fn check_qlog(&self, custom: &[String]) -> Checked {
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

/// A name becomes the name of a folder.
fn check_name(name: &str) -> Checked {
    let right = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(right) {
        let name = clip(name);
        let message = format!(
            "found {name:?}; a name has 1 to 100 of the characters a-z, A-Z, 0-9, -, _ and . and does not begin with ."
        );
        return Err(Key::top("name").wrong(name, message));
    }
    Ok(())
}
