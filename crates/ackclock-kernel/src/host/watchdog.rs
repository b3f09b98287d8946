//! A look at controllers from outside: one that does not return is said, and does not keep the program from its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::clock::now_ns;

/// The time after which the kernel goes on without the controllers.
const HEARTBEAT_NS: u64 = 200_000_000;

/// The time that a controller has for its answer once the program shall end.
const PATIENCE_NS: u64 = 1_000_000_000;

/// The interval of looks.
const LOOK: Duration = Duration::from_millis(50);

/// The call of a controller under way.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// When it began; zero while there is none.
    since_ns: AtomicU64,
    port: AtomicU64,
}

impl Call {
    /// Calls a controller, of the flow with this port.
    pub fn make<T>(&self, port: u16, call: impl FnOnce() -> T) -> T {
        self.port.store(port.into(), Ordering::Relaxed);
        self.since_ns.store(now_ns(), Ordering::Release);
        let answer = call();
        self.end();
        answer
    }

    /// The call is over, also by a panic.
    pub fn end(&self) {
        self.since_ns.store(0, Ordering::Release);
    }

    /// The beginning of the call and its port, if it has lasted this long.
    fn lasting(&self, now_ns: u64, at_least_ns: u64) -> Option<(u64, u64)> {
        let since = self.since_ns.load(Ordering::Acquire);
        let lasts = since != 0 && now_ns.saturating_sub(since) >= at_least_ns;
        lasts.then(|| (since, self.port.load(Ordering::Relaxed)))
    }
}

/// Watches the calls of all algorithms until `is_over`; ends the program where one outlasts `stop`.
pub(super) fn watch(calls: Vec<Arc<Call>>, stop: Arc<AtomicBool>, is_over: Arc<AtomicBool>) {
    thread::spawn(move || {
        let mut said = 0;
        while !is_over.load(Ordering::Relaxed) {
            thread::park_timeout(LOOK);
            let now = now_ns();
            for (since, port) in calls.iter().filter_map(|call| call.lasting(now, HEARTBEAT_NS)) {
                if since != said {
                    said = since;
                    eprintln!(
                        "ackclock-kernel: the controller of port {port} does not return; flows go on as Reno"
                    );
                }
                if stop.load(Ordering::Relaxed) && now.saturating_sub(since) >= PATIENCE_NS {
                    // Registrations end with the process.
                    std::process::exit(1);
                }
            }
        }
    });
}
