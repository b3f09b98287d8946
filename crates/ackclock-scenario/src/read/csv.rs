//! Tables of numbers as CSV texts: a line of column names, then numbers between commas.

use ackclock_catalogue::nearest;

use super::error::{ScenarioError, clip};

/// The most lines of a table.
const MOST_LINES: usize = 2_000_000;

/// The columns of a table, each by the names that it may have: one for each unit.
pub(crate) struct Shape {
    /// The column that is needed.
    pub needed: &'static [&'static str],
    /// The columns that may be left out.
    pub optional: &'static [&'static [&'static str]],
}

/// A table that was read.
#[derive(Debug, PartialEq)]
pub(crate) struct Columns {
    pub needed: Column,
    /// Of each column that may be left out, its values.
    pub optional: Vec<Option<Column>>,
    /// The line of each row in the file.
    pub lines: Vec<usize>,
}

/// The values of a column, and which of its names it has.
#[derive(Debug, PartialEq)]
pub(crate) struct Column {
    pub unit: usize,
    pub values: Vec<f64>,
}

/// Reads the table `text` of the file `file`, which `key` names. Empty lines, and those that begin with `#`, are
/// skipped.
///
/// Errors quote nothing of a file whose first line names no column: it is no table, and may be any file.
pub(crate) fn read(text: &str, shape: &Shape, key: &str, file: &str) -> Result<Columns, ScenarioError> {
    let file = clip(file);
    let wrong = |line: usize, message: String, found: &str| {
        Err(ScenarioError::at(key, format!("{file}, line {line}: {message}")).with_found(clip(found)))
    };
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let Some((number, header)) = lines.next() else {
        let message =
            format!("{file}: the file is empty; expected a line of column names, {}", shape.names());
        return Err(ScenarioError::at(key, message));
    };
    let names: Vec<&str> = header.split(',').map(str::trim).collect();
    let plain: Vec<String> = names.iter().map(|name| in_words(name)).collect();
    if !plain.iter().any(|name| shape.resembles(name)) {
        let message = format!("{file}, line {number}: no line of column names; expected {}", shape.names());
        return Err(ScenarioError::at(key, message));
    }
    for (at, name) in names.iter().enumerate() {
        let Some(same) = shape.all().find(|same| same.contains(&plain[at].as_str())) else {
            let problem = format!("{file}, line {number}: there is no column {:?} here", clip(name));
            let known: Vec<&str> = shape.all().flatten().copied().collect();
            return Err(ScenarioError::unknown_name(key, &clip(name), &problem, &known));
        };
        if plain[..at].iter().any(|before| same.contains(&before.as_str())) {
            return wrong(number, format!("the column {name:?} is there already"), name);
        }
    }
    // The place of a column in the file, and which of its names it has.
    let place = |same: &&[&str]| {
        let at = plain.iter().position(|name| same.contains(&name.as_str()))?;
        Some((at, same.iter().position(|name| *name == plain[at])?))
    };
    let Some((needed, unit)) = place(&shape.needed) else {
        return wrong(number, format!("there is no column {:?}", shape.needed[0]), header);
    };
    let optional: Vec<Option<(usize, usize)>> = shape.optional.iter().map(place).collect();
    let empty = |unit| Column { unit, values: Vec::new() };
    let mut columns = Columns {
        needed: empty(unit),
        optional: optional.iter().map(|place| place.map(|(_, unit)| empty(unit))).collect(),
        lines: Vec::new(),
    };
    for (number, line) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != names.len() {
            let message = format!("found {} values; the table has {} columns", cells.len(), names.len());
            return wrong(number, message, line);
        }
        let value = |column: usize| {
            let cell = cells[column];
            cell.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0).ok_or_else(|| {
                let (name, cell) = (names[column], clip(cell));
                let message = format!(
                    "{file}, line {number}: found {cell:?} for {name}; expected a number, zero or more"
                );
                ScenarioError::at(key, message).with_found(cell)
            })
        };
        columns.needed.values.push(value(needed)?);
        for (column, place) in columns.optional.iter_mut().zip(&optional) {
            if let (Some(column), Some((at, _))) = (column, place) {
                column.values.push(value(*at)?);
            }
        }
        columns.lines.push(number);
        if columns.lines.len() > MOST_LINES {
            return wrong(number, format!("the table is too long; at most {MOST_LINES} rows"), line);
        }
    }
    if columns.lines.is_empty() {
        return Err(ScenarioError::at(key, format!("{file}: no row follows the line of column names")));
    }
    Ok(columns)
}

impl Shape {
    fn all(&self) -> impl Iterator<Item = &'static [&'static str]> {
        std::iter::once(self.needed).chain(self.optional.iter().copied())
    }

    /// True if a name is that of a column, or a misspelling of it.
    fn resembles(&self, name: &str) -> bool {
        let known = || self.all().flatten().copied();
        known().any(|known| known == name) || nearest(name, known()).is_some()
    }

    fn names(&self) -> String {
        let optional =
            self.optional.iter().fold(String::new(), |names, same| names + &format!(" and {:?}", same[0]));
        format!("{:?}{optional}", self.needed[0])
    }
}

/// A column's name as this program writes it: `rate_mbit_per_s` for `Rate [Mbit/s]`.
fn in_words(name: &str) -> String {
    let name = name.trim_matches('"').to_ascii_lowercase().replace('/', " per ");
    let words = name.split([' ', '_', '[', ']', '(', ')']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}
