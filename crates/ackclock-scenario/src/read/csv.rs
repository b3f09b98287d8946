//! Tables of numbers as CSV texts: a line of column names, then numbers between commas.

use ackclock_catalogue::nearest;

use super::error::{ScenarioError, clip};

/// The most lines of a table.
const MOST_LINES: usize = 2_000_000;

/// The columns of a table.
pub(crate) struct Shape {
    /// The column that is needed.
    pub needed: &'static str,
    /// The columns that may be left out.
    pub optional: &'static [&'static str],
}

/// A table that was read.
#[derive(Debug, PartialEq)]
pub(crate) struct Columns {
    pub needed: Vec<f64>,
    /// The values of each column that may be left out.
    pub optional: Vec<Option<Vec<f64>>>,
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
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
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
    if !names.iter().any(|name| shape.resembles(name)) {
        let message = format!("{file}, line {number}: no line of column names; expected {}", shape.names());
        return Err(ScenarioError::at(key, message));
    }
    for (at, name) in names.iter().enumerate() {
        if !shape.knows(name) {
            let problem = format!("{file}, line {number}: there is no column {:?} here", clip(name));
            let known: Vec<&str> =
                std::iter::once(shape.needed).chain(shape.optional.iter().copied()).collect();
            return Err(ScenarioError::unknown_name(key, &clip(name), &problem, &known));
        }
        if names[..at].contains(name) {
            return wrong(number, format!("the column {name:?} is there already"), name);
        }
    }
    let Some(needed) = names.iter().position(|name| *name == shape.needed) else {
        return wrong(number, format!("there is no column {:?}", shape.needed), header);
    };
    let place = |wanted: &&str| names.iter().position(|name| name == wanted);
    let optional: Vec<Option<usize>> = shape.optional.iter().map(place).collect();
    let empty = optional.iter().map(|column| column.map(|_| Vec::new())).collect();
    let mut columns = Columns { needed: Vec::new(), optional: empty };
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
        columns.needed.push(value(needed)?);
        for (values, column) in columns.optional.iter_mut().zip(&optional) {
            if let (Some(values), Some(column)) = (values, column) {
                values.push(value(*column)?);
            }
        }
        if columns.needed.len() > MOST_LINES {
            return wrong(number, format!("the table is too long; at most {MOST_LINES} rows"), line);
        }
    }
    if columns.needed.is_empty() {
        return Err(ScenarioError::at(key, format!("{file}: no row follows the line of column names")));
    }
    Ok(columns)
}

impl Shape {
    fn knows(&self, name: &str) -> bool {
        name == self.needed || self.optional.contains(&name)
    }

    /// Whether a name is that of a column, or a slip of it.
    fn resembles(&self, name: &str) -> bool {
        self.knows(name)
            || nearest(name, std::iter::once(self.needed).chain(self.optional.iter().copied())).is_some()
    }

    fn names(&self) -> String {
        let optional =
            self.optional.iter().fold(String::new(), |names, name| names + &format!(" and {name:?}"));
        format!("{:?}{optional}", self.needed)
    }
}
