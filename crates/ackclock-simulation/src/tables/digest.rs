//! A number by which runs on different machines are compared.

use crate::tables::table::{Column, Table};

/// FNV-1a of 64 bits (Fowler, Noll, Vo): a checksum, not a defence.
pub(crate) struct Digest(u64);

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

impl Digest {
    pub fn new() -> Digest {
        Digest(OFFSET)
    }

    /// Adds a table: its name, the names of its columns, and all values, little end first.
    pub fn add(&mut self, name: &str, table: &Table) {
        self.text(name);
        for (name, column) in table.columns() {
            self.text(name);
            match column {
                Column::Real(values) => values.iter().for_each(|value| self.bytes(&real(*value))),
                Column::Count(values) => values.iter().for_each(|value| self.bytes(&value.to_le_bytes())),
                Column::Index(values) => values.iter().for_each(|value| self.bytes(&value.to_le_bytes())),
                Column::Text(texts) => texts.iter().for_each(|text| self.text(text)),
            }
        }
    }

    pub fn value(&self) -> u64 {
        self.0
    }

    /// A text, with an end that no text contains: "ab", "c" differs from "a", "bc".
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0xff]);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(PRIME);
        }
    }
}

/// The bytes of a real number. All NaN count as one, since processors differ in the sign of the NaN
/// that they produce.
fn real(value: f64) -> [u8; 8] {
    if value.is_nan() { f64::NAN } else { value }.to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(name: &str, table: &Table) -> u64 {
        let mut digest = Digest::new();
        digest.add(name, table);
        digest.value()
    }

    /// The test vectors of the FNV draft (draft-eastlake-fnv, appendix C).
    #[test]
    fn the_function_is_fnv_1a() {
        for (text, expected) in
            [("", OFFSET), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            let mut digest = Digest::new();
            digest.bytes(text.as_bytes());
            assert_eq!(digest.value(), expected, "{text:?}");
        }
    }

    #[test]
    fn every_value_and_every_name_counts() {
        let table = |name, values: &[f64]| Table::default().with(name, Column::Real(values.to_vec()));
        let base = digest("flows", &table("cwnd", &[1.0, 2.0]));
        assert_eq!(base, digest("flows", &table("cwnd", &[1.0, 2.0])));
        assert_ne!(base, digest("links", &table("cwnd", &[1.0, 2.0])));
        assert_ne!(base, digest("flows", &table("rtt", &[1.0, 2.0])));
        assert_ne!(base, digest("flows", &table("cwnd", &[2.0, 1.0])));
        let names = |names: &[&str]| Table::default().with("name", Column::Text(names.iter().collect()));
        assert_ne!(digest("flows", &names(&["ab", "c"])), digest("flows", &names(&["a", "bc"])));
    }

    #[test]
    fn one_nan_is_like_another() {
        let table = |value: f64| Table::default().with("rtt", Column::Real(vec![value]));
        assert_eq!(digest("flows", &table(f64::NAN)), digest("flows", &table(-f64::NAN)));
    }
}
