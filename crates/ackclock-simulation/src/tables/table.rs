//! The records of a run: tables of plain columns.

use crate::tables::texts::Texts;

/// The values of one column.
///
/// Exhaustive: a reader of tables has to read every kind, or it loses columns.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Real numbers; NaN for no value.
    Real(Vec<f64>),
    /// Counts.
    Count(Vec<u64>),
    /// Indices of flows and links.
    Index(Vec<u32>),
    /// Names.
    Text(Texts),
}

/// A table: named columns of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// Adds a column to the right.
    ///
    /// # Panics
    /// If its length differs from that of the other columns.
    #[inline(never)]
    pub(crate) fn with(mut self, name: &'static str, column: Column) -> Table {
        if let Some((_, first)) = self.columns.first() {
            assert_eq!(first.len(), column.len(), "the column {name} has the length of the others");
        }
        self.columns.push((name, column));
        self
    }

    /// The columns in order.
    pub fn columns(&self) -> &[(&'static str, Column)] {
        &self.columns
    }

    /// The columns, to be kept.
    pub fn into_columns(self) -> Vec<(&'static str, Column)> {
        self.columns
    }

    /// A column by name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(known, _)| *known == name).map(|(_, column)| column)
    }

    /// A column of real numbers by name.
    pub fn real(&self, name: &str) -> Option<&[f64]> {
        match self.column(name) {
            Some(Column::Real(values)) => Some(values),
            _ => None,
        }
    }

    /// A column of counts by name.
    pub fn count(&self, name: &str) -> Option<&[u64]> {
        match self.column(name) {
            Some(Column::Count(values)) => Some(values),
            _ => None,
        }
    }
}

impl Column {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            Column::Real(values) => values.len(),
            Column::Count(values) => values.len(),
            Column::Index(values) => values.len(),
            Column::Text(values) => values.len(),
        }
    }

    /// True if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
