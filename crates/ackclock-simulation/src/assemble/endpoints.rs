//! The endpoints of flows, each of its transport.

use std::sync::Arc;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{CongestionControl, Start};
use ackclock_network::RouteCursor;
use ackclock_random::RandomStream;
use ackclock_scenario::{AckNakConfig, Application, FlowGroup, FlowSpec};
use ackclock_transport::tcp::{self, Cookie, EcnMode, Settings};
use ackclock_transport::{Controller, Stack, Transfer, Transport, Variant, acknak};
use ackclock_units::Bytes;

use super::template::CustomControllers;
use crate::facts::flow_infos::SynOptions;
use crate::flows::context::LazyTimer;
use crate::flows::stack_connection::{StackSetup, Stacks};
use crate::flows::{AckNakFlow, StackFlow, StackSizes, TcpFlow, TfrcFlow, TwoWayFlow};
use crate::simulation::Simulation;

/// The initial values of a flow of any transport.
pub(super) struct FlowStart {
    pub transfer: Transfer,
    pub controller: Box<dyn CongestionControl>,
    /// The cookie of the server for Fast Open.
    pub cookie: Cookie,
    /// There and back.
    pub routes: (RouteCursor, RouteCursor),
}

/// Endpoint settings by the scenario table from which they come, and by the part that the algorithm decides.
/// Flows that agree in both share one entry.
pub(super) struct Shared<'a, C, K, S>(Vec<(&'a C, K, Arc<S>)>);

impl<C, K, S> Default for Shared<'_, C, K, S> {
    fn default() -> Self {
        Shared(Vec::new())
    }
}

impl<'a, C, K: Copy + PartialEq, S> Shared<'a, C, K, S> {
    pub fn settings(&mut self, config: &'a C, kind: K, make: impl FnOnce(&C, K) -> S) -> Arc<S> {
        let is_it = |known: &C, of: K| std::ptr::eq(known, config) && of == kind;
        // The flows of a group are added one after the other.
        if let Some((_, _, settings)) = self.0.iter().rev().find(|(known, of, _)| is_it(known, *of)) {
            return Arc::clone(settings);
        }
        let settings = Arc::new(make(config, kind));
        self.0.push((config, kind, Arc::clone(&settings)));
        settings
    }
}

impl Simulation {
    /// Adds a TCP connection.
    pub(super) fn add_tcp(
        &mut self,
        begin: FlowStart,
        group: &FlowGroup,
        recovery: tcp::Recovery,
        settings: &Arc<Settings>,
    ) {
        let FlowStart { transfer, controller, cookie, routes } = begin;
        let header = group.tcp.header_bytes();
        let mut flow = TcpFlow::new(settings, recovery, controller, transfer, routes, header);
        flow.sender.keep_cookie(cookie);
        if group.application.stays_open() {
            flow.stay_open();
        }
        self.flows.add_tcp(flow);
    }

    /// Adds a TCP connection with data both ways, each end with a controller of its own.
    pub(super) fn add_two_way(
        &mut self,
        begin: FlowStart,
        group: &FlowGroup,
        recovery: tcp::Recovery,
        settings: &Arc<Settings>,
    ) {
        let FlowStart { transfer, controller, cookie, routes } = begin;
        let header = group.tcp.header.get() as u32;
        let server = tcp::Connection::listening(settings, recovery, controller.clone());
        let mut client = tcp::Connection::opening(settings, recovery, controller, transfer);
        client.keep_cookie(cookie);
        let mut flow = TwoWayFlow::new(client, server, routes, header, settings.mss);
        if matches!(group.application, Application::Browser(_)) {
            flow.tell_writable();
        }
        self.flows.add_two_way(flow);
    }

