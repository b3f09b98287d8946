use crate::RandomStream;

/// How a link direction loses packets, beside what its queue drops.
///
/// A lost packet waits and is transmitted like any other, and vanishes at the far end, as on a radio link: it has used
/// the capacity. The random models see the packets that are transmitted, data and acknowledgments alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LossModel {
    /// Never.
    #[default]
    None,
    /// Each packet by itself with this probability.
    Bernoulli(f64),
    /// Losses in bursts.
    GilbertElliott(GilbertElliott),
    /// Exactly the packets named.
    Scripted(ScriptedLoss),
}

impl LossModel {
    /// Whether every probability is one.
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
/// The first packet finds it good; each packet is lost with the probability of the state it finds, then the state may
/// change. With loss only in the bad state, and always there, runs of losses have the mean length `1 / bad_to_good`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// Probability, per packet, of going from good to bad.
    pub good_to_bad: f64,
    /// Probability, per packet, of going from bad to good.
    pub bad_to_good: f64,
    /// Loss probability in the good state.
    pub loss_good: f64,
    /// Loss probability in the bad state.
    pub loss_bad: f64,
}

/// Losses by number, for examples that can be followed by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptedLoss {
    /// The flow that suffers.
    pub flow: u32,
    /// Which of its data packets, counted from 1 as they are offered to this link direction (retransmissions, and
    /// packets the queue then drops, count too).
    pub packets: Vec<u64>,
}

/// A loss model at work.
#[derive(Clone, Debug)]
pub(crate) enum LossProcess {
    Bernoulli { probability: f64, stream: RandomStream },
    GilbertElliott { model: GilbertElliott, bad: bool, stream: RandomStream },
    Scripted { flow: u32, ordinals: Vec<u64>, next: usize, seen: u64 },
}

impl LossProcess {
    /// The process of `model`, drawing from the stream `name`; none where nothing is ever lost.
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

    /// Whether it loses packets by their number among those offered, not by chance among those transmitted.
    pub(crate) fn is_scripted(&self) -> bool {
        matches!(self, LossProcess::Scripted { .. })
    }

    /// Whether the link will lose the packet of flow `of` that is just offered; `admitted` tells what the queue said.
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
