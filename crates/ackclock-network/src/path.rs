//! Paths that vary: rates and delays as functions of time, delivery opportunities, outages and impairments. A link
//! direction has a [`Path`] only if its configuration has one of these.

mod bookings;
mod capacity;
pub(crate) mod config;
mod displaced;
pub(crate) mod impairment;
pub(crate) mod opportunities;
pub(crate) mod profile;
mod rate;
pub(crate) mod state;
mod transmitter;
pub(crate) mod tunnel;
mod wire;

use ackclock_units::{Duration, LinkRate, Time};

use self::capacity::Capacity;
use self::config::PathConfig;
use self::displaced::Displaced;
pub(crate) use self::impairment::Place;
use self::impairment::{CircuitBreaker, Impairment, Policer, Thinning};
use self::transmitter::Transmitter;
pub(crate) use self::transmitter::WorkDone;
use self::tunnel::Tunnel;
use self::wire::Wire;
use crate::{DropReason, RandomStream};

/// The state of the variations and impairments of a link direction.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) transmitter: Transmitter,
    pub(crate) wire: Wire,
    pub(crate) displaced: Displaced,
    /// Copies of packets made since the start.
    pub(crate) copies: u64,
    breakers: Vec<CircuitBreaker>,
    policers: Vec<Policer>,
    pub(crate) thinning: Option<Thinning>,
    pub(crate) policed: u64,
    pub(crate) tunnel: Option<Tunnel>,
}

impl Path {
    /// The path of a link direction called `name`. `rate` and `delay` apply where they are constant. Each schedule and
    /// impairment draws from a stream of its own: `rate left->right`, `jitter left->right`.
    pub(crate) fn new(path: &PathConfig, (rate, delay): (LinkRate, Duration), seed: u64, name: &str) -> Path {
        let stream = |what: &str| RandomStream::new(seed, &format!("{what} {name}"));
        let (mut breakers, mut policers, mut shapers, mut thinning) =
            (Vec::new(), Vec::new(), Vec::new(), None);
        let mut wire = Wire::new(delay, path.delay.as_ref().map(|delay| delay.cursor(stream("delay"))));
        for (index, part) in path.impairments.iter().enumerate() {
            let earlier = path.impairments[..index]
                .iter()
                .filter(|other| other.entry().name == part.entry().name)
                .count();
            let kind = match earlier {
                0 => part.entry().name.to_owned(),
                _ => format!("{} {}", part.entry().name, earlier + 1),
            };
            match Impairment::new(part, stream(&kind)) {
                Impairment::CircuitBreaker(breaker) => breakers.push(breaker),
                Impairment::Policer(policer) => policers.push(policer),
                Impairment::Shaper(shaper) => shapers.push(shaper),
                Impairment::Thinning(state) => thinning = Some(state),
                Impairment::Overtaking(_) => wire.allow_overtaking(),
                other => wire.add(other),
            }
        }
        let capacity = Capacity::new(path, rate, &stream);
        let transmitter = Transmitter::new(capacity, shapers, path.until);
        let displaced = Displaced::default();
        let tunnel = path.tunnel.as_ref().map(Tunnel::new);
        Path { transmitter, wire, displaced, copies: 0, breakers, policers, thinning, policed: 0, tunnel }
    }

    /// Acknowledgments that later ones have replaced.
    pub(crate) fn thinned(&self) -> u64 {
        self.thinning.as_ref().map_or(0, Thinning::thinned)
    }

    /// Offers a packet to the circuit breakers and the policers. A policer takes tokens only for packets that passed all
    /// before it.
    ///
    /// # Errors
    /// The reason for which it is dropped; it is counted.
    pub(crate) fn conforms(&mut self, now: Time, flow: u32, size: u32) -> Result<(), DropReason> {
        let passes = self.breakers.iter_mut().all(|breaker| breaker.passes(now, flow));
        let conforms = passes && self.policers.iter_mut().all(|policer| policer.conforms(now, size));
        self.policed += u64::from(!conforms);
        match (passes, conforms) {
            (false, _) => Err(DropReason::Tripped),
            (true, false) => Err(DropReason::Policed),
            (true, true) => Ok(()),
        }
    }

    /// Tells the circuit breakers of a packet that is dropped on the link.
    pub(crate) fn note_drop(&mut self, now: Time, flow: u32, reason: DropReason) {
        if !matches!(reason, DropReason::Tripped | DropReason::Thinned) {
            self.breakers.iter_mut().for_each(|breaker| breaker.note_drop(now, flow));
        }
    }
}
