//! The calls of a scenario.

use ackclock_application::{Encoder, Playout};
use ackclock_random::RandomStream;
use ackclock_scenario::{CallGroup, Scenario};
use ackclock_transport::media::{Receiver, Sender};
use ackclock_units::Time;

use super::template::CustomMedia;
use crate::facts::flow_infos::{Common, FlowInfo};
use crate::flows::{CallParts, MediaFlow};
use crate::simulation::Simulation;

impl Simulation {
    /// Adds the calls of `[[call]]`.
    pub(super) fn add_calls(&mut self, scenario: &Scenario, custom: &[&str], media: CustomMedia<'_>) {
        let mut latest: Option<(&CallGroup, u32)> = None;
        scenario.each_call(|call| {
            let group = call.group;
            let (start, stop) =
                (Time::ZERO + call.start, group.stop.map_or(Time::MAX, |stop| Time::ZERO + stop));
            let routes = self.routes(call.index, &call.source, &call.destination);
            let random = RandomStream::new(scenario.seed, &format!("encoder {}", call.name));
            let (control, start_facts) = (group.control(custom), group.media_start());
            let controller = match &control {
                Some(control) => control.build(&start_facts),
                None => media(group.algorithm.trim(), &start_facts),
            };
            let interval = group.feedback_interval.unwrap_or_else(|| controller.feedback_interval());
            let packet = group.packet.get() as u32;
            self.flows.add_media(MediaFlow::new(CallParts {
                encoder: Encoder::new(group.encoder(), (start, stop), random),
                sender: Sender::new(packet, controller),
                receiver: Receiver::new(interval),
                playout: Playout::new(group.jitter_buffer),
                routes,
                ecn: group.ecn.field(),
                packet,
            }));
            let (source, destination) = (self.node(&call.source), self.node(&call.destination));
            let common = match latest {
                Some((known, common)) if std::ptr::eq(known, group) => common,
                _ => {
                    let algorithm = control
                        .map_or_else(|| group.algorithm.trim().to_owned(), |control| control.to_string());
                    self.infos.add_common(Common { algorithm, stop, syn_options: None })
                }
            };
            latest = Some((group, common));
            self.infos.add(&call.name, FlowInfo { start, source, destination, common });
        });
    }
}
