//! The memory that the next packets and timers will need is prefetched.

use ackclock_network::LinkId;

use crate::engine::Engine;
use crate::engine::event::Event;
use crate::facts::flow_infos::Kind;
use crate::simulation::Simulation;

impl Simulation {
    /// Prefetches the memory of the flows whose packets arrive next: those behind the present one, or, of calls, those
    /// of the next events, for behind a dumbbell each link has few packets.
    #[inline]
    pub(super) fn prefetch_for_packets(&mut self, link: LinkId) {
        let Engine { network, events, .. } = &self.engine;
        let [next, later] = match network.upcoming(link) {
            Some(packets) => packets.map(Some),
            None if self.flows.have_calls() => network.upcoming_anywhere(events).unwrap_or_default(),
            None => return,
        };
        if let Some(later) = later {
            self.flows.prefetch(later);
        }
        if let Some(next) = next {
            self.flows.prefetch_beyond(next, network);
        }
    }

    /// Prefetches the memory of what timers need soon, in two steps: what is found by a number, and what that memory refers to.
    #[inline(never)]
    pub(super) fn prefetch_for_others(&mut self) {
        let Engine { events, network, .. } = &self.engine;
        let soon = events.soon();
        if soon == self.prefetched_until {
            return;
        }
        self.prefetched_until = soon;
        for event in events.others_soon() {
            if let Event::Timer { flow, end } = Event::of(event.class, event.target) {
                self.flows.prefetch_beyond_timer(flow, end, network);
            }
        }
        for event in events.others_next() {
            if let Event::Timer { flow, end } = Event::of(event.class, event.target) {
                self.flows.prefetch_for_timer(flow, end);
                if self.flows.kind(flow as usize) == Kind::Udp {
                    self.applications.prefetch(flow);
                }
            }
        }
    }
}
