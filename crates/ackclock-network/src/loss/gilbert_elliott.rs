//! Bursts of losses.

use ackclock_catalogue::{Entry, Parameter, Unit};

use crate::RandomStream;

/// A channel with a good and a bad state (Gilbert 1960, Elliott 1963), stepped once per packet.
///
/// The channel is good at first. Each packet is lost with the probability of the present state, and then the state may
/// change. If all packets are lost in the bad state and none in the good, bursts of losses have the mean length
/// `1 / bad_to_good`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// The probability per packet of a transition from good to bad.
    pub good_to_bad: f64,
    /// The probability per packet of a transition from bad to good.
    pub bad_to_good: f64,
    /// The loss probability in the good state.
    pub loss_good: f64,
    /// The loss probability in the bad state.
    pub loss_bad: f64,
}

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "loss",
    name: "gilbert_elliott",
    title: "a good and a bad state, each with its loss probability; the state may change after each packet",
    source: "Gilbert 1960; Elliott 1963",
    parameters: &[GOOD_TO_BAD, BAD_TO_GOOD, LOSS_GOOD, LOSS_BAD],
    ..Entry::PLAIN
};

const PROBABILITY: (f64, f64) = (0.0, 1.0);
const GOOD_TO_BAD: Parameter = Parameter::required(
    "good_to_bad",
    Unit::Number,
    PROBABILITY,
    "the probability per packet of a transition from good to bad",
);
const BAD_TO_GOOD: Parameter = Parameter::required(
    "bad_to_good",
    Unit::Number,
    PROBABILITY,
    "the probability per packet of a transition from bad to good",
);
const LOSS_GOOD: Parameter =
    Parameter::new("loss_good", Unit::Number, 0.0, PROBABILITY, "the loss probability in the good state");
const LOSS_BAD: Parameter =
    Parameter::new("loss_bad", Unit::Number, 1.0, PROBABILITY, "the loss probability in the bad state");

impl GilbertElliott {
    /// The default of `loss_good`.
    pub const LOSS_GOOD: f64 = LOSS_GOOD.default;
    /// The default of `loss_bad`.
    pub const LOSS_BAD: f64 = LOSS_BAD.default;

    /// The parameters with their values.
    pub fn values(&self) -> [(&'static Parameter, f64); 4] {
        [
            (&GOOD_TO_BAD, self.good_to_bad),
            (&BAD_TO_GOOD, self.bad_to_good),
            (&LOSS_GOOD, self.loss_good),
            (&LOSS_BAD, self.loss_bad),
        ]
    }
}

/// The state: whether the channel is good or bad now, and the random stream.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    model: GilbertElliott,
    bad: bool,
    stream: RandomStream,
}

impl Channel {
    pub fn new(model: GilbertElliott, stream: RandomStream) -> Channel {
        Channel { model, bad: false, stream }
    }

    /// Decides whether the next packet transmitted is lost, and steps the channel.
    pub fn loses(&mut self) -> bool {
        let Channel { model, bad, stream } = self;
        let (probability, change) =
            if *bad { (model.loss_bad, model.bad_to_good) } else { (model.loss_good, model.good_to_bad) };
        let lost = stream.bernoulli(probability);
        *bad ^= stream.bernoulli(change);
        lost
    }
}
