//! Tables that have the keys of several types.
//!
//! Serde's `flatten` does the same, but loses the place of an error and the names of the possible
//! keys.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{Error as Unread, MapAccessDeserializer, StrDeserializer};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};

/// The keys of a struct, in the order of its fields.
pub(crate) fn keys_of<T: Deserialize<'static>>() -> &'static [&'static str] {
    let keys = Cell::new([].as_slice());
    // Reading fails at once; only the names that serde passes are needed.
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

/// The keys of a table that are read separately.
pub(crate) trait Part {
    /// Reads the value of a key if the key is one of these. Returns true if it was.
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, table: &mut A) -> Result<bool, A::Error>;
}

/// Reads a table with the keys of `part` and those of `T`. `keys` are all of them.
pub(crate) fn read<'de, P: Part, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
    part: P,
    keys: &'static [&'static str],
) -> Result<(P, T), D::Error> {
    from.deserialize_struct("Flattened", keys, TableVisitor { part, keys, rest: PhantomData })
}

struct TableVisitor<P, T> {
    part: P,
    keys: &'static [&'static str],
    rest: PhantomData<T>,
}

impl<'de, P: Part, T: Deserialize<'de>> Visitor<'de> for TableVisitor<P, T> {
    type Value = (P, T);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of settings")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, table: A) -> Result<Self::Value, A::Error> {
        let rest = Rest { table, part: &mut self.part, keys: self.keys };
        let rest = T::deserialize(MapAccessDeserializer::new(rest))?;
        Ok((self.part, rest))
    }
}

/// The entries of a table without those of the part.
struct Rest<'a, A, P> {
    table: A,
    part: &'a mut P,
    keys: &'static [&'static str],
}

impl<'de, A: MapAccess<'de>, P: Part> MapAccess<'de> for Rest<'_, A, P> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.table.next_key::<String>()? {
            if self.part.take(&key, &mut self.table)? {
                continue;
            }
            if self.keys.contains(&key.as_str()) {
                let key: StrDeserializer<'_, A::Error> = key.as_str().into_deserializer();
                return seed.deserialize(key).map(Some);
            }
            return Err(de::Error::unknown_field(&key, self.keys));
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.table.next_value_seed(seed)
    }
}
