//! A congestion controller written in JavaScript. The page's objects live on its side, each by a number: a simulation may
//! move between threads, and an object of JavaScript may not.

use std::cell::RefCell;

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs, Signal, Start};
use ackclock_units::{Duration, PacketRate, Time};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// The side of the page: `playground/src/engine/host.js`. Numbers that are not there are NaN.
    pub type Host;

    #[wasm_bindgen(method, catch)]
    fn make(this: &Host, name: &str, start: &[f64]) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn copy(this: &Host, number: u32) -> Result<u32, JsValue>;
    #[wasm_bindgen(method)]
    fn release(this: &Host, number: u32);
    #[wasm_bindgen(method, catch)]
    fn ack(this: &Host, number: u32, facts: &[f64]) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn congestion(this: &Host, number: u32, facts: &[f64]) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn event(this: &Host, number: u32, name: &str, facts: &[f64]) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn cwnd(this: &Host, number: u32) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn pacing_rate(this: &Host, number: u32) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn wake(this: &Host, number: u32) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn ssthresh(this: &Host, number: u32) -> Result<f64, JsValue>;
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
    /// The first exception of a run, which ends with it.
    static FAILURE: RefCell<Option<JsValue>> = const { RefCell::new(None) };
}

/// Makes this the host of controllers from now on.
pub(crate) fn begin(host: Host) {
    HOST.set(Some(host));
    FAILURE.set(None);
}

/// Takes the exception that a controller has thrown.
pub(crate) fn failure() -> Option<JsValue> {
    FAILURE.take()
}

/// Asks the host; after an exception it is not asked any more.
fn ask<T>(question: impl FnOnce(&Host) -> Result<T, JsValue>) -> Option<T> {
    if FAILURE.with_borrow(Option::is_some) {
        return None;
    }
    let answer = HOST.with_borrow(|host| host.as_ref().map(question))?;
    answer.map_err(|error| FAILURE.set(Some(error))).ok()
}

/// An object of the page by its number, and its last decision.
pub(crate) struct PageController {
    number: u32,
    decision: Decision,
}

impl PageController {
    /// The controller that the page makes under this name.
    pub fn boxed(name: &str, start: &Start) -> Box<dyn CongestionControl> {
        let facts = [start.initial_window, start.initial_ssthresh, start.restart_window];
        let number = ask(|host| host.make(name, &facts)).unwrap_or(u32::MAX);
        let mut controller = PageController { number, decision: Decision::window(start.initial_window) };
        controller.consult();
        Box::new(controller)
    }

    fn consult(&mut self) -> Decision {
        let number = self.number;
        let decision = ask(|host| {
            let (cwnd, rate, wake) = (host.cwnd(number)?, host.pacing_rate(number)?, host.wake(number)?);
            let pacing_rate = rate.is_finite().then_some(PacketRate(rate));
            let wake = wake.is_finite().then(|| Time::ZERO + Duration::from_secs_f64(wake));
            Ok(Decision { cwnd, pacing_rate, wake })
        });
        self.decision = decision.unwrap_or(self.decision);
        self.decision
    }
}

impl CongestionControl for PageController {
    fn needs(&self) -> Needs {
        Needs {
            samples: true,
            pacing: true,
            accurate_ecn: false,
            l4s: false,
            explicit_feedback: false,
            recovery: None,
        }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let number = self.number;
        let facts = facts_of(ack);
        ask(|host| host.ack(number, &facts));
        self.consult()
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        let number = self.number;
        let kind = Signal::ALL.iter().take_while(|known| **known != signal.signal).count() as f64;
        let flags = [f64::from(signal.restart), f64::from(signal.repeated)];
        let facts = [signal.now.as_secs_f64(), kind, signal.flight, flags[0], flags[1]];
        ask(|host| host.congestion(number, &facts));
        self.consult()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        let number = self.number;
        let (name, facts) = match *event {
            Event::Spurious => ("on_spurious", vec![]),
            Event::IdleRestart { restart_window } => ("on_idle_restart", vec![restart_window]),
            Event::Deadline { now } => ("on_deadline", vec![now.as_secs_f64()]),
            Event::SegmentSize { from, to } => ("on_segment_size", vec![f64::from(from), f64::from(to)]),
            // An event without a method, which `tests/laws/test_facts.py` finds.
            _ => return self.consult(),
        };
        ask(|host| host.event(number, name, &facts));
        self.consult()
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn ssthresh(&self) -> f64 {
        ask(|host| host.ssthresh(self.number)).unwrap_or(f64::INFINITY)
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}

impl Clone for PageController {
    fn clone(&self) -> PageController {
        let number = ask(|host| host.copy(self.number)).unwrap_or(u32::MAX);
        PageController { number, decision: self.decision }
    }
}

impl Drop for PageController {
    fn drop(&mut self) {
        // Hosts use no number twice: one of an earlier run releases nothing of this one.
        HOST.with_borrow(|host| host.as_ref().map(|host| host.release(self.number)));
    }
}

/// The facts of an acknowledgment, in the order of `ACK` in `host.js`.
fn facts_of(ack: &Ack) -> [f64; 25] {
    let rate = ack.rate.unwrap_or_default();
    let loss = ack.loss.unwrap_or_default();
    [
        ack.now.as_secs_f64(),
        f64::from(ack.acks),
        ack.delivered,
        ack.lost,
        ack.ce_marked,
        ack.in_flight,
        ack.rtt.map_or(f64::NAN, Duration::as_secs_f64),
        ack.srtt.as_secs_f64(),
        ack.min_rtt.as_secs_f64(),
        ack.round as f64,
        f64::from(ack.suspended),
        f64::from(ack.advanced),
        f64::from(ack.window_limited),
        f64::from(ack.may_grow()),
        f64::from(ack.recovering),
        ack.rate.map_or(f64::NAN, |rate| rate.rate.0),
        f64::from(rate.app_limited),
        rate.interval.as_secs_f64(),
        rate.delivered,
        rate.prior_delivered,
        rate.lost,
        rate.tx_in_flight,
        ack.loss.map_or(f64::NAN, |loss| loss.tx_in_flight),
        loss.lost,
        f64::from(loss.app_limited),
    ]
}
