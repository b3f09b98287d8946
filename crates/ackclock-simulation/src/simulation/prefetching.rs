//! The senders whose timers expire soon are prefetched.

use ackclock_network::Class;

use crate::engine::Engine;
use crate::engine::event::Event;
use crate::facts::End;
use crate::facts::flow_infos::Kind;
use crate::simulation::Simulation;

impl Simulation {
    /// Prefetches the memory of senders whose timers expire soon, in two steps: what is found by a flow's number, and what that
    /// memory refers to.
    #[inline(never)]
    pub(super) fn prefetch_for_timers(&mut self) {
        let Engine { events, .. } = &self.engine;
        let soon = events.soon();
        if soon == self.prefetched_until {
            return;
        }
        self.prefetched_until = soon;
        let sender = |target| match Event::of(Class::Timer, target) {
            Event::Timer { flow, end: End::Sender } => Some(flow),
            _ => None,
        };
        for flow in events.timers_soon().filter_map(sender) {
            self.flows.prefetch_sender_beyond(flow);
        }
        for flow in events.timers_next().filter_map(sender) {
            self.flows.prefetch_sender(flow);
            if self.flows.kind(flow as usize) == Kind::Udp {
                self.applications.prefetch(flow);
            }
        }
    }
}
