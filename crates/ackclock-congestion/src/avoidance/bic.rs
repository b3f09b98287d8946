//! BIC (mesonet, 5.2.1; Xu, Harfoush and Rhee 2004).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::above_window::AboveWindow;
use super::reno::{ABC_LIMIT, LEAST_KEPT, half};
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "bic",
    title: "BIC: binary search for the window that was lost, then ever larger steps beyond it",
    source: "mesonet, 5.2.1, eq. 9-12; Xu, Harfoush and Rhee, IEEE INFOCOM 2004 (Linux has smax=16)",
    parameters: &[
        Parameter::new("beta", Unit::Number, 0.8, (0.0, 1.0), "part of the window kept after a loss"),
        Parameter::new(
            "b",
            Unit::Number,
            4.0,
            (1.1, 1000.0),
            "the search covers 1/b of the way to its target per round trip",
        ),
        Parameter::new(
            "sigma",
            Unit::Number,
            20.0,
            (0.1, 1e6),
            "near the target the window grows by b/sigma packets per round trip",
        ),
        Parameter::new("smax", Unit::Packets, 32.0, (1.0, 1e6), "largest growth per round trip"),
        Parameter::new(
            "low_window",
            Unit::Packets,
            14.0,
            (1.0, f64::INFINITY),
            "window below which it is standard TCP",
        ),
        ABC_LIMIT,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> AboveWindow<Bic> {
    let inner = Bic::new(
        values.get("beta"),
        values.get("b"),
        values.get("sigma"),
        values.get("smax"),
        values.get("limit"),
    );
    AboveWindow { low: values.get("low_window"), inner }
}

/// Binary increase: the window moves half-way towards the window of the last loss, then slowly beyond it, in steps
/// that grow up to `smax` packets per round trip. [`AboveWindow`] wraps it.
///
/// Deviations from the printed equations:
/// - *Eq. 9* leaves BIC's slow start at `SSW_B >= SMAX_B`, where the increase has reached its largest; `MAX_B`, as
///   printed, is twice the window and is never reached.
/// - *Eq. 10, third case*: `(cwnd - TGT_B) / (B_B - 1)`, the distance of the window beyond its target, as in Linux; the
///   paper prints the target itself.
/// - *Eq. 10, gaps*: a `delta` of one belongs to the second case, and a window `B_B` past its target to the third.
/// - *Eq. 11 and 12* compare the window with `PREV_B` before it is overwritten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bic {
    beta: f64,
    b: f64,
    sigma: f64,
    smax: f64,
    abc_limit: f64,
    search: Search,
}

/// The state of the search; windows in packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Search {
    /// `MIN_B`: the largest window without a loss.
    min: f64,
    /// `MAX_B`: the window at which losses are expected.
    max: f64,
    /// `PREV_B`: `max` after the loss before.
    previous: f64,
    /// `TGT_B`: the middle of the two.
    target: f64,
    /// `SS_B`: beyond the maximum, in BIC's own slow start.
    probing: Option<Probing>,
}

/// BIC's slow start.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Probing {
    /// `SSW_B`: packets added per round trip.
    step: f64,
    /// `SST_B`: the window at which the step grows.
    target: f64,
}

impl Bic {
    /// `beta` is a part of the window, `b` above one, `smax` in packets per round trip, `abc_limit` in packets per
    /// acknowledgment.
    pub fn new(beta: f64, b: f64, sigma: f64, smax: f64, abc_limit: f64) -> Bic {
        Bic { beta, b, sigma, smax, abc_limit, search: Search::default() }
    }

    /// Eq. 10: packets per round trip while searching.
    fn increase(&self, cwnd: f64) -> f64 {
        let target = self.search.target;
        let delta = (target - cwnd) / self.b;
        let beyond = cwnd - target;
        if cwnd < target {
            match delta {
                delta if delta < 1.0 => self.b / self.sigma,
                delta => delta.min(self.smax),
            }
        } else if beyond < self.b {
            self.b / self.sigma
        } else {
            (beyond / (self.b - 1.0)).min(self.smax)
        }
    }

    fn search(&mut self, counted: f64, window: &mut Window) {
        window.cwnd += self.increase(window.cwnd) * counted / window.cwnd;
        let search = &mut self.search;
        if window.cwnd < search.max {
            search.min = window.cwnd;
            search.target = f64::midpoint(search.max, search.min);
        } else {
            search.probing = Some(Probing { step: 1.0, target: window.cwnd + 1.0 });
            search.max = 2.0 * window.cwnd;
        }
    }

    fn probe(&mut self, mut probing: Probing, counted: f64, window: &mut Window) {
        window.cwnd += probing.step * counted / window.cwnd;
        if window.cwnd >= probing.target {
            probing.step *= self.b / (self.b - 1.0);
            probing.target = window.cwnd + probing.step;
        }
        let search = &mut self.search;
        search.probing = Some(probing);
        if probing.step >= self.smax {
            search.probing = None;
            search.target = f64::midpoint(search.max, search.min);
        }
    }
}

impl Default for Bic {
    /// As in mesonet, Table 5-3.
    fn default() -> Bic {
        Bic::new(0.8, 4.0, 20.0, 32.0, 1.0)
    }
}

impl Avoidance for Bic {
    /// Eq. 9.
    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let counted = ack.counted(self.abc_limit);
        match self.search.probing {
            None => self.search(counted, window),
            Some(probing) => self.probe(probing, counted, window),
        }
    }

    /// Eq. 11 and 12.
    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        // The window is smaller than at the loss before: another flow needs bandwidth, and gets half of the
        // reduction.
        let max = if used < self.search.previous { f64::midpoint(1.0, self.beta) * used } else { used };
        self.search = Search { max, previous: max, target: 0.0, probing: None, ..self.search };
        match event.signal {
            Signal::Timeout => half(used),
            Signal::Loss | Signal::Ecn => (self.beta * used).max(LEAST_KEPT),
        }
    }

    /// Scales the windows of the search. Steps are in packets per round trip, whatever their size.
    fn scale(&mut self, ratio: f64) {
        let Search { min, max, previous, target, probing } = &mut self.search;
        let windows = [min, max, previous, target].into_iter();
        windows
            .chain(probing.as_mut().map(|probing| &mut probing.target))
            .for_each(|window| *window *= ratio);
    }

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("bic_max_packets", self.search.max);
    }
}
