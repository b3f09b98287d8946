//! `loss` of a link: packets lost in addition to those that the queue drops.

use ackclock_network::{self as network, CERTAIN, LossModel, Profile, ScriptedLoss};
use serde::Deserialize;

use crate::read::error::Checked;
use crate::read::key::Key;
use crate::values::schedule::{Probability, Schedule};

/// A loss model of a link direction.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Loss {
    /// Each packet is lost with this probability.
    Bernoulli(f64),
    /// A good and a bad state, each with its own probability of loss.
    GilbertElliott(GilbertElliott),
    /// Chosen packets are lost.
    Scripted(Script),
    /// Each packet is lost with a probability that changes over time.
    Schedule(Schedule<Probability>),
}

/// The two-state Markov chain of Gilbert (1960) and Elliott (1963), stepped once per packet.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GilbertElliott {
    /// Probability to go from the good state to the bad one, per packet.
    pub good_to_bad: f64,
    /// Probability to go from the bad state to the good one, per packet.
    pub bad_to_good: f64,
    /// Probability of loss in the good state.
    #[serde(default = "loss_good")]
    pub loss_good: f64,
    /// Probability of loss in the bad state.
    #[serde(default = "loss_bad")]
    pub loss_bad: f64,
}

/// The packets of a flow that are lost.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Script {
    /// The flow's number, from 0 in the order of the file, TCP before UDP.
    pub flow: u32,
    /// Ordinals, from 1, among the data packets of that flow offered to this link direction.
    pub packets: Vec<u64>,
}

impl Loss {
    /// Refuses probabilities outside 0 to 1, and packets of other flows than the `flows` there are.
    pub(crate) fn check(&self, at: &Key, flows: u32) -> Checked {
        match self {
            Loss::Bernoulli(probability) => check_probability(&at.then("bernoulli"), *probability),
            Loss::GilbertElliott(chain) => chain.check(&at.then("gilbert_elliott")),
            Loss::Scripted(script) => script.check(&at.then("scripted"), flows),
            Loss::Schedule(schedule) => {
                let at = at.then("schedule");
                schedule.check(&at)?;
                let mut values = schedule.values(&at).into_iter();
                values.try_for_each(|(key, value)| check_probability(&key, value.0))
            }
        }
    }

    /// The probability as a function of time, in parts of a certain loss, if it changes.
    pub(crate) fn profile(&self) -> Option<Profile> {
        match self {
            Loss::Schedule(schedule) => Some(in_parts(schedule)),
            _ => None,
        }
    }

    /// The loss model of the network.
    pub(crate) fn model(&self) -> LossModel {
        match self {
            Loss::Schedule(schedule) => LossModel::Scheduled(in_parts(schedule)),
            Loss::Bernoulli(probability) => LossModel::Bernoulli(*probability),
            Loss::GilbertElliott(chain) => LossModel::GilbertElliott(chain.model()),
            Loss::Scripted(script) => {
                LossModel::Scripted(ScriptedLoss { flow: script.flow, packets: script.packets.clone() })
            }
        }
    }
}

impl GilbertElliott {
    fn check(&self, at: &Key) -> Checked {
        let mut values = self.model().values().into_iter();
        values.try_for_each(|(parameter, value)| check_probability(&at.then(parameter.name), value))
    }

    fn model(self) -> network::GilbertElliott {
        let GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } = self;
        network::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad }
    }
}

impl Script {
    fn check(&self, at: &Key, flows: u32) -> Checked {
        if self.flow >= flows {
            let right = if flows == 1 { "only flow 0".to_owned() } else { format!("0 to {}", flows - 1) };
            let message = format!("found flow {}; the flows of this scenario are {right}", self.flow);
            return Err(at.then("flow").wrong(self.flow, message));
        }
        match self.packets.iter().position(|ordinal| *ordinal == 0) {
            Some(index) => {
                Err(at.then("packets").then(index).wrong(0, "found 0; packets are counted from 1"))
            }
            None => Ok(()),
        }
    }
}

fn check_probability(at: &Key, value: f64) -> Checked {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(at.wrong(value, format!("found {value}; a probability lies between 0 and 1")))
}

fn in_parts(schedule: &Schedule<Probability>) -> Profile {
    schedule.profile(|value| (value.0 * CERTAIN).round() as u64)
}

fn loss_good() -> f64 {
    network::GilbertElliott::LOSS_GOOD
}

fn loss_bad() -> f64 {
    network::GilbertElliott::LOSS_BAD
}

#[cfg(test)]
mod tests {
    use ackclock_network::LOSSES;

    use super::{GilbertElliott, Probability, Schedule, Script};
    use crate::read::flatten::keys_of;

    #[test]
    fn tables_have_the_keys_of_the_catalogue() {
        for entry in LOSSES {
            let keys: Vec<&str> = match entry.name {
                "bernoulli" => continue,
                "gilbert_elliott" => keys_of::<GilbertElliott>().to_vec(),
                "scripted" => keys_of::<Script>().to_vec(),
                "schedule" => keys_of::<Schedule<Probability>>().to_vec(),
                name => panic!(
                    "{name}: no scenario can have it; add it to `Loss` in ackclock-scenario/src/links/loss.rs"
                ),
            };
            let parameters = entry.parameters.iter().map(|parameter| parameter.name);
            let listed: Vec<&str> = parameters.chain(entry.keys.iter().map(|key| key.name)).collect();
            assert_eq!(keys, listed, "{}", entry.name);
        }
    }
}