    /// Adds a flow over another stack.
    pub(super) fn add_stack(
        &mut self,
        begin: FlowStart,
        flow: &FlowSpec<'_>,
        stack: Stack,
        (seed, stacks): (u64, &dyn Stacks),
    ) {
        let FlowStart { transfer, controller, routes, .. } = begin;
        let (tcp, datagram) = (&flow.group.tcp, flow.group.datagram());
        let ecn = tcp.ecn == Some(EcnMode::Classic);
        let connection = stacks.connect(StackSetup {
            stack,
            controller,
            mtu: datagram.get() as u16,
            bytes: transfer.packets.map(|packets| packets.saturating_mul(tcp.mss.get())),
            ecn,
            segments_per_ack: tcp.settings.segments_per_ack,
            receive_window: tcp.receive_window.bytes(tcp.mss).map(Bytes::get),
            seed: RandomStream::new(seed, &format!("stack {}", flow.name)).bits(),
            log: self.engine.recorder.qlogs.of(&flow.name),
        });
        let sizes = StackSizes { payload: tcp.mss.get() as u32, wire: (tcp.mss + tcp.header).get() as u32 };
        self.flows.add_stack(StackFlow::new(connection, transfer, routes, sizes, ecn));
    }

    pub(super) fn add_acknak(
        &mut self,
        begin: FlowStart,
        group: &FlowGroup,
        settings: Arc<acknak::Settings>,
    ) {
        let FlowStart { transfer, controller, routes: (forward, backward), .. } = begin;
        let round_trip =
            self.engine.network.propagation_delay(forward) + self.engine.network.propagation_delay(backward);
        let config = &group.acknak;
        self.flows.add_acknak(AckNakFlow {
            sender: acknak::Sender::new(settings, controller, transfer, round_trip),
            receiver: acknak::Receiver::default(),
            forward,
            backward,
            packet: config.packet.get() as u16,
            ack: config.ack.get() as u16,
            wake: LazyTimer::NONE,
            is_transferring: transfer.packets.is_some(),
        });
    }

    /// Adds a TFRC flow, which has the packet and header sizes of `[tcp]`.
    pub(super) fn add_tfrc(&mut self, begin: &FlowStart, group: &FlowGroup, variant: &Variant) {
        let Controller::Tfrc(spec) = &variant.controller else {
            unreachable!("TFRC comes with its own control")
        };
        let FlowStart { transfer, routes, .. } = *begin;
        let settings = Arc::new(spec.settings(group.tcp.mss.get() as u16));
        let header = group.tcp.header.get() as u32;
        self.flows.add_tfrc(TfrcFlow::new(settings, transfer, routes, header));
    }
}

pub(super) fn controller(
    variant: &Variant,
    start: &Start,
    make: CustomControllers,
) -> Box<dyn CongestionControl> {
    match &variant.controller {
        Controller::Known(spec) => spec.build(start),
        Controller::Custom(name) => make(name, start),
        // Nothing uses this controller, since TFRC's endpoints control themselves.
        Controller::Tfrc(_) => ControllerSpec::default().build(start),
    }
}

/// The initial window and threshold of a controller.
pub(super) fn start_window(group: &FlowGroup, transport: Transport) -> Start {
    match transport {
        Transport::Tcp(_) | Transport::Tfrc => group.tcp.start(),
        Transport::AckNak => {
            let window = group.acknak.initial_window.packets(group.acknak.packet);
            Start {
                initial_window: window,
                initial_ssthresh: group.acknak.initial_ssthresh.0,
                restart_window: window,
            }
        }
    }
}

pub(super) fn acknak_settings(config: &AckNakConfig, (): ()) -> acknak::Settings {
    acknak::Settings {
        initial_window: config.initial_window.packets(config.packet),
        initial_ssthresh: config.initial_ssthresh.0,
        syn_interval: config.syn_interval,
        syn_attempts: config.syn_attempts,
    }
}

/// The options of the SYNs.
pub(super) fn syn_options(settings: &Settings, recovery: tcp::Recovery) -> SynOptions {
    SynOptions {
        mss: settings.mss,
        sack: recovery.uses_sack(),
        timestamps: settings.timestamps,
        window: settings.receive_window,
        fast_open: settings.fast_open,
    }
}
