//! A column of counts while a run writes it.

/// Counts, two to a word until one of them needs a whole word, which is rare.
///
/// It begins as zeros. The system stores a page of zeros only when it is written to, and zeros are not
/// written. So counts of events that never happen take no memory. Small counts take half of their size in
/// the final table, which is made in place.
pub(crate) struct CountColumn {
    /// The number of rows. The words have room for 64 bits per row.
    rows: usize,
    words: Vec<u64>,
    /// True while a word holds the counts of two rows, the first one in its low bits.
    has_pairs: bool,
}

/// Rows of the least room.
const FEW: usize = 16;

impl CountColumn {
    /// This many zeros.
    pub fn zeros(rows: usize) -> CountColumn {
        CountColumn { rows, words: vec![0; rows], has_pairs: true }
    }

    /// No rows, with room for this many.
    pub fn with_room(rows: usize) -> CountColumn {
        CountColumn { rows: 0, ..CountColumn::zeros(rows) }
    }

    /// Adds a row.
    pub fn push(&mut self, value: u64) {
        let row = self.rows;
        if row == self.words.len() {
            let mut words = vec![0; (2 * row).max(FEW)];
            for (to, from) in words.iter_mut().zip(&self.words).filter(|(_, from)| **from != 0) {
                *to = *from;
            }
            self.words = words;
        }
        self.rows += 1;
        self.set(row, value);
    }

    /// Writes a row that is still zero.
    pub fn set(&mut self, row: usize, value: u64) {
        if value == 0 {
            return;
        }
        if self.has_pairs {
            if u32::try_from(value).is_ok() {
                self.words[row / 2] |= value << (row % 2 * 32);
                return;
            }
            self.part_pairs();
        }
        self.words[row] = value;
    }

    /// The count of a row.
    pub fn get(&self, row: usize) -> u64 {
        if self.has_pairs {
            self.words[row / 2] >> (row % 2 * 32) & u64::from(u32::MAX)
        } else {
            self.words[row]
        }
    }

    /// The counts of all rows.
    pub fn into_counts(mut self) -> Vec<u64> {
        if self.has_pairs {
            self.part_pairs();
        }
        self.words.truncate(self.rows);
        self.words
    }

    /// Gives each row a separate word, the last row first, because a row's word lies behind the words of the
    /// pairs before it.
    fn part_pairs(&mut self) {
        for row in (0..self.rows).rev() {
            let count = self.get(row);
            if self.words[row] != count {
                self.words[row] = count;
            }
        }
        self.has_pairs = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: u64 = 1 << 32;

    #[test]
    fn counts_come_back_as_they_were_written() {
        let mut column = CountColumn::with_room(0);
        let counts = |rows: u64| (0..rows).map(|row| if row == 70 { WIDE + 1 } else { row % 3 });
        for count in counts(100) {
            column.push(count);
        }
        assert_eq!((column.get(69), column.get(70), column.get(71)), (0, WIDE + 1, 2));
        assert_eq!(column.into_counts(), counts(100).collect::<Vec<_>>());
    }

    #[test]
    fn rows_are_written_in_any_order() {
        let mut column = CountColumn::zeros(4);
        column.set(3, WIDE - 1);
        column.set(1, 7);
        assert!(column.has_pairs, "the largest count of 32 bits");
        column.set(0, WIDE);
        column.set(2, 5);
        assert_eq!(column.into_counts(), [WIDE, 7, 5, WIDE - 1]);
        assert!(CountColumn::zeros(0).into_counts().is_empty());
    }
}
