//! Any slow start with any avoidance, and what is common to all of them written once: which phase an
//! acknowledgment belongs to, restarts, repeated timeouts, undo and idle restarts.

mod avoidance;
mod slow_start;
mod window;

pub use self::avoidance::Avoidance;
pub use self::slow_start::SlowStart;
pub use self::window::{Reduction, Window};
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Signal, Start};

/// The smallest window kept here, in packets: a window-based sender with less would never send again.
const LEAST_WINDOW: f64 = 1.0;

/// A window-based controller: `S` below the threshold, `A` from it on.
///
/// It is what RFC 5681 says of every sender; only the growth in either phase and the size of the reduction are the
/// algorithms' own. The window never falls below one packet.
#[derive(Clone, Debug)]
pub struct Windowed<S, A> {
    window: Window,
    /// The window of a restart, in packets.
    restart_window: f64,
    slow_start: S,
    avoidance: A,
    /// The state before the last episode. Boxed: it is touched once per episode, the rest on every acknowledgment.
    before: Option<Box<Before<S, A>>>,
}

/// The state that [`Event::Spurious`] brings back.
#[derive(Clone, Debug)]
struct Before<S, A> {
    window: Window,
    slow_start: S,
    avoidance: A,
}

impl<S: SlowStart, A: Avoidance> Windowed<S, A> {
    /// Begins with the window of `start`, unless the slow start has its own.
    ///
    /// # Panics
    /// If the initial or the restart window is no finite number of at least one packet, or the threshold is below one.
    pub fn new(start: &Start, mut slow_start: S, avoidance: A) -> Windowed<S, A> {
        let Start { initial_window: cwnd, initial_ssthresh: ssthresh, restart_window } = *start;
        assert!(cwnd.is_finite() && cwnd >= LEAST_WINDOW, "initial window of {cwnd} packets");
        assert!(ssthresh >= LEAST_WINDOW, "initial slow-start threshold of {ssthresh} packets");
        let restarts = restart_window.is_finite() && restart_window >= LEAST_WINDOW;
        assert!(restarts, "restart window of {restart_window} packets");
        let mut window = Window { cwnd, ssthresh };
        slow_start.begin(&mut window);
        Windowed { window, restart_window, slow_start, avoidance, before: None }
    }

    /// The slow start and what it knows.
    pub fn slow_start(&self) -> &S {
        &self.slow_start
    }

    /// The avoidance and what it knows.
    pub fn avoidance(&self) -> &A {
        &self.avoidance
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.window.cwnd + self.avoidance.delay_window()
    }

    fn remember(&mut self) {
        let now = Before {
            window: self.window,
            slow_start: self.slow_start.clone(),
            avoidance: self.avoidance.clone(),
        };
        match &mut self.before {
            Some(before) => **before = now,
            None => self.before = Some(Box::new(now)),
        }
    }

    fn undo(&mut self) {
        let Some(before) = self.before.take() else { return };
        // The window may have grown past its old value meanwhile; to be told that there was no congestion is no
        // reason to shrink it.
        let grown = self.cwnd() - before.avoidance.delay_window();
        let cwnd = before.window.cwnd.max(grown);
        self.window = Window { cwnd, ssthresh: before.window.ssthresh };
        self.slow_start = before.slow_start;
        self.avoidance = before.avoidance;
    }

    /// Changes the window by this many packets, for a rule outside the two phases.
    pub(crate) fn change(&mut self, packets: f64) {
        self.window.cwnd = (self.window.cwnd + packets).max(LEAST_WINDOW);
    }

    /// The state for segments of another size: of now, and of before the last episode. The restart window is in packets
    /// of any size (RFC 5681, 3.1: one segment).
    fn scale(&mut self, ratio: f64) {
        self.window.scale(ratio, LEAST_WINDOW);
        self.slow_start.scale(ratio);
        self.avoidance.scale(ratio);
        if let Some(before) = &mut self.before {
            before.window.scale(ratio, LEAST_WINDOW);
            before.slow_start.scale(ratio);
            before.avoidance.scale(ratio);
        }
    }
}

impl<S, A> CongestionControl for Windowed<S, A>
where
    S: SlowStart + 'static,
    A: Avoidance + 'static,
{
    fn needs(&self) -> Needs {
        Needs { samples: false, pacing: self.slow_start.paces(), ..self.avoidance.needs() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.slow_start.measure(ack, &mut self.window);
        self.avoidance.measure(ack, &mut self.window);
        if ack.may_grow() && !self.avoidance.pauses() {
            let before = self.window;
            if before.cwnd < before.ssthresh {
                self.slow_start.grow(ack, &mut self.window);
            } else {
                self.avoidance.adjust(ack, &mut self.window);
            }
            if ack.largest_flight < f64::INFINITY {
                // A window above the bound stays as it is.
                let most = before.growth_limit(ack.largest_flight).max(before.cwnd);
                self.window.cwnd = self.window.cwnd.min(most);
            }
            debug_assert!(self.window.cwnd.is_finite(), "{:?} after {ack:?}", self.window);
            self.window.cwnd = self.window.cwnd.max(LEAST_WINDOW);
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        if event.repeated {
            // RFC 5681, 3.1: a segment that times out again leaves ssthresh alone. Nothing is remembered either:
            // the episode began with the first timeout, and that is the state an undo must find.
            self.window.cwnd = self.restart_window;
            return self.decision();
        }
        self.remember();
        // RFC 5681, eq. 4 reduces FlightSize, not cwnd, which may have grown past what the sender ever used. But
        // FlightSize may exceed cwnd after a limited transmit (RFC 3042), whose packets are not to be counted, or
        // after a window that fell below what is in flight. The smaller of the two is what the network was given
        // leave to carry and did carry.
        let used = self.cwnd().min(event.flight).max(LEAST_WINDOW);
        let kept = self.avoidance.back_off(event, used).max(LEAST_WINDOW);
        debug_assert!(kept.is_finite(), "{kept} packets kept of {used} after {event:?}");
        self.slow_start.on_congestion(event);
        // The loss window (RFC 5681, 3.1), whatever the caller says of its ACK clock.
        let restart = event.restart || event.signal == Signal::Timeout;
        if restart {
            self.window = Window { cwnd: self.restart_window, ssthresh: kept };
        } else {
            let before = std::mem::replace(&mut self.window, Window { cwnd: kept, ssthresh: kept });
            self.slow_start.on_reduction(&Reduction { before, share: kept / used }, &mut self.window);
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::Spurious => self.undo(),
            Event::IdleRestart { restart_window } => {
                self.window.cwnd = self.window.cwnd.min(restart_window.max(LEAST_WINDOW));
                self.slow_start.on_idle_restart();
                self.avoidance.on_idle_restart();
            }
            Event::NotValidated { window, ssthresh } => {
                let most = window.max(LEAST_WINDOW);
                if self.cwnd() > most {
                    // A part that rests on delays goes first, as after an idle time.
                    self.avoidance.on_idle_restart();
                    self.window.cwnd = most;
                }
                self.window.ssthresh = ssthresh.max(LEAST_WINDOW);
            }
            Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => self.scale(event.scale()),
        }
        self.decision()
    }

    #[inline]
    fn decision(&self) -> Decision {
        let pacing_rate = self.slow_start.pacing_rate(self.window.cwnd);
        Decision { pacing_rate, ..Decision::window(self.cwnd()) }
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.slow_start.observe(gauge);
        self.avoidance.observe(gauge);
    }
}
