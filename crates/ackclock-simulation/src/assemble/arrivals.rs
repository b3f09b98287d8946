//! The flows that are made on arrival.

use std::sync::Arc;

use ackclock_scenario::{Application, FlowGroup, FlowSpec, TcpConfig};
use ackclock_transport::tcp::{EcnMode, Recovery, Settings};
use ackclock_transport::{Controller, Transport, Variant};
use ackclock_units::Time;

use super::endpoints::{Shared, syn_options};
use super::template::FlowTemplate;
use crate::facts::flow_infos::{Common, FlowInfo};
use crate::simulation::Simulation;
use crate::simulation::arrivals::Arriving;

impl Simulation {
    /// The recovery of a group's flows of a variant, if they are made on arrival. They are if each sends one file over
    /// TCP, and its packets are neither logged nor counted by epochs. The caller's own controllers are made at the beginning
    /// instead.
    pub(super) fn arriving(&self, group: &FlowGroup, variant: &Variant) -> Option<Recovery> {
        let (Transport::Tcp(recovery), Controller::Known(_)) = (variant.transport, &variant.controller)
        else {
            return None;
        };
        let is_file = matches!(group.application, Application::File(_))
            && group.send_overhead.is_none()
            && group.stack.is_none();
        let is_watched = self.engine.recorder.qlogs.is_on() || self.epoch.is_some();
        // A copy of a packet is not counted as sent, so nothing shows that a copy is still in the network after
        // the packet has arrived.
        let is_counted = !self.engine.network.duplicates();
        (is_file && !is_watched && is_counted).then_some(recovery)
    }

    /// Adds a flow that is made on arrival.
    pub(super) fn expect<'a>(
        &mut self,
        flow: &FlowSpec<'a>,
        template: &FlowTemplate,
        recovery: Recovery,
        shared: &mut Shared<'a, TcpConfig, (EcnMode, Recovery), Settings>,
    ) {
        let common =
            *template.common.get_or_init(|| self.expect_group(flow.group, template, recovery, shared));
        let (source, destination) = (self.node(&flow.source), self.node(&flow.destination));
        // Makes the route now: all routes must be known before the first packet.
        self.routes(flow.index, &flow.source, &flow.destination);
        let start = Time::ZERO + flow.start;
        self.infos.add(&flow.name, FlowInfo { start, source, destination, common });
        self.flows.add_waiting_tcp();
        if start < template.stop {
            self.arrivals.add(flow.index);
        }
    }

    /// Adds the properties that the flows of a group share. Returns their number.
    fn expect_group<'a>(
        &mut self,
        group: &'a FlowGroup,
        template: &FlowTemplate,
        recovery: Recovery,
        shared: &mut Shared<'a, TcpConfig, (EcnMode, Recovery), Settings>,
    ) -> u32 {
        let Controller::Known(spec) = &template.variant.controller else {
            unreachable!("flows with a controller of the caller's are made at the beginning")
        };
        let controller = spec.build(&template.start);
        let algorithm = (EcnMode::for_needs(controller.needs()), recovery);
        let settings = shared.settings(&group.tcp, algorithm, TcpConfig::connection);
        let header = group.tcp.header_bytes();
        let common = self.infos.add_common(Common {
            algorithm: template.variant.to_string(),
            stop: template.stop,
            syn_options: Some(syn_options(&settings, recovery)),
        });
        self.share(common, group, template);
        let install = group.application.install(template.stop);
        let socket_config = template.socket_config.unwrap_or_default();
        self.arrivals.add_group(
            common,
            Arriving {
                settings: Arc::clone(&settings),
                recovery,
                controller,
                header,
                install,
                socket_config,
            },
        );
        common
    }
}
