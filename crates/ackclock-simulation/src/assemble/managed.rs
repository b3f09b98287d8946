//! The clients of the Congestion Manager over UDP.

use ackclock_scenario::{TcpConfig, UdpSpec};
use ackclock_transport::udp::{ManagedSender, RateCallback, RateThresholds};
use ackclock_transport::{Controller, Variant};

use crate::simulation::Simulation;

/// The most bytes that wait in a socket: Linux' `net.core.wmem_default`.
const SOCKET_BUFFER: u64 = 212_992;

impl Simulation {
    /// The sender of a client, which joins the macroflow of its hosts. If it is the first, the macroflow has the algorithm and the
    /// initial window of `[tcp]`.
    pub(super) fn managed(&mut self, tcp: &TcpConfig, flow: &UdpSpec<'_>) -> ManagedSender {
        let make = || match Variant::parse(&tcp.algorithm, &[]).map(|variant| variant.controller) {
            Ok(Controller::Known(spec)) => spec.build(&tcp.start()),
            _ => unreachable!("reading the scenario has checked the algorithm"),
        };
        let key = (self.node(&flow.source).index(), self.node(&flow.destination).index());
        let pair = self.sharing.pairs.entry(key);
        let highest = flow.group.layers.last().map_or(0, |rate| rate.bits_per_second());
        let size = flow.group.packet.min(flow.group.message());
        let [down, up] = flow.group.rate_thresholds;
        // A source that sends less than its highest layer was told a lower rate. It is called at a
        // multiple of that rate.
        let usable = up * highest as f64 / (8 * size.get()) as f64;
        let controller = pair.join(flow.index, (flow.group.sharing_weight, usable), make);
        let room = (SOCKET_BUFFER / flow.group.packet.get()).max(1);
        let mut sender = ManagedSender::new(controller, room, tcp.settings.rto);
        if !flow.group.layers.is_empty() {
            sender.call_back(RateCallback::new(RateThresholds { down, up }, size));
        }
        sender
    }
}
