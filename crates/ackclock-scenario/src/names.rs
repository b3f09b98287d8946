//! Lists of names.

/// A list of names, one behind the other in one text: a string each would take four times as much.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    /// The end of each name.
    ends: Vec<u32>,
}

impl Names {
    /// None yet, with room for so many.
    pub fn with_capacity(names: usize) -> Names {
        Names { text: String::new(), ends: Vec::with_capacity(names) }
    }

    /// Adds a name.
    ///
    /// # Panics
    /// If all names together have 4 GB or more.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).expect("names of less than 4 GB"));
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A name by its number.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn get(&self, name: usize) -> &str {
        let begins = name.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[begins..self.ends[name] as usize]
    }
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(each: I) -> Names {
        let mut names = Names::default();
        each.into_iter().for_each(|name| names.push(name));
        names
    }
}
