//! The responses that a server has to send over one connection, and their order (RFC 9218, 10).

use super::lane::Subject;

/// The rest of a response.
#[derive(Clone, Copy, Debug)]
struct Response {
    subject: Subject,
    /// Its number in the connection's lane.
    message: u32,
    urgency: u8,
    incremental: bool,
    left: u64,
    /// The frame after which it was last served, or came.
    turn: u64,
}

/// The responses of one connection, in the order of their requests.
///
/// Higher urgencies come first. Of one urgency, responses that are not incremental are served one by one; the first of them
/// and all incremental ones take turns, a frame each, so that neither kind starves the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    responses: Vec<Response>,
    frames: u64,
}

impl Schedule {
    pub fn is_empty(&self) -> bool {
        self.responses.is_empty()
    }

    /// Adds a response of this many bytes.
    pub fn add(&mut self, subject: Subject, message: u32, (urgency, incremental): (u8, bool), bytes: u64) {
        let turn = self.frames;
        self.responses.push(Response { subject, message, urgency, incremental, left: bytes, turn });
    }

    /// Drops the responses of pages up to this one.
    pub fn cancel(&mut self, page: u32) {
        self.responses.retain(|response| response.subject.page > page);
    }

    /// The next frame, of at most this many bytes: its message and its size.
    pub fn next(&mut self, most: u64) -> Option<(u32, u64)> {
        let urgency = self.responses.iter().map(|response| response.urgency).min()?;
        let mut others = false;
        let candidates = self.responses.iter().enumerate().filter(|(_, response)| {
            // Only the first that is not incremental takes part.
            response.urgency == urgency && (response.incremental || !std::mem::replace(&mut others, true))
        });
        let (index, _) = candidates.min_by_key(|(_, response)| response.turn)?;
        self.frames += 1;
        let response = &mut self.responses[index];
        let bytes = response.left.min(most);
        (response.left, response.turn) = (response.left - bytes, self.frames);
        let message = response.message;
        if response.left == 0 {
            self.responses.remove(index);
        }
        Some((message, bytes))
    }
}
