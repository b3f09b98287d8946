//! The queue discipline of a link: `"sfq"`, `"sfq(buckets=5)"` or `{ sfq = { buckets = 5 } }`.

mod registry;

use std::fmt;
use std::str::FromStr;

use ackclock_congestion::registry::{Part, SpecError, nearest};
use ackclock_network as network;
use ackclock_units::{Duration, split_quantity};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};

pub use registry::{QueueEntry, QueueUnit, entries};

/// A queue discipline with a value for each of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue(Part);

impl Queue {
    /// The discipline as lists show it.
    pub fn entry(&self) -> &'static QueueEntry {
        let name = self.0.to_string();
        find(name.split('(').next().unwrap_or_default())
            .unwrap_or_else(|| unreachable!("{name} is registered"))
    }

    /// The discipline as networks have it.
    pub(crate) fn discipline(&self) -> network::Queue {
        (self.entry().make)(&self.0.values())
    }

    /// Whether it is drop-tail, for which everything else is made as well.
    pub fn is_drop_tail(&self) -> bool {
        self.discipline() == network::Queue::DropTail
    }

    /// What does not hold between its parameters.
    fn checked(self) -> Result<Queue, String> {
        match self.entry().check {
            Some(check) => {
                check(&self.0.values()).map_err(|problem| format!("{}: {problem}", self.entry().name()))
            }
            None => Ok(()),
        }?;
        Ok(self)
    }
}

impl Default for Queue {
    fn default() -> Queue {
        Queue(Part::of(&entries()[0].entry))
    }
}

impl fmt::Display for Queue {
    /// Only what differs from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn find(name: &str) -> Option<&'static QueueEntry> {
    entries().iter().find(|entry| entry.name() == name)
}

fn names() -> &'static [&'static str] {
    static NAMES: std::sync::LazyLock<Vec<&str>> =
        std::sync::LazyLock::new(|| entries().iter().map(QueueEntry::name).collect());
    &NAMES
}

/// A discipline by its name, with its defaults.
fn known<E: de::Error>(name: &str) -> Result<&'static QueueEntry, E> {
    find(name).ok_or_else(|| E::unknown_variant(name, names()))
}

impl FromStr for Queue {
    type Err = String;

    fn from_str(text: &str) -> Result<Queue, String> {
        let name = text.split('(').next().unwrap_or_default().trim();
        let Some(entry) = find(name) else {
            let hint = nearest(name, names().iter().copied());
            let hint = hint.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
            return Err(format!("unknown queue {name:?}{hint} (there are: {})", names().join(", ")));
        };
        let complain = |error: SpecError| error.to_string();
        let part = Part::read(&entry.entry, &entry.in_plain_numbers(text)?).map_err(complain)?;
        Queue(part.unwrap_or_else(|| Part::of(&entry.entry))).checked()
    }
}

impl QueueEntry {
    /// What a scenario calls it.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// The unit of a parameter, [`QueueUnit::None`] for one that is not known.
    fn unit(&self, name: &str) -> QueueUnit {
        let parameters = self.entry.parameters.iter().zip(self.units);
        parameters.filter(|(known, _)| known.name == name).map(|(_, unit)| *unit).next().unwrap_or_default()
    }

    /// A specification with each value that has a unit as the number that the registry knows.
    fn in_plain_numbers(&self, text: &str) -> Result<String, String> {
        let Some((name, arguments)) = text.split_once('(') else { return Ok(text.to_owned()) };
        let Some(arguments) = arguments.trim_end().strip_suffix(')') else { return Ok(text.to_owned()) };
        let plain = arguments.split(',').map(|argument| {
            let Some((key, value)) = argument.split_once('=') else { return Ok(argument.to_owned()) };
            if value.trim().parse::<f64>().is_ok() {
                return Ok(argument.to_owned());
            }
            let value = self.unit(key.trim()).read(value.trim())?;
            Ok(format!("{key}={value}"))
        });
        Ok(format!("{name}({})", plain.collect::<Result<Vec<String>, String>>()?.join(",")))
    }
}

