//! The applications of a run, and the flows that are their sockets.

use ackclock_application::{Action, Application, Arrival, Delivery, Ending, Needs};
use ackclock_memory::{memory_of, prefetch};
use ackclock_units::{Rate, Time};

use crate::facts::End;

/// An application that will be called again.
struct Installed {
    application: Box<dyn Application>,
    needs: Needs,
    /// The flow of its socket 0; the others follow.
    first_flow: u32,
    /// The sockets of a flow: one, or both ends of a connection.
    sockets_per_flow: u32,
}

/// An application and one of its sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Socket {
    pub application: u32,
    pub number: u32,
}

/// All applications that need a call after their start.
#[derive(Default)]
pub(crate) struct Applications {
    each: Vec<Installed>,
    /// The application of each flow, [`NONE`] for none. The list ends with the last flow that has one.
    by_flow: Vec<u32>,
    /// True if any application is called for packets of data.
    need_deliveries: bool,
}

const NONE: u32 = u32::MAX;

impl Applications {
    /// Adds an application whose sockets belong to this many flows from `first_flow` on, unless it needs no
    /// further call. Returns its number.
    pub fn add(
        &mut self,
        application: Box<dyn Application>,
        first_flow: u32,
        flows: u32,
        sockets_per_flow: u32,
    ) -> Option<u32> {
        let needs = application.needs();
        if needs == Needs::Nothing {
            return None;
        }
        let number = self.each.len() as u32;
        self.by_flow.resize(first_flow as usize, NONE);
        self.by_flow.resize((first_flow + flows) as usize, number);
        self.need_deliveries |= needs >= Needs::Deliveries;
        self.each.push(Installed { application, needs, first_flow, sockets_per_flow });
        Some(number)
    }

    /// True if any application is called for packets of data.
    #[inline]
    pub fn need_deliveries(&self) -> bool {
        self.need_deliveries
    }

    /// The flow of an application's socket, and the end that writes to it.
    pub fn flow(&self, application: u32, socket: u32) -> (u32, End) {
        let &Installed { first_flow, sockets_per_flow, .. } = &self.each[application as usize];
        let end = if socket % sockets_per_flow == 1 { End::Receiver } else { End::Sender };
        (first_flow + socket / sockets_per_flow, end)
    }

    /// The application whose socket is at an end of a flow. A one-way flow has one socket, for which either
    /// end stands.
    pub fn of(&self, flow: u32, end: End) -> Option<Socket> {
        let application = self.by_flow.get(flow as usize).copied().filter(|number| *number != NONE)?;
        let &Installed { first_flow, sockets_per_flow, .. } = &self.each[application as usize];
        let second = end == End::Receiver && sockets_per_flow == 2;
        Some(Socket { application, number: (flow - first_flow) * sockets_per_flow + u32::from(second) })
    }

    /// The application of a flow, if it is called for packets of data; with its needs.
    pub fn receiver_of(&self, flow: u32, end: End) -> Option<(Socket, Needs)> {
        let socket = self.of(flow, end)?;
        let needs = self.each[socket.application as usize].needs;
        (needs >= Needs::Deliveries).then_some((socket, needs))
    }

    /// Prefetches the memory of a flow's application.
    pub fn prefetch(&self, flow: u32) {
        if let Some(socket) = self.of(flow, End::Sender) {
            prefetch(memory_of(&*self.each[socket.application as usize].application));
        }
    }

    pub fn on_timer(&mut self, application: u32, now: Time, actions: &mut Vec<Action>) {
        self.each[application as usize].application.on_timer(now, actions);
    }

    pub fn on_rate(&mut self, at: Socket, rate: Rate, now: Time, actions: &mut Vec<Action>) {
        self.each[at.application as usize].application.on_rate(now, at.number, rate, actions);
    }

    pub fn on_delivered(&mut self, at: Socket, delivery: Delivery, now: Time, actions: &mut Vec<Action>) {
        self.each[at.application as usize].application.on_delivered(now, at.number, delivery, actions);
    }

    pub fn on_bytes(&mut self, at: Socket, arrival: Arrival, now: Time, actions: &mut Vec<Action>) {
        self.each[at.application as usize].application.on_bytes(now, at.number, arrival, actions);
    }

    pub fn on_writable(&mut self, at: Socket, now: Time, actions: &mut Vec<Action>) {
        self.each[at.application as usize].application.on_writable(now, at.number, actions);
    }

    pub fn on_closed(&mut self, at: Socket, ending: Ending, now: Time, actions: &mut Vec<Action>) {
        self.each[at.application as usize].application.on_closed(now, at.number, ending, actions);
    }
}
