//! Several algorithms at once, each with its name in the kernel, and the loop that serves them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use libbpf_rs::{MapHandle, RingBufferBuilder};

use super::clock::now_ns;
use super::controllers::{Controllers, Observer};
use super::report::Report;
use super::watchdog;
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
    algorithms: Vec<Controllers>,
}

impl Session {
    /// Registers the algorithms.
    ///
    /// # Errors
    /// A sentence about a name that is in use or invalid, or the kernel's error.
    pub fn open(algorithms: Vec<Algorithm>) -> Result<Session, String> {
        let open =
            |algorithm: Algorithm| Controllers::open(&algorithm.name, algorithm.factory, algorithm.observer);
        let algorithms = algorithms.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        for each in &algorithms {
            each.datapath().beat();
        }
        Ok(Session { algorithms })
    }

    /// Serves flows until `stop`. Returns the accounts. A controller that does not return is said, and its flows go on as Reno; if
    /// it has not returned a second after `stop`, the program ends with 1.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn serve(self, stop: &Arc<AtomicBool>) -> Result<Vec<Report>, String> {
        let is_over = Arc::new(AtomicBool::new(false));
        let calls = self.algorithms.iter().map(Controllers::call).collect();
        watchdog::watch(calls, Arc::clone(stop), Arc::clone(&is_over));
        let reports = self.served(stop);
        is_over.store(true, Ordering::Relaxed);
        reports
    }

    fn served(self, stop: &AtomicBool) -> Result<Vec<Report>, String> {
        let algorithms: Rc<Vec<RefCell<Controllers>>> =
            Rc::new(self.algorithms.into_iter().map(RefCell::new).collect());
        let pulse = Rc::new(Pulse::default());
        let rings: Vec<_> =
            algorithms.iter().map(|each| MapHandle::try_from(&each.borrow().datapath().events)).collect();
        let rings = rings.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let mut builder = RingBufferBuilder::new();
        for (number, ring) in rings.iter().enumerate() {
            let (algorithms, pulse) = (Rc::clone(&algorithms), Rc::clone(&pulse));
            let take = move |record: &[u8]| {
                algorithms[number].borrow_mut().take(record);
                pulse.beat(&algorithms);
                0
            };
            builder.add(ring, take).map_err(|error| error.to_string())?;
        }
        let ring = builder.build().map_err(|error| error.to_string())?;
        while !stop.load(Ordering::Relaxed) {
            pulse.beat(&algorithms);
            // An interrupted wait counts as one that ends early.
            ring.poll_raw(BEAT);
        }
        Ok(algorithms.iter().map(|each| each.borrow().report()).collect())
    }
}

/// The heartbeat of all algorithms. It also beats between two records, since a full ring takes long
/// to read.
#[derive(Default)]
struct Pulse(std::cell::Cell<u64>);

impl Pulse {
    fn beat(&self, algorithms: &[RefCell<Controllers>]) {
        let now = now_ns();
        if now.saturating_sub(self.0.get()) * 2 >= BEAT.as_nanos() as u64 {
            self.0.set(now);
            for each in algorithms {
                each.borrow().datapath().beat();
            }
        }
    }
}
