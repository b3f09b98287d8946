use crate::SpecError;

/// One `name(key=value, key=value)` of a specification, before the name is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The piece as it is written, without surrounding blanks.
    pub text: &'a str,
    /// The name before the parentheses.
    pub name: &'a str,
    arguments: Option<&'a str>,
}

/// The trimmed pieces between every `+` outside parentheses; at least one.
///
/// # Errors
/// When a parenthesis has no counterpart.
pub fn split(text: &str) -> Result<Vec<&str>, SpecError> {
    let (mut pieces, mut begin, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => return Err(SpecError::new(text, "a \")\" without its \"(\"")),
            ')' => depth -= 1,
            '+' if depth == 0 => {
                pieces.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(SpecError::new(text, "a \"(\" without its \")\""));
    }
    pieces.push(text[begin..].trim());
    Ok(pieces)
}

/// The name with which a piece begins.
pub fn name_of(piece: &str) -> &str {
    piece.split('(').next().unwrap_or_default().trim()
}

impl<'a> Piece<'a> {
    /// Takes a piece of `whole` apart.
    ///
    /// # Errors
    /// When it has no name, or parentheses other than around the arguments.
    pub fn read(text: &'a str, whole: &str) -> Result<Piece<'a>, SpecError> {
        let text = text.trim();
        let (name, arguments) = match text.split_once('(') {
            None => (text, None),
            Some((name, rest)) => match rest.strip_suffix(')') {
                Some(arguments) if !arguments.contains(['(', ')']) => (name.trim_end(), Some(arguments)),
                _ => return Err(SpecError::new(text, "expected name(key=value, key=value)")),
            },
        };
        if name.is_empty() {
            return Err(SpecError::new(whole, "a name is missing"));
        }
        Ok(Piece { text, name, arguments })
    }

    /// The keys that this piece sets.
    pub fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.arguments().filter_map(|argument| argument.split_once('=')).map(|(key, _)| key.trim())
    }

    /// The arguments; each is `key=value` if the piece is right.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let arguments = self.arguments.map(str::trim).filter(|arguments| !arguments.is_empty());
        arguments.into_iter().flat_map(|arguments| arguments.split(','))
    }
}
