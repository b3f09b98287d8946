//! From a tree of values to the types of the schema. Errors keep the facts that serde would turn into text.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::Value;

use super::error::{ScenarioError, clip};
use super::key::Key;

/// Reads a `T` from a tree.
pub(crate) fn read<'de, T: Deserialize<'de>>(tree: &'de Value) -> Result<T, ScenarioError> {
    T::deserialize(Reader(tree)).map_err(|problem| problem.of_scenario(tree))
}

/// Reads a `T` from the part of a tree `at` a key.
pub(crate) fn read_below<T: for<'de> Deserialize<'de>>(part: &Value, at: &Key) -> Result<T, ScenarioError> {
    read(part).map_err(|error: ScenarioError| {
        let key = error.key.as_deref().map_or_else(|| at.to_string(), |key| at.then(key).to_string());
        ScenarioError { key: Some(key), ..error }
    })
}

/// The form of a value that is a table, where people write a number.
fn form_of(place: &[String]) -> Option<&'static str> {
    match place.last().map(String::as_str) {
        Some("loss") => Some(
            "expected a table, such as { bernoulli = 0.01 } for a hundredth of all packets, or one of gilbert_elliott, \
             scripted and schedule",
        ),
        _ => None,
    }
}

/// An error, and its place in the tree.
#[derive(Debug)]
struct Problem {
    fault: Fault,
    /// Keys and numbers of list elements, the innermost first. Each level adds its own as the error passes
    /// through.
    place: Vec<String>,
}

#[derive(Debug)]
enum Fault {
    UnknownKey { found: String, known: &'static [&'static str] },
    UnknownChoice { found: String, known: &'static [&'static str] },
    Missing { key: &'static str },
    Other(String),
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Problem {
        Problem { fault, place: Vec::new() }
    }
}

impl Problem {
    fn other(message: impl Into<String>) -> Problem {
        Fault::Other(message.into()).into()
    }

    /// The error as seen from one level further out.
    #[cold]
    fn below(mut self, key: &str) -> Problem {
        self.place.push(key.to_owned());
        self
    }

    /// The error as seen from the list that contains the wrong element.
    #[cold]
    fn at(self, index: usize) -> Problem {
        self.below(&index.to_string())
    }

    /// The error of the scenario.
    fn of_scenario(self, tree: &Value) -> ScenarioError {
        let mut path: Vec<String> = self.place.into_iter().rev().collect();
        match self.fault {
            Fault::UnknownKey { found, known } => {
                if path.last() != Some(&found) {
                    path.push(found.clone());
                }
                ScenarioError::unknown_key(clip(&path.join(".")), &clip(&found), known)
            }
            Fault::UnknownChoice { found, known } => {
                let mut place = path.clone();
                if place.last() == Some(&found) && !matches!(value_at(tree, &place), Some(Value::String(_))) {
                    place.pop();
                }
                if matches!(value_at(tree, &place), Some(Value::Object(_))) {
                    place.push(found.clone());
                    return ScenarioError::unknown_key(clip(&place.join(".")), &clip(&found), known);
                }
                if let Some(form) = form_of(&place) {
                    return ScenarioError::at(place.join("."), format!("found {:?}; {form}", clip(&found)))
                        .with_found(clip(&found));
                }
                let problem = format!("found {:?}, which is not known here", clip(&found));
                ScenarioError::unknown_name(place.join("."), &clip(&found), &problem, known)
            }
            Fault::Missing { key } => {
                path.push(key.to_owned());
                let key = path.join(".");
                let message = match key.as_str() {
                    "name" | "duration" | "topology" => format!("missing; every scenario has a {key}"),
                    _ => "missing; this key is needed here".to_owned(),
                };
                ScenarioError::at(key, message)
            }
            Fault::Other(message) => {
                let here = value_at(tree, &path).filter(|value| !value.is_object());
                let form = form_of(&path).zip(here);
                let message = form.map_or(message, |(form, value)| format!("found {value}; {form}"));
                let found = value_at(tree, &path).map(|value| match value {
                    Value::String(text) => clip(text),
                    other => clip(&other.to_string()),
                });
                let key = (!path.is_empty()).then(|| clip(&path.join(".")));
                ScenarioError { key, found, ..ScenarioError::of_text(message) }
            }
        }
    }
}

fn value_at<'a>(tree: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(tree, |value, key| match value {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Problem {
        Problem::other(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Problem {
        Problem::other(format!("found {}; expected {}", in_words(found), plainly(&expected.to_string())))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Problem {
        Problem::invalid_type(found, expected)
    }

    fn unknown_field(found: &str, known: &'static [&'static str]) -> Problem {
        Fault::UnknownKey { found: found.to_owned(), known }.into()
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Problem {
        Fault::UnknownChoice { found: found.to_owned(), known }.into()
    }

    fn missing_field(key: &'static str) -> Problem {
        Fault::Missing { key }.into()
    }
}

fn in_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Float(value) => value.to_string(),
        Unexpected::Str(text) => format!("{:?}", clip(text)),
        Unexpected::Unit | Unexpected::Option => "nothing".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        _ => "a table".to_owned(),
    }
}

/// Serde's words for the expected value, in the words of scenario files.
fn plainly(expected: &str) -> String {
    match expected {
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" => format!("a whole number from 0 to {}", i64::MAX),
        "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" => "a text in quotation marks".to_owned(),
        "a sequence" => "a list".to_owned(),
        other if other.starts_with("struct ") => "a table of settings".to_owned(),
        other => other.to_owned(),
    }
}

