//! The life of a connection at its sender, from SYN to FIN or reset (RFC 9293, 3.5 and 3.10).

use ackclock_units::{Duration, Time};

use super::super::mechanism::fast_open::Cookie;
use super::super::mechanism::handshake::Handshake;
use super::super::mechanism::once_time::OnceTime;
use super::super::settings::Settings;
use super::cold_state::ColdState;
use super::stream::FIRST_BYTE;
use crate::wire::Header;

/// A segment without data that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PendingControl {
    Nothing,
    Syn,
    Ack,
    /// A probe of the receive window.
    Probe,
    Reset,
}

/// The life of a connection.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Life {
    stop: Time,
    handshake: Handshake,
    pending: PendingControl,
    /// True if a FIN follows the last byte.
    closes: bool,
    /// True if a reset follows the last acknowledgment.
    resets: bool,
    /// True if the application may write more when everything is sent.
    stays_open: bool,
    /// True if the application stopped before the transfer was sent in full, or before anything was.
    is_cut: bool,
    finished_at: OnceTime,
    /// The next sequence number of the other side. It sends a SYN and, when everything is received, a FIN. Zero before
    /// its SYN.
    peer_next: u64,
    cold: Option<Box<ColdState>>,
}

impl Life {
    /// Not opened yet; the application stops at `stop`.
    pub fn new(stop: Time, settings: &Settings) -> Life {
        Life {
            stop,
            handshake: Handshake::new(),
            pending: PendingControl::Nothing,
            closes: settings.handshake && !settings.close_by_reset,
            resets: settings.close_by_reset,
            stays_open: false,
            is_cut: false,
            finished_at: OnceTime::NEVER,
            peer_next: u64::from(!settings.handshake),
            cold: None,
        }
    }

    #[inline]
    pub fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    #[inline]
    pub fn is_established(&self) -> bool {
        self.handshake.is_established()
    }

    #[inline]
    pub fn pending(&self) -> PendingControl {
        self.pending
    }

    /// Takes the segment without data that is to be sent.
    pub fn take_pending(&mut self) -> PendingControl {
        std::mem::replace(&mut self.pending, PendingControl::Nothing)
    }

    #[inline]
    pub fn set_pending(&mut self, pending: PendingControl) {
        self.pending = pending;
    }

    #[inline]
    pub fn closes(&self) -> bool {
        self.closes
    }

    #[inline]
    pub fn peer_next(&self) -> u64 {
        self.peer_next
    }

    pub fn stop(&self) -> Time {
        self.stop
    }

    /// The cold state, if this connection has one.
    #[inline]
    pub fn cold(&self) -> Option<&ColdState> {
        self.cold.as_deref()
    }

    /// The cold state, for changes, if this connection has one.
    pub fn cold_if_any(&mut self) -> Option<&mut ColdState> {
        self.cold.as_deref_mut()
    }

    /// The same, to be changed.
    #[cold]
    pub fn cold_mut(&mut self) -> &mut ColdState {
        self.cold.get_or_insert_default()
    }

    /// Takes its cookie, to be kept for the next connection.
    pub fn take_cookie(&mut self) -> Cookie {
        self.cold.take().map_or_else(Cookie::default, |cold| cold.fast_open.cookie)
    }

    /// The time at which all that the application wrote was acknowledged.
    #[inline]
    pub fn finished_at(&self) -> OnceTime {
        self.finished_at
    }

    #[inline]
    pub fn is_finished(&self) -> bool {
        self.finished_at.has_come()
    }

    /// True if the transfer was cut off.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// True while there is something to decide, which is not so before the connection is open and after everything is
    /// acknowledged.
    pub fn is_active(&self) -> bool {
        self.is_established() && !self.is_finished()
    }

    /// The end of the transfer, or `now`.
    #[inline]
    pub fn until(&self, now: Time) -> Time {
        self.finished_at.or(now)
    }

    /// Keeps the connection open when everything is sent.
    pub fn keep_open(&mut self) {
        (self.closes, self.resets, self.stays_open) = (false, false, true);
    }

