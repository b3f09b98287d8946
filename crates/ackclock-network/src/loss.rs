//! Losses on links, besides the drops of queues.

use crate::RandomStream;

/// The loss model of a link direction.
///
/// A lost packet waits and is transmitted like any other, and is lost at the far end, as on a radio link: it has used
/// capacity. The random models apply to all packets transmitted, data and acknowledgments alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LossModel {
    /// No losses.
    #[default]
    None,
    /// Independent losses with this probability.
    Bernoulli(f64),
    /// Bursts of losses.
    GilbertElliott(GilbertElliott),
    /// The losses of a script.
    Scripted(ScriptedLoss),
}

impl LossModel {
    /// True if every probability is between 0 and 1.
    pub fn is_possible(&self) -> bool {
        let possible = |probability: &f64| (0.0..=1.0).contains(probability);
        match self {
            LossModel::None | LossModel::Scripted(_) => true,
            LossModel::Bernoulli(probability) => possible(probability),
            LossModel::GilbertElliott(model) => {
                [model.good_to_bad, model.bad_to_good, model.loss_good, model.loss_bad].iter().all(possible)
            }
        }
    }
}

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

/// Losses of numbered packets, for examples that can be followed by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptedLoss {
    /// The flow whose packets are lost.
    pub flow: u32,
    /// The numbers of its lost data packets, counted from 1 as they are offered to this link direction, including
    /// retransmissions and packets that the queue then drops.
    pub packets: Vec<u64>,
}

/// The state of a loss model.
#[derive(Clone, Debug)]
pub(crate) enum LossProcess {
    Bernoulli { probability: f64, stream: RandomStream },
    GilbertElliott { model: GilbertElliott, bad: bool, stream: RandomStream },
    Scripted { flow: u32, ordinals: Vec<u64>, next: usize, seen: u64 },
}

impl LossProcess {
    /// The process of `model`, with the random stream `name`; none if it loses no packets.
    pub(crate) fn new(model: &LossModel, seed: u64, name: &str) -> Option<LossProcess> {
        let stream = || RandomStream::new(seed, name);
        match model {
            LossModel::None => None,
            LossModel::Bernoulli(probability) => {
                Some(LossProcess::Bernoulli { probability: *probability, stream: stream() })
            }
            LossModel::GilbertElliott(model) => {
                Some(LossProcess::GilbertElliott { model: *model, bad: false, stream: stream() })
            }
            LossModel::Scripted(script) => {
                let mut ordinals = script.packets.clone();
                ordinals.sort_unstable();
                ordinals.dedup();
                // There is no packet 0; skipping it keeps the script in step with the count.
                let next = usize::from(ordinals.first() == Some(&0));
                Some(LossProcess::Scripted { flow: script.flow, ordinals, next, seen: 0 })
            }
        }
    }

    /// True if it loses packets by their number among those offered, rather than at random among those transmitted.
    pub(crate) fn is_scripted(&self) -> bool {
        matches!(self, LossProcess::Scripted { .. })
    }

    /// Decides whether the link loses a packet of flow `of` that is offered now; `admitted` is the decision of the queue.
    pub(crate) fn loses(&mut self, of: u32, data: bool, admitted: bool) -> bool {
        match self {
            LossProcess::Bernoulli { probability, stream } => admitted && stream.bernoulli(*probability),
            LossProcess::GilbertElliott { model, bad, stream } => {
                if !admitted {
                    return false;
                }
                let (probability, change) = if *bad {
                    (model.loss_bad, model.bad_to_good)
                } else {
                    (model.loss_good, model.good_to_bad)
                };
                let lost = stream.bernoulli(probability);
                *bad ^= stream.bernoulli(change);
                lost
            }
            LossProcess::Scripted { flow, ordinals, next, seen } => {
                if !data || of != *flow {
                    return false;
                }
                *seen += 1;
                let due = ordinals.get(*next) == Some(seen);
                *next += usize::from(due);
                due && admitted
            }
        }
    }
}