/// The error for a value of another type.
#[cold]
#[inline(never)]
fn wrong_type(value: &Value, expected: &dyn Expected) -> Problem {
    let found = match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(value), _) => Unexpected::Unsigned(value),
            (None, Some(value)) => Unexpected::Signed(value),
            (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
    };
    de::Error::invalid_type(found, expected)
}

/// Deserialises from a borrowed tree. Each type requests only its own kind of value. A visitor for every
/// kind would contain code for each kind, multiplied by the schema's many types.
struct Reader<'de>(&'de Value);

impl<'de> Reader<'de> {
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        let Value::Number(number) = self.0 else { return Err(wrong_type(self.0, &visitor)) };
        match (number.as_u64(), number.as_i64()) {
            (Some(value), _) => visitor.visit_u64(value),
            (None, Some(value)) => visitor.visit_i64(value),
            (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
        }
    }
}

/// Methods that read only a number, a text, a list or a table.
macro_rules! of_one_kind {
    ($($method:ident => $read:ident),* $(,)?) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
                self.$read(visitor)
            }
        )*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
            Value::Number(_) => self.number(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Bool(value) => visitor.visit_bool(*value),
            other => Err(wrong_type(other, &visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::String(text) => visitor.visit_borrowed_str(text),
            other => Err(wrong_type(other, &visitor)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Array(list) => visitor.visit_seq(Elements { elements: list.iter(), index: 0 }),
            other => Err(wrong_type(other, &visitor)),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Object(table) => visitor.visit_map(Entries { entries: table.iter(), entry: None }),
            other => Err(wrong_type(other, &visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        self.deserialize_seq(visitor)
    }

    of_one_kind! {
        deserialize_u8 => number, deserialize_u16 => number, deserialize_u32 => number, deserialize_u64 => number,
        deserialize_i8 => number, deserialize_i16 => number, deserialize_i32 => number, deserialize_i64 => number,
        deserialize_u128 => number, deserialize_i128 => number, deserialize_f32 => number, deserialize_f64 => number,
        deserialize_string => deserialize_str, deserialize_char => deserialize_str,
        deserialize_identifier => deserialize_str,
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        // Serde would also accept a list in the order of the fields, which is hard to read.
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(Choice { name: text, content: None }),
            Value::Object(table) => {
                let unknown = table.keys().find(|key| !variants.contains(&key.as_str()));
                match (unknown, table.iter().next(), table.len()) {
                    (Some(name), _, _) => Err(de::Error::unknown_variant(name, variants)),
                    (None, Some((name, content)), 1) => {
                        visitor.visit_enum(Choice { name, content: Some(content) })
                    }
                    _ => Err(Problem::other(one_of(table.keys(), variants))),
                }
            }
            other => Err(no_choice(other, variants)),
        }
    }

    serde::forward_to_deserialize_any! { bytes byte_buf unit unit_struct ignored_any }
}

fn no_choice(found: &Value, known: &[&str]) -> Problem {
    let (found, known) = (clip(&found.to_string()), known.join(", "));
    Problem::other(format!("found {found}; expected one of {known}"))
}

fn one_of<'a>(found: impl Iterator<Item = &'a String>, known: &[&str]) -> String {
    let found: Vec<_> = found.map(String::as_str).collect();
    let found = if found.is_empty() { "none".to_owned() } else { found.join(" and ") };
    format!("found {found}; expected exactly one of {}", known.join(", "))
}

/// The elements of a list.
struct Elements<'de> {
    elements: std::slice::Iter<'de, Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        let Some(value) = self.elements.next() else { return Ok(None) };
        self.index += 1;
        let index = self.index - 1;
        seed.deserialize(Reader(value)).map(Some).map_err(|problem| problem.at(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.elements.len())
    }
}

/// The entries of a table.
struct Entries<'de> {
    entries: serde_json::map::Iter<'de>,
    entry: Option<(&'de String, &'de Value)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        self.entry = self.entries.next();
        let Some((key, _)) = self.entry else { return Ok(None) };
        let name: StrDeserializer<'_, Problem> = key.as_str().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|problem| problem.below(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        match self.entry.take() {
            Some((key, value)) => seed.deserialize(Reader(value)).map_err(|problem| problem.below(key)),
            None => Err(Problem::other("a value was asked for before its key")),
        }
    }
}

/// A choice among several: a bare name, or a table whose only key is the name.
struct Choice<'de> {
    name: &'de str,
    content: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Problem;
    type Variant = Content<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content<'de>), Problem> {
        let name: StrDeserializer<'_, Problem> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content { name: self.name, content: self.content }))
    }
}

/// The value below the name of a choice, if there is one.
struct Content<'de> {
    name: &'de str,
    content: Option<&'de Value>,
}

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Problem;

    fn unit_variant(self) -> Result<(), Problem> {
        match self.content {
            None => Ok(()),
            Some(_) => {
                Err(Problem::other("found a table; expected the name alone, as a text").below(self.name))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Problem> {
        match self.content {
            Some(content) => seed.deserialize(Reader(content)).map_err(|problem| problem.below(self.name)),
            None => Err(Problem::other("found the name alone; expected a table with its settings")),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Problem> {
        self.struct_variant(&[], visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match self.content {
            Some(content) => Reader(content)
                .deserialize_struct("", fields, visitor)
                .map_err(|problem| problem.below(self.name)),
            None => Err(Problem::other("found the name alone; expected a table with its settings")),
        }
    }
}