    /// True if the application may write more when everything is sent.
    pub fn stays_open(&self) -> bool {
        self.stays_open
    }

    /// The application writes nothing more: a FIN or a reset follows. Returns true if the reset is due at once.
    pub fn close(&mut self, settings: &Settings) -> bool {
        self.resets = settings.close_by_reset;
        (self.closes, self.stays_open) = (!self.resets, false);
        self.resets && self.is_finished()
    }

    /// The application writes more.
    pub fn go_on(&mut self, now: Time) {
        if let Some(finished_at) = self.finished_at.get() {
            self.cold_mut().idle += now.since(finished_at);
        }
        self.finished_at = OnceTime::NEVER;
    }

    /// The time from the establishment to the end of the transfer, or to `now`, in which the connection was not idle.
    pub fn busy(&self, now: Time) -> Duration {
        let idle = self.cold().map_or(Duration::ZERO, |cold| cold.idle);
        self.handshake
            .established_at()
            .map_or(Duration::ZERO, |since| self.until(now).since(since).saturating_sub(idle))
    }

    /// The application has stopped; `is_cut` is true if that cut off its transfer.
    pub fn set_cut(&mut self, is_cut: bool) {
        self.is_cut = is_cut;
    }

    /// True if a reset follows the last acknowledgment.
    pub fn resets(&self) -> bool {
        self.resets
    }

    /// Notes that all that the application wrote is acknowledged.
    pub fn finish(&mut self, now: Time) {
        self.finished_at = OnceTime::from(now);
    }

    /// A SYN is to be sent; gives its timeout, which doubles from `first` on, after `linear` repetitions.
    pub fn send_syn(&mut self, now: Time, first: Duration, linear: u32) -> Duration {
        self.pending = PendingControl::Syn;
        self.handshake.on_syn_sent(now, first, linear)
    }

    /// True if a segment answers the SYN.
    pub fn accepts(&self, header: &Header) -> bool {
        self.handshake.accepts(header, FIRST_BYTE, self.syn_data())
    }

    /// The bytes of data in the first SYN.
    pub fn syn_data(&self) -> u64 {
        self.cold().map_or(0, |cold| cold.fast_open.syn_data)
    }

    /// The bytes of data in the SYN that is sent now. A repeated SYN carries no data in Fast Open (RFC 7413,
    /// 4.2.1), and is the same segment in T/TCP.
    pub fn data_in_syn(&self) -> u16 {
        let carries = self.handshake.syns() == 1 || self.cold().is_some_and(ColdState::transacts);
        if carries { self.syn_data() as u16 } else { 0 }
    }

    /// The other side's SYN has arrived and is to be acknowledged.
    pub fn take_syn_ack(&mut self) {
        self.peer_next = FIRST_BYTE;
        self.pending = PendingControl::Ack;
    }

    /// The other side's FIN, which ends at `end`, has arrived.
    pub fn take_fin(&mut self, end: u64) {
        self.peer_next = end;
        self.pending = PendingControl::Ack;
    }

    pub fn establish(&mut self, now: Time) {
        self.handshake.establish(now);
    }

    /// RFC 9293, 3.10.4: no SYN is sent again. If an answer comes, there is no connection for it, and a reset answers
    /// it (3.10.7.1).
    pub fn close_in_syn_sent(&mut self, now: Time) {
        self.handshake.close();
        self.pending = PendingControl::Nothing;
        self.finished_at = OnceTime::from(now);
    }

    /// Notes that the last SYN was not answered.
    pub fn fail(&mut self) {
        self.handshake.fail();
    }

    /// Requests a reset with this sequence number.
    #[cold]
    pub fn send_reset(&mut self, sequence: u64) {
        self.cold_mut().reset = sequence;
        self.pending = PendingControl::Reset;
    }

    /// Ends the connection, of which nothing remains.
    pub fn end_by_reset(&mut self, now: Time) {
        self.handshake.close();
        self.is_cut |= !self.is_finished();
        self.finished_at.come(now);
        self.pending = PendingControl::Nothing;
    }
}
