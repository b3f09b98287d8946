//! Calls of the application: `accept(3, ..., ...) = 4`, `connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)`.

use super::cursor::{Cursor, Problem};
use crate::script::Call;

pub(super) fn call(cursor: &mut Cursor<'_>) -> Result<Call, Problem> {
    let name = cursor.run_of(|c| c.is_ascii_alphanumeric() || c == '_').to_owned();
    if name.is_empty() || !cursor.takes("(") {
        return Err(cursor.problem("a packet or a call"));
    }
    let arguments = arguments(cursor)?;
    cursor.skip_blank();
    let (mut result, mut error) = ("", None);
    if cursor.takes("=") {
        cursor.skip_blank();
        result = cursor.run_of(|c| c.is_ascii_alphanumeric() || "-_.|".contains(c));
        if result.starts_with('-') {
            cursor.skip_blank();
            let name = cursor.run_of(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
            error = (!name.is_empty()).then(|| name.to_owned());
        }
        cursor.skip_blank_on_line();
        if cursor.peek() == Some('(') {
            cursor.until(")");
        }
    }
    Ok(Call { name, arguments, result: result.to_owned(), error })
}

/// The arguments, separated where no bracket is open, up to the closing one.
fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Problem> {
    let start = cursor.line();
    let mut found = vec![String::new()];
    let mut depth = 0;
    let mut quoted = false;
    while let Some(c) = cursor.next() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' if depth == 0 && !quoted => {
                let arguments = found.iter().map(|argument| argument.trim().to_owned());
                return Ok(arguments.filter(|argument| !argument.is_empty()).collect());
            }
            ')' | ']' | '}' if !quoted => depth -= 1,
            ',' if depth == 0 && !quoted => {
                found.push(String::new());
                continue;
            }
            _ => {}
        }
        found.last_mut().expect("it begins with one").push(c);
    }
    Err(Problem::at(start, "a call without its closing bracket"))
}
