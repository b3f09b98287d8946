//! From a tree of values to the types of the schema, with the facts of errors that serde would flatten into text.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::Value;
use serde_path_to_error::Segment;

use super::error::{ScenarioError, clip};

/// Reads a `T` from a tree.
pub(crate) fn read<'de, T: Deserialize<'de>>(tree: &'de Value) -> Result<T, ScenarioError> {
    serde_path_to_error::deserialize(Reader(tree)).map_err(|error| {
        let path = error.path().iter().filter_map(|segment| match segment {
            Segment::Seq { index } => Some(index.to_string()),
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { variant } => Some(variant.clone()),
            Segment::Unknown => None,
        });
        let path = path.collect();
        error.into_inner().at(path, tree)
    })
}

/// An error at one place of the tree.
#[derive(Debug)]
enum Problem {
    UnknownKey { found: String, known: &'static [&'static str] },
    UnknownChoice { found: String, known: &'static [&'static str] },
    Missing { key: &'static str },
    Other(String),
}

impl Problem {
    /// The error of the scenario, for a problem at `path` of `tree`.
    fn at(self, mut path: Vec<String>, tree: &Value) -> ScenarioError {
        match self {
            Problem::UnknownKey { found, known } => {
                if path.last() != Some(&found) {
                    path.push(found.clone());
                }
                ScenarioError::unknown_key(clip(&path.join(".")), &clip(&found), known)
            }
            Problem::UnknownChoice { found, known } => {
                let mut place = path.clone();
                if place.last() == Some(&found) && !matches!(value_at(tree, &place), Some(Value::String(_))) {
                    place.pop();
                }
                if matches!(value_at(tree, &place), Some(Value::Object(_))) {
                    place.push(found.clone());
                    return ScenarioError::unknown_key(clip(&place.join(".")), &clip(&found), known);
                }
                let problem = format!("found {:?}, which is not known here", clip(&found));
                ScenarioError::unknown_name(place.join("."), &clip(&found), &problem, known)
            }
            Problem::Missing { key } => {
                path.push(key.to_owned());
                let key = path.join(".");
                let message = match key.as_str() {
                    "name" | "duration" | "topology" => format!("missing; every scenario has a {key}"),
                    _ => "missing; this key is needed here".to_owned(),
                };
                ScenarioError::at(key, message)
            }
            Problem::Other(message) => {
                let found = value_at(tree, &path).map(|value| match value {
                    Value::String(text) => clip(text),
                    other => clip(&other.to_string()),
                });
                let key = (!path.is_empty()).then(|| clip(&path.join(".")));
                ScenarioError { key, found, message, nearest: None }
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
        Problem::Other(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Problem {
        Problem::Other(format!("found {}; expected {}", in_words(found), plainly(&expected.to_string())))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Problem {
        Problem::invalid_type(found, expected)
    }

    fn unknown_field(found: &str, known: &'static [&'static str]) -> Problem {
        Problem::UnknownKey { found: found.to_owned(), known }
    }

    fn unknown_variant(found: &str, known: &'static [&'static str]) -> Problem {
        Problem::UnknownChoice { found: found.to_owned(), known }
    }

    fn missing_field(key: &'static str) -> Problem {
        Problem::Missing { key }
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

/// Deserialises from a borrowed tree.
struct Reader<'de>(&'de Value);

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(list) => visitor.visit_seq(Elements(list.iter())),
            Value::Object(table) => visitor.visit_map(Entries { entries: table.iter(), value: None }),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), _, _) => visitor.visit_u64(value),
                (None, Some(value), _) => visitor.visit_i64(value),
                (None, None, value) => visitor.visit_f64(value.unwrap_or(f64::NAN)),
            },
        }
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
        // Serde would accept a list in the order of the fields, which is hard to read.
        match self.0 {
            Value::Array(_) => Err(de::Error::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
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
                    _ => Err(Problem::Other(one_of(table.keys(), variants))),
                }
            }
            other => {
                let (found, known) = (clip(&other.to_string()), variants.join(", "));
                Err(Problem::Other(format!("found {found}; expected one of {known}")))
            }
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

fn one_of<'a>(found: impl Iterator<Item = &'a String>, known: &[&str]) -> String {
    let found: Vec<_> = found.map(String::as_str).collect();
    let found = if found.is_empty() { "none".to_owned() } else { found.join(" and ") };
    format!("found {found}; expected exactly one of {}", known.join(", "))
}

/// The elements of a list.
struct Elements<'de>(std::slice::Iter<'de, Value>);

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        self.0.next().map(|value| seed.deserialize(Reader(value))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The entries of a table.
struct Entries<'de> {
    entries: serde_json::map::Iter<'de>,
    value: Option<&'de Value>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        let key: StrDeserializer<'_, Problem> = key.as_str().into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        match self.value.take() {
            Some(value) => seed.deserialize(Reader(value)),
            None => Err(Problem::Other("a value was asked for before its key".to_owned())),
        }
    }
}

/// One of several: a bare name, or a table whose only key is the name.
struct Choice<'de> {
    name: &'de str,
    content: Option<&'de Value>,
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Problem;
    type Variant = Content<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content<'de>), Problem> {
        let name: StrDeserializer<'_, Problem> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.content)))
    }
}

/// The value below the name of a choice, if there is one.
struct Content<'de>(Option<&'de Value>);

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Problem;

    fn unit_variant(self) -> Result<(), Problem> {
        match self.0 {
            None => Ok(()),
            Some(_) => Err(Problem::Other("found a table; expected the name alone, as a text".to_owned())),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Problem> {
        match self.0 {
            Some(content) => seed.deserialize(Reader(content)),
            None => {
                Err(Problem::Other("found the name alone; expected a table with its settings".to_owned()))
            }
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
        match self.0 {
            Some(content) => Reader(content).deserialize_struct("", fields, visitor),
            None => {
                Err(Problem::Other("found the name alone; expected a table with its settings".to_owned()))
            }
        }
    }
}
