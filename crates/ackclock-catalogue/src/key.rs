/// A key of a scenario's table whose value is no plain number: a distribution, a link, a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Key {
    /// The name.
    pub name: &'static str,
    /// One line on its meaning.
    pub meaning: &'static str,
    /// A value as a scenario writes it.
    pub example: &'static str,
    /// True if the table must have it.
    pub required: bool,
}

impl Key {
    /// A key that the table must have.
    pub const fn required(name: &'static str, example: &'static str, meaning: &'static str) -> Key {
        Key { name, meaning, example, required: true }
    }

    /// A key that may be left out.
    pub const fn optional(name: &'static str, example: &'static str, meaning: &'static str) -> Key {
        Key { name, meaning, example, required: false }
    }
}
