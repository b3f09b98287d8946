//! An entry of a catalogue with its parameters, as scenarios write it: `"sfq"`, `"sfq(buckets=5)"` or
//! `{ sfq = { buckets = 5 } }`. A value with a unit is a quantity (`"5 ms"`); the text also takes a plain number.

use std::fmt;

use ackclock_catalogue::{Entry, Part, SpecError, Unit, advice, name_of, nearest};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};

/// The choice among the entries of one catalogue. It is a static, since serde's errors hold references to the
/// known names for ever.
pub(crate) struct Choice {
    noun: &'static str,
    owner: &'static str,
    example: &'static str,
    entries: &'static [Entry],
    names: Vec<&'static str>,
    /// The parameters' names of each entry.
    keys: Vec<Vec<&'static str>>,
}

impl Choice {
    /// The choice of a `noun` for an `owner`, such as a queue for a link. Messages show `example`.
    pub fn new(
        entries: &'static [Entry],
        noun: &'static str,
        owner: &'static str,
        example: &'static str,
    ) -> Choice {
        let names = entries.iter().map(|entry| entry.name).collect();
        let keys_of = |entry: &Entry| entry.parameters.iter().map(|parameter| parameter.name).collect();
        Choice { noun, owner, example, entries, names, keys: entries.iter().map(keys_of).collect() }
    }

    /// Reads `name` or `name(key=value, key=value)`.
    pub fn parse(&self, text: &str) -> Result<Part, String> {
        let name = name_of(text);
        let Some(index) = self.index(name) else {
            let hint = nearest(name, self.names.iter().copied());
            let said = advice(hint, self.names.iter().copied());
            return Err(format!("unknown {} {name:?}{said}", self.noun));
        };
        let entry = &self.entries[index];
        let part = Part::read(entry, text).map_err(|error| error.to_string())?;
        Ok(part.unwrap_or_else(|| Part::of(entry)))
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| *known == name)
    }

    fn known<E: de::Error>(&'static self, name: &str) -> Result<usize, E> {
        self.index(name).ok_or_else(|| E::unknown_variant(name, &self.names))
    }
}

impl<'de> DeserializeSeed<'de> for &'static Choice {
    type Value = Part;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Part, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &'static Choice {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.example)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Part, E> {
        self.known::<E>(name_of(text))?;
        self.parse(text).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Part, A::Error> {
        let Choice { noun, owner, .. } = self;
        let Some(name) = map.next_key::<String>()? else {
            return Err(de::Error::custom(format!(
                "found an empty table; expected the name of a {noun} with its settings"
            )));
        };
        let part = map.next_value_seed(Settings { choice: self, index: self.known(&name)? })?;
        match map.next_key::<String>()? {
            None => Ok(part),
            Some(other) => {
                Err(de::Error::custom(format!("found {name} and {other}; a {owner} has one {noun}")))
            }
        }
    }
}

/// The settings of one entry, in a table of their own.
struct Settings {
    choice: &'static Choice,
    index: usize,
}

impl Settings {
    fn entry(&self) -> &'static Entry {
        &self.choice.entries[self.index]
    }
}

impl<'de> DeserializeSeed<'de> for Settings {
    type Value = Part;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Part, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Settings {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a table of settings of the {} {}", self.choice.noun, self.entry().name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Part, A::Error> {
        let mut part = Part::of(self.entry());
        while let Some(key) = map.next_key::<String>()? {
            if self.entry().parameter(&key).is_none() {
                return Err(de::Error::unknown_field(&key, &self.choice.keys[self.index]));
            }
            map.next_value_seed(Setting { part: &mut part, key: &key })?;
        }
        part.check().map_err(de::Error::custom)
    }
}

/// One value of a table.
struct Setting<'a> {
    part: &'a mut Part,
    key: &'a str,
}

impl Setting<'_> {
    fn unit(&self) -> Unit {
        self.part.entry().parameter(self.key).map(|parameter| parameter.unit).unwrap_or_default()
    }

    fn set<E: de::Error>(self, value: f64) -> Result<(), E> {
        let refused = |error: SpecError| E::custom(format!("found {value}; {}", error.message()));
        self.part.set(self.key, value).map_err(refused)
    }

    fn number<E: de::Error>(self, value: f64) -> Result<(), E> {
        match self.unit() {
            unit if unit.has_symbol() => Err(E::custom(format!(
                "found {value}, a number without a unit; write it as a text with its unit, such as {:?}",
                unit.example()
            ))),
            _ => self.set(value),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Setting<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl Visitor<'_> for Setting<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value such as {:?}", self.unit().example())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        let value = self.unit().read(text).map_err(E::custom)?;
        self.set(value)
    }

    fn visit_bool<E: de::Error>(self, on: bool) -> Result<(), E> {
        self.number(f64::from(u8::from(on)))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.number(value as f64)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.number(value as f64)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        self.number(value)
    }
}
