//! The words and signs of an expression.

/// A word or a sign.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    Name(String),
    Sign(&'static str),
}

/// The signs, the longer ones first.
const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "<<", ">>", "//", "**", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "^",
    "~", "(", ")", ",", ".", "[", "]", ":",
];

/// The tokens of a text; an error names the part that is not a token.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text.trim_start();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            let length = length_of(rest, |c| c.is_ascii_alphanumeric() || c == '.');
            found.push(Token::Number(number(&rest[..length]).ok_or_else(|| rest[..length].to_owned())?));
            length
        } else if first.is_alphabetic() || first == '_' {
            let length = length_of(rest, |c| c.is_alphanumeric() || c == '_');
            found.push(Token::Name(rest[..length].to_owned()));
            length
        } else if first == '"' || first == '\'' {
            let inner = &rest[1..];
            let length = inner.find(first).ok_or_else(|| format!("a text without its end: {rest}"))?;
            found.push(Token::Text(inner[..length].to_owned()));
            length + 2
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("the sign {first}"))?;
            found.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

fn length_of(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

fn number(text: &str) -> Option<f64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|number| number as f64),
        None => text.parse().ok(),
    }
}
