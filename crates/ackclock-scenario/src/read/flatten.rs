//! Tables that have the keys of another table and a few texts of their own.
//!
//! Serde's `flatten` does the same, but loses where an error stands and which keys there are.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{Error as Unread, MapAccessDeserializer, StrDeserializer};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};

/// The keys of a struct, in the order of its fields.
pub(crate) fn keys_of<T: Deserialize<'static>>() -> &'static [&'static str] {
    let keys = Cell::new([].as_slice());
    // Reading fails at once; only the names that serde passes are wanted.
    let _ = T::deserialize(Names(&keys));
    keys.get()
}

struct Names<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = Unread;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Unread> {
        Err(de::Error::custom("not a struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unread> {
        self.0.set(fields);
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        newtype_struct option tuple tuple_struct map enum identifier ignored_any
    }
}

/// Reads a table with the texts `own`, all of which are needed, and the keys of `T`. `keys` are all of them.
pub(crate) fn read<'de, const N: usize, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
    own: [&'static str; N],
    keys: &'static [&'static str],
) -> Result<([String; N], T), D::Error> {
    from.deserialize_struct("Flattened", keys, TableVisitor { own, keys, rest: PhantomData })
}

struct TableVisitor<T, const N: usize> {
    own: [&'static str; N],
    keys: &'static [&'static str],
    rest: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for TableVisitor<T, N> {
    type Value = ([String; N], T);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of settings")
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Self::Value, A::Error> {
        let mut texts = [const { None }; N];
        let rest = Rest { table, own: self.own, keys: self.keys, texts: &mut texts };
        let rest = T::deserialize(MapAccessDeserializer::new(rest))?;
        if let Some(missing) = texts.iter().position(Option::is_none) {
            return Err(de::Error::missing_field(self.own[missing]));
        }
        Ok((texts.map(Option::unwrap_or_default), rest))
    }
}

/// The entries of a table without the texts of its own, which it keeps.
struct Rest<'a, A, const N: usize> {
    table: A,
    own: [&'static str; N],
    keys: &'static [&'static str],
    texts: &'a mut [Option<String>; N],
}

impl<'de, A: MapAccess<'de>, const N: usize> MapAccess<'de> for Rest<'_, A, N> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.table.next_key::<String>()? {
            if let Some(own) = self.own.iter().position(|name| *name == key) {
                self.texts[own] = Some(self.table.next_value()?);
            } else if self.keys.contains(&key.as_str()) {
                let key: StrDeserializer<'_, A::Error> = key.as_str().into_deserializer();
                return seed.deserialize(key).map(Some);
            } else {
                return Err(de::Error::unknown_field(&key, self.keys));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.table.next_value_seed(seed)
    }
}
