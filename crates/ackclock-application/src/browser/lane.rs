//! One direction of a connection: the messages whose bytes follow each other in its stream, and what of them has arrived.

/// No piece.
const NONE: u32 = u32::MAX;

/// The subject of a message: an object of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// The number of the user's page.
    pub page: u32,
    pub object: u32,
}

/// A message of which new bytes have arrived: all bytes from its beginning up to a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub subject: Subject,
    pub before: u64,
    pub arrived: u64,
    pub size: u64,
}

/// Bytes of one message that are next to each other in the stream.
#[derive(Clone, Copy, Debug)]
struct Piece {
    begin: u64,
    end: u64,
    message: u32,
    /// The next piece of the same message.
    next: u32,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    subject: Subject,
    size: u64,
    /// Bytes that have arrived together with all earlier ones of the message.
    arrived: u64,
    /// The first piece of which something is missing, and the latest.
    piece: u32,
    /// The bytes of that piece that have arrived.
    counted: u64,
    last: u32,
}

/// One direction of a connection.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// True for streams: bytes wait for earlier ones of their own message only.
    streams: bool,
    mss: u64,
    /// Bytes that belong to messages, and those of them that are written to the socket.
    filled: u64,
    written: u64,
    pieces: Vec<Piece>,
    messages: Vec<Message>,
    /// The bytes that have arrived together with all earlier ones, and the ranges beyond, in order.
    in_order: u64,
    beyond: Vec<(u64, u64)>,
}

impl Lane {
    pub fn new(streams: bool, mss: u64) -> Lane {
        Lane {
            streams,
            mss,
            filled: 0,
            written: 0,
            pieces: Vec::new(),
            messages: Vec::new(),
            in_order: 0,
            beyond: Vec::new(),
        }
    }

    /// Forgets the messages if all have arrived.
    pub fn tidy(&mut self) {
        if self.in_order == self.filled {
            self.pieces.clear();
            self.messages.clear();
        }
    }

    /// Begins a message of this size. Returns its number.
    pub fn begin(&mut self, subject: Subject, size: u64) -> u32 {
        self.messages.push(Message { subject, size, arrived: 0, piece: NONE, counted: 0, last: NONE });
        self.messages.len() as u32 - 1
    }

    /// Appends bytes of a message to the stream.
    pub fn append(&mut self, message: u32, bytes: u64) {
        let (begin, end) = (self.filled, self.filled + bytes);
        self.filled = end;
        if let Some(piece) = self.pieces.last_mut().filter(|piece| piece.message == message) {
            piece.end = end;
            return;
        }
        let number = self.pieces.len() as u32;
        self.pieces.push(Piece { begin, end, message, next: NONE });
        let message = &mut self.messages[message as usize];
        if let Some(last) = self.pieces.get_mut(message.last as usize) {
            last.next = number;
        }
        if message.piece == NONE {
            message.piece = number;
        }
        message.last = number;
    }

    /// The bytes to write to the socket now: whole packets if `more` follow at once.
    pub fn write(&mut self, more: bool) -> u64 {
        let pending = self.filled - self.written;
        let bytes = if more { pending - pending % self.mss } else { pending };
        self.written += bytes;
        bytes
    }

    /// A packet with the bytes from `begin` to `end` arrived; with it, all bytes before `in_order` are there. Adds the messages
    /// with new bytes to `news`.
    pub fn on_arrival(&mut self, (begin, end): (u64, u64), in_order: u64, news: &mut Vec<Progress>) {
        let before = self.in_order;
        self.in_order = before.max(in_order);
        let (from, until) = if self.streams {
            self.note(begin, end);
            (begin, end)
        } else {
            (before, self.in_order)
        };
        let first = self.pieces.partition_point(|piece| piece.end <= from);
        for number in first..self.pieces.len() {
            let Piece { begin, message, .. } = self.pieces[number];
            if begin >= until {
                break;
            }
            self.advance(message, news);
        }
    }

    /// Notes a range of bytes that arrived.
    fn note(&mut self, begin: u64, end: u64) {
        if end > self.in_order {
            let first = self.beyond.partition_point(|range| range.1 < begin);
            let last = self.beyond.partition_point(|range| range.0 <= end);
            let merged = self.beyond[first..last]
                .iter()
                .fold((begin, end), |sum, range| (sum.0.min(range.0), sum.1.max(range.1)));
            self.beyond.splice(first..last, [merged]);
        }
        let done = self.beyond.partition_point(|range| range.1 <= self.in_order);
        self.beyond.drain(..done);
    }

    /// The end of what has arrived from `position` on.
    fn reach(&self, position: u64) -> u64 {
        if position < self.in_order {
            return self.in_order;
        }
        let index = self.beyond.partition_point(|range| range.1 <= position);
        self.beyond.get(index).filter(|range| range.0 <= position).map_or(position, |range| range.1)
    }

    /// Counts the bytes of a message that have arrived in its order.
    fn advance(&mut self, number: u32, news: &mut Vec<Progress>) {
        let Message { subject, size, arrived: before, mut piece, mut counted, .. } =
            self.messages[number as usize];
        let mut arrived = before;
        while let Some(&Piece { begin, end, next, .. }) = self.pieces.get(piece as usize) {
            let until = self.reach(begin + counted).min(end);
            arrived += until - begin - counted;
            counted = until - begin;
            if until < end || next == NONE {
                break;
            }
            (piece, counted) = (next, 0);
        }
        if arrived > before {
            let message = &mut self.messages[number as usize];
            (message.arrived, message.piece, message.counted) = (arrived, piece, counted);
            news.push(Progress { subject, before, arrived, size });
        }
    }
}
