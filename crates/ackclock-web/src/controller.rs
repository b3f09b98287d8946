//! A congestion controller written in JavaScript. The objects stay on the page's side and are referred to by number,
//! since a simulation may move between threads and a JavaScript object may not.

use std::cell::RefCell;
use std::collections::BTreeSet;

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Fact, Kind, Needs, Start};
use ackclock_units::{Duration, PacketRate, Time};
use js_sys::{Array, JsString};
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// The side of the page: `playground/src/engine/host.js`. Absent numbers are NaN.
    pub type Host;

    /// Passes the declared facts as JSON. Their numbers come in this order.
    #[wasm_bindgen(method, catch)]
    fn declare(this: &Host, facts: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn make(this: &Host, name: &str, start: &[f64]) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn copy(this: &Host, number: u32) -> Result<u32, JsValue>;
    #[wasm_bindgen(method)]
    fn release(this: &Host, number: u32);
    #[wasm_bindgen(method, catch)]
    fn needs(this: &Host, number: u32, name: &str) -> Result<bool, JsValue>;
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
    /// Names and numbers by turns.
    #[wasm_bindgen(method, catch)]
    fn observe(this: &Host, number: u32) -> Result<Array, JsValue>;
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

/// Passes the declarations to the host.
pub(crate) fn declare() {
    let shapes = json!({ "start": shape(&Start::KIND), "ack": shape(&Ack::KIND), "congestion": shape(&Congestion::KIND) });
    ask(|host| host.declare(&shapes.to_string()));
}

/// A kind in the form that `host.js` reads: a word, the possible texts of a fact, the kind that may be absent, or
/// names with kinds.
fn shape(kind: &Kind) -> Value {
    match kind {
        Kind::Flag => json!("flag"),
        Kind::Count | Kind::Packets | Kind::Seconds | Kind::PacketsPerSecond => json!("number"),
        Kind::OneOf(names) => json!({ "oneOf": names }),
        Kind::Optional(kind) => json!({ "optional": shape(kind) }),
        Kind::Record(_, fields) => {
            json!({ "record": fields.iter().map(|(name, kind)| json!([name, shape(kind)])).collect::<Value>() })
        }
    }
}

/// The numbers of a fact.
fn numbers(fact: &impl Fact) -> Vec<f64> {
    let mut numbers = Vec::new();
    fact.put(&mut numbers);
    numbers
}

/// Takes the exception that a controller has thrown.
pub(crate) fn failure() -> Option<JsValue> {
    FAILURE.take()
}

/// Calls the host. After an exception it is not called any more.
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
    needs: Needs,
    decision: Decision,
}

impl PageController {
    /// The controller that the page makes under this name.
    pub fn boxed(name: &str, start: &Start) -> Box<dyn CongestionControl> {
        let number = ask(|host| host.make(name, &numbers(start))).unwrap_or(u32::MAX);
        let needs = Needs::stated(|name| ask(|host| host.needs(number, name)).unwrap_or(false));
        let decision = Decision::window(start.initial_window);
        let mut controller = PageController { number, needs, decision };
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
        self.needs
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let number = self.number;
        ask(|host| host.ack(number, &numbers(ack)));
        self.consult()
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        let number = self.number;
        ask(|host| host.congestion(number, &numbers(signal)));
        self.consult()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        let number = self.number;
        let (name, arguments) = event.call();
        ask(|host| host.event(number, name, &arguments));
        self.consult()
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn ssthresh(&self) -> f64 {
        ask(|host| host.ssthresh(self.number)).unwrap_or(f64::INFINITY)
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        let Some(shown) = ask(|host| host.observe(self.number)) else { return };
        let values: Vec<JsValue> = shown.iter().collect();
        for pair in values.chunks_exact(2) {
            let name = String::from(JsString::from(pair[0].clone()));
            gauge(interned(name), pair[1].as_f64().unwrap_or(f64::NAN));
        }
    }
}

impl Clone for PageController {
    fn clone(&self) -> PageController {
        let number = ask(|host| host.copy(self.number)).unwrap_or(u32::MAX);
        PageController { number, ..*self }
    }
}

impl Drop for PageController {
    fn drop(&mut self) {
        // Hosts use no number twice, so an object of an earlier run cannot release one of this run.
        HOST.with_borrow(|host| host.as_ref().map(|host| host.release(self.number)));
    }
}

/// A gauge's name for as long as the page lives; each is kept once.
fn interned(name: String) -> &'static str {
    thread_local! {
        static NAMES: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
    }
    NAMES.with_borrow_mut(|names| {
        names.get(name.as_str()).copied().unwrap_or_else(|| {
            let name: &'static str = Box::leak(name.into_boxed_str());
            names.insert(name);
            name
        })
    })
}
