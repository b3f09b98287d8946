//! Losses on links, besides the drops of queues.

mod bernoulli;
mod gilbert_elliott;
mod scheduled;
mod scripted;

use ackclock_catalogue::Entry;
use ackclock_units::Time;

pub use self::gilbert_elliott::GilbertElliott;
pub use self::scheduled::CERTAIN;
pub use self::scripted::ScriptedLoss;

use self::bernoulli::Bernoulli;
use self::gilbert_elliott::Channel;
use self::scheduled::Scheduled;
use self::scripted::Script;
use crate::RandomStream;
use crate::path::profile::Profile;

/// The catalogue entries of the loss models.
pub static ENTRIES: &[Entry] = &[bernoulli::ENTRY, gilbert_elliott::ENTRY, scripted::ENTRY, scheduled::ENTRY];

/// The loss model of a link direction.
///
/// A lost packet waits and is transmitted like any other, and is lost at the far end, as on a radio link: it has used
/// capacity. The random models apply to all packets transmitted, data and acknowledgments alike.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
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
    /// Independent losses with a probability that changes over time, in parts of [`CERTAIN`].
    Scheduled(Profile),
}

impl LossModel {
    /// True if its probability changes over time.
    pub(crate) fn is_scheduled(&self) -> bool {
        matches!(self, LossModel::Scheduled(_))
    }

    /// True if every probability is within the range that the model's entry has for it.
    pub fn is_possible(&self) -> bool {
        match self {
            LossModel::None | LossModel::Scripted(_) | LossModel::Scheduled(_) => true,
            LossModel::Bernoulli(probability) => {
                bernoulli::ENTRY.parameters.iter().all(|parameter| parameter.allows(*probability))
            }
            LossModel::GilbertElliott(model) => {
                model.values().iter().all(|(parameter, value)| parameter.allows(*value))
            }
        }
    }
}

/// The state of a loss model.
#[derive(Clone, Debug)]
pub(crate) enum LossProcess {
    Bernoulli(Bernoulli),
    GilbertElliott(Channel),
    Scripted(Script),
    Scheduled(Scheduled),
}

impl LossProcess {
    /// The process of `model`, with the random stream `name`; none if it loses no packets.
    pub(crate) fn new(model: &LossModel, seed: u64, name: &str) -> Option<LossProcess> {
        let stream = || RandomStream::new(seed, name);
        match model {
            LossModel::None => None,
            LossModel::Bernoulli(probability) => {
                Some(LossProcess::Bernoulli(Bernoulli { probability: *probability, stream: stream() }))
            }
            LossModel::GilbertElliott(model) => {
                Some(LossProcess::GilbertElliott(Channel::new(*model, stream())))
            }
            LossModel::Scripted(script) => Some(LossProcess::Scripted(Script::new(script))),
            LossModel::Scheduled(profile) => Some(LossProcess::Scheduled(Scheduled::new(profile, stream()))),
        }
    }

    /// True if it loses packets by their number among those offered, rather than at random among those transmitted.
    pub(crate) fn is_scripted(&self) -> bool {
        matches!(self, LossProcess::Scripted(_))
    }

    /// Decides whether the link loses a packet of flow `of` that is offered now; `admitted` is the decision of the queue.
    pub(crate) fn loses(&mut self, now: Time, of: u32, data: bool, admitted: bool) -> bool {
        match self {
            LossProcess::Bernoulli(model) => admitted && model.loses(),
            LossProcess::GilbertElliott(channel) => admitted && channel.loses(),
            LossProcess::Scripted(script) => script.is_due(of, data) && admitted,
            LossProcess::Scheduled(scheduled) => admitted && scheduled.loses(now),
        }
    }
}
