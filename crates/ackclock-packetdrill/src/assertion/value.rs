//! The values of expressions.

use std::collections::BTreeMap;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Text(String),
}

impl Value {
    pub fn is_true(&self) -> bool {
        match self {
            Value::Number(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
        }
    }
}

/// The names to which scripts have given values.
pub(crate) type Names = BTreeMap<String, Value>;