impl QueueUnit {
    /// A text that is right for a parameter of this unit.
    fn example(self) -> &'static str {
        match self {
            QueueUnit::None => "0.1",
            QueueUnit::Packets => "5 packets",
            QueueUnit::Bytes => "1500 bytes",
            QueueUnit::Milliseconds => "5 ms",
            QueueUnit::Seconds => "10 s",
        }
    }

    /// Reads a value with its unit as the number that the registry knows.
    fn read(self, text: &str) -> Result<f64, String> {
        let seconds =
            || text.parse::<Duration>().map(Duration::as_secs_f64).map_err(|error| error.to_string());
        let wrong = || format!("found {text:?}; expected a value such as {:?}", self.example());
        match self {
            QueueUnit::None => text.parse().map_err(|_| wrong()),
            QueueUnit::Milliseconds => seconds().map(|seconds| seconds * 1e3),
            QueueUnit::Seconds => seconds(),
            QueueUnit::Bytes => text
                .parse::<ackclock_units::Bytes>()
                .map(|bytes| bytes.get() as f64)
                .map_err(|error| error.to_string()),
            QueueUnit::Packets => match split_quantity(text) {
                Ok((count, "packet" | "packets")) => Ok(count),
                _ => Err(wrong()),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Queue, D::Error> {
        from.deserialize_any(QueueVisitor)
    }
}

struct QueueVisitor;

impl<'de> Visitor<'de> for QueueVisitor {
    type Value = Queue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a queue such as \"sfq\", \"sfq(buckets=5)\" or { sfq = { buckets = 5 } }")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Queue, E> {
        known::<E>(text.split('(').next().unwrap_or_default().trim())?;
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Queue, A::Error> {
        let Some(name) = map.next_key::<String>()? else {
            return Err(de::Error::custom(
                "found an empty table; expected the name of a queue with its settings",
            ));
        };
        let queue = map.next_value_seed(Settings(known(&name)?))?;
        match map.next_key::<String>()? {
            None => Ok(queue),
            Some(other) => Err(de::Error::custom(format!("found {name} and {other}; a link has one queue"))),
        }
    }
}

/// The settings of a discipline, in a table of their own.
struct Settings(&'static QueueEntry);

impl<'de> DeserializeSeed<'de> for Settings {
    type Value = Queue;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Queue, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Settings {
    type Value = Queue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table of settings of the queue {}", self.0.name())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Queue, A::Error> {
        let entry = self.0;
        let mut written = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if !entry.entry.parameters.iter().any(|parameter| parameter.name == key) {
                return Err(de::Error::unknown_field(&key, entry.parameter_names));
            }
            written.push(map.next_value_seed(Setting { entry, key: &key })?);
        }
        let text = format!("{}({})", entry.name(), written.join(","));
        text.parse().map_err(de::Error::custom)
    }
}

/// One value of a table, as it stands in parentheses.
struct Setting<'a> {
    entry: &'static QueueEntry,
    key: &'a str,
}

impl Setting<'_> {
    /// The value, if the registry takes it.
    fn write<E: de::Error>(&self, value: f64) -> Result<String, E> {
        let written = format!("{}={value}", self.key);
        match Part::read(&self.entry.entry, &format!("{}({written})", self.entry.name())) {
            Ok(_) => Ok(written),
            Err(error) => Err(E::custom(format!("found {value}; {}", error.message()))),
        }
    }

    fn number<E: de::Error>(&self, value: f64) -> Result<String, E> {
        match self.entry.unit(self.key) {
            QueueUnit::None => self.write(value),
            unit => Err(E::custom(format!(
                "found {value}, a number without a unit; write it as a text with its unit, such as {:?}",
                unit.example()
            ))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Setting<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<String, D::Error> {
        from.deserialize_any(self)
    }
}

impl Visitor<'_> for Setting<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value such as {:?}", self.entry.unit(self.key).example())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        let value = self.entry.unit(self.key).read(text).map_err(E::custom)?;
        self.write(value)
    }

    fn visit_bool<E: de::Error>(self, on: bool) -> Result<String, E> {
        self.number(f64::from(u8::from(on)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<String, E> {
        self.number(value as f64)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<String, E> {
        self.number(value as f64)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<String, E> {
        self.number(value)
    }
}
