//! Several algorithms at once, each with its name in the kernel, and the loop that serves them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use libbpf_rs::{MapHandle, RingBufferBuilder};

use super::clock::now_ns;
use super::desk::{Desk, Observer};
use super::report::Report;
use crate::factory::Factory;

/// The longest time without a heartbeat. The kernel waits ten times as long.
const BEAT: Duration = Duration::from_millis(20);

/// An algorithm and its name in the kernel.
pub struct Algorithm {
    /// Up to 15 letters, digits and underscores.
    pub name: String,
    /// Makes the controllers.
    pub factory: Factory,
    /// Sees the records.
    pub observer: Option<Observer>,
}

/// Algorithms that sockets of this machine can choose, until it is dropped.
pub struct Session {
    desks: Vec<Desk>,
}

impl Session {
    /// Registers the algorithms.
    ///
    /// # Errors
    /// A sentence: a name that is in use or no name, or what the kernel says.
    pub fn open(algorithms: Vec<Algorithm>) -> Result<Session, String> {
        let open = |algorithm: Algorithm| Desk::open(&algorithm.name, algorithm.factory, algorithm.observer);
        let desks = algorithms.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        for desk in &desks {
            desk.datapath().beat();
        }
        Ok(Session { desks })
    }

    /// Serves flows until `stop`; gives the accounts.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn serve(self, stop: &AtomicBool) -> Result<Vec<Report>, String> {
        let desks: Rc<Vec<RefCell<Desk>>> = Rc::new(self.desks.into_iter().map(RefCell::new).collect());
        let pulse = Rc::new(Pulse::default());
        let rings: Vec<_> =
            desks.iter().map(|desk| MapHandle::try_from(&desk.borrow().datapath().events)).collect();
        let rings = rings.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let mut builder = RingBufferBuilder::new();
        for (number, ring) in rings.iter().enumerate() {
            let (desks, pulse) = (Rc::clone(&desks), Rc::clone(&pulse));
            let take = move |record: &[u8]| {
                desks[number].borrow_mut().take(record);
                pulse.beat(&desks);
                0
            };
            builder.add(ring, take).map_err(|error| error.to_string())?;
        }
        let ring = builder.build().map_err(|error| error.to_string())?;
        while !stop.load(Ordering::Relaxed) {
            pulse.beat(&desks);
            // An interrupted wait is one that ends early.
            ring.poll_raw(BEAT);
        }
        Ok(desks.iter().map(|desk| desk.borrow().report()).collect())
    }
}

/// The heartbeat of all algorithms, which is between two records too: a full ring takes long to read.
#[derive(Default)]
struct Pulse(std::cell::Cell<u64>);

impl Pulse {
    fn beat(&self, desks: &[RefCell<Desk>]) {
        let now = now_ns();
        if now.saturating_sub(self.0.get()) * 2 >= BEAT.as_nanos() as u64 {
            self.0.set(now);
            for desk in desks {
                desk.borrow().datapath().beat();
            }
        }
    }
}
