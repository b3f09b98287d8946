//! The clients of the Congestion Manager over UDP.

use ackclock_scenario::{TcpConfig, UdpSpec};
use ackclock_transport::udp::ManagedSender;
use ackclock_transport::{Controller, Variant};

use super::endpoints::{rto_settings, tcp_start};
use crate::simulation::Simulation;

/// The bytes that wait in a socket at most: Linux' `net.core.wmem_default`.
const SOCKET_BUFFER: u64 = 212_992;

impl Simulation {
    /// The sender of a client, which joins the macroflow of its hosts. If it is the first, the macroflow has the algorithm and the
    /// initial window of `[tcp]`.
    pub(super) fn managed(&mut self, tcp: &TcpConfig, flow: &UdpSpec<'_>) -> ManagedSender {
        let make = || match Variant::parse(&tcp.algorithm, &[]).map(|variant| variant.controller) {
            Ok(Controller::Known(spec)) => spec.build(&tcp_start(tcp)),
            _ => unreachable!("reading the scenario has checked the algorithm"),
        };
        let key = (self.node(&flow.source).index(), self.node(&flow.destination).index());
        let pair = self.sharing.pairs.entry(key);
        let controller = pair.join(flow.index, flow.group.sharing_weight, make);
        let room = (SOCKET_BUFFER / flow.group.packet.get()).max(1);
        ManagedSender::new(controller, room, rto_settings(tcp))
    }
}
