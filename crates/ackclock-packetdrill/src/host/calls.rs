//! The calls of the application.

use ackclock_catalogue::nearest;

use super::Host;
use super::connection::Connected;
use super::socket::Socket;
use crate::script::Call;

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Returned {
    /// It returns this value.
    Value(i64),
    /// It returns what the script says: the call has no effect here.
    AsWritten,
    /// It fails with this error.
    Fails(&'static str),
    /// It waits for something.
    Waits,
    /// It has no meaning here.
    Unknown(String),
    /// No system has such a call: its name is misspelt.
    Misspelt(String),
}

/// The calls of packetdrill's language, made here or not.
const CALLS: &str = "accept accept4 bind cap_set close connect epoll_create epoll_ctl epoll_wait fcntl getsockopt ioctl \
    listen open pipe poll read readv recv recvfrom recvmsg send sendfile sendmsg sendto setsockopt shutdown socket splice \
    write writev";

/// Options of sockets that change nothing here.
const WITHOUT_MEANING: &[&str] = &[
    "SO_REUSEADDR",
    "SO_SNDBUF",
    "SO_RCVBUF",
    "SO_PRIORITY",
    "SO_MARK",
    "IP_TOS",
    "IP_MTU_DISCOVER",
    "TCP_NODELAY",
    "IP_FREEBIND",
    "SO_SNDTIMEO",
    "SO_RCVTIMEO",
    "TCP_QUICKACK",
];

impl Host {
    /// Makes a call, which may have to wait; then it is made again.
    pub fn call(&mut self, call: &Call) -> Returned {
        let argument = |place: usize| call.arguments.get(place).map_or("", String::as_str);
        if argument(1) == "NULL" && call.error.is_some() {
            return Returned::Unknown("a pointer that leads nowhere".to_owned());
        }
        let descriptor = || argument(0).parse::<i64>().unwrap_or(-1);
        match call.name.as_str() {
            "socket" => self.socket(call),
            "bind" | "fcntl" => Returned::AsWritten,
            "listen" => {
                let connections = self.connections.len();
                self.sockets.entry(descriptor()).or_default().listens_from = Some(connections);
                Returned::Value(0)
            }
            "setsockopt" => self.set_option(descriptor(), argument(2), argument(3)),
            "getsockopt" if argument(2) == "SO_ERROR" => Returned::AsWritten,
            "accept" | "accept4" => self.accept(call),
            "connect" => self.connect(descriptor(), call),
            "write" => self.write(descriptor(), argument(2), "0"),
            "send" | "sendto" => self.write(descriptor(), argument(2), argument(3)),
            "read" => self.read(descriptor(), argument(2)),
            "recv" | "recvfrom" if argument(3) == "0" => self.read(descriptor(), argument(2)),
            "close" => self.close(descriptor()),
            "shutdown" => self.shut_down(descriptor(), argument(1)),
            name => match nearest(name, CALLS.split(' ')) {
                Some(meant) if meant != name => {
                    Returned::Misspelt(format!("the call {name:?}; did you mean {meant:?}?"))
                }
                _ => Returned::Unknown(format!("the call {name} is not made here")),
            },
        }
    }

    fn socket(&mut self, call: &Call) -> Returned {
        let asks = call.arguments.join(" ");
        for (name, reason) in [("INET6", "IPv6"), ("MPTCP", "MPTCP"), ("DGRAM", "UDP")] {
            if asks.contains(name) {
                return Returned::Unknown(reason.to_owned());
            }
        }
        if let Ok(descriptor) = call.result.parse() {
            self.sockets.insert(descriptor, Socket::default());
        }
        Returned::AsWritten
    }

    fn set_option(&mut self, descriptor: i64, name: &str, value: &str) -> Returned {
        let socket = self.sockets.entry(descriptor).or_default();
        let value = value.trim_matches(|c| c == '[' || c == ']' || c == '"');
        let number = value.parse::<u32>().ok();
        match name {
            "TCP_MAXSEG" => socket.maxseg = number.and_then(|number| u16::try_from(number).ok()),
            "TCP_SYNCNT" => socket.syn_attempts = number.map(|number| number + 1),
            "TCP_CONGESTION" => socket.algorithm = Some(value.to_owned()),
            _ if WITHOUT_MEANING.contains(&name) => {}
            _ => return Returned::Unknown(format!("the option {name} of a socket")),
        }
        Returned::Value(0)
    }

    fn accept(&mut self, call: &Call) -> Returned {
        let waits = |connection: &Connected| !connection.has_socket && connection.is_established();
        let Some(index) = self.connections.iter().position(waits) else { return Returned::Waits };
        self.connections[index].has_socket = true;
        if let Ok(descriptor) = call.result.parse() {
            self.sockets.insert(descriptor, Socket { connection: Some(index), ..Socket::default() });
        }
        Returned::AsWritten
    }

    fn connect(&mut self, descriptor: i64, call: &Call) -> Returned {
        let socket = self.sockets.entry(descriptor).or_default().clone();
        let Some(index) = socket.connection else {
            return match Connected::opening(&self.conditions, &socket, self.now) {
                Ok(connected) => {
                    self.connections.push(connected);
                    let index = self.connections.len() - 1;
                    self.sockets.entry(descriptor).or_default().connection = Some(index);
                    self.transmit(index);
                    if call.error.is_some() { Returned::Fails("EINPROGRESS") } else { Returned::Waits }
                }
                Err(problem) => Returned::Unknown(problem),
            };
        };
        if self.connections[index].is_established() { Returned::Value(0) } else { Returned::Waits }
    }

    fn connection_of(&mut self, descriptor: i64) -> Result<usize, Returned> {
        let found = self.sockets.get(&descriptor).and_then(|socket| socket.connection);
        found.ok_or_else(|| Returned::Unknown("a call on a socket without a connection".to_owned()))
    }

    fn write(&mut self, descriptor: i64, bytes: &str, flags: &str) -> Returned {
        if !matches!(flags, "0" | "MSG_DONTWAIT" | "MSG_NOSIGNAL") {
            return Returned::Unknown(format!("sending with {flags}"));
        }
        let (Ok(bytes), index) = (bytes.parse::<u64>(), self.connection_of(descriptor)) else {
            return Returned::Unknown(format!("writing {bytes}"));
        };
        match index {
            Ok(index) if self.connections[index].has_closed => Returned::Fails("EPIPE"),
            Ok(index) => {
                self.connections[index].write(self.now, bytes);
                self.transmit(index);
                Returned::Value(bytes.cast_signed())
            }
            Err(returned) => returned,
        }
    }

    fn read(&mut self, descriptor: i64, most: &str) -> Returned {
        let index = match self.connection_of(descriptor) {
            Ok(index) => index,
            Err(returned) => return returned,
        };
        let connection = &mut self.connections[index];
        let there = connection.arrived() - connection.read;
        if there == 0 {
            let is_end = connection.has_ended() || connection.reads_no_more;
            return if is_end { Returned::Value(0) } else { Returned::Waits };
        }
        let taken = most.parse::<u64>().map_or(there, |most| most.min(there));
        connection.read += taken;
        Returned::Value(taken.cast_signed())
    }

    fn close(&mut self, descriptor: i64) -> Returned {
        let Some(socket) = self.sockets.remove(&descriptor) else {
            return Returned::Unknown("closing what is not open".to_owned());
        };
        if let Some(index) = socket.connection {
            self.connections[index].close(self.now);
            self.transmit(index);
        }
        Returned::Value(0)
    }

    fn shut_down(&mut self, descriptor: i64, how: &str) -> Returned {
        match self.connection_of(descriptor) {
            Ok(index) => {
                self.connections[index].reads_no_more |= how != "SHUT_WR";
                if how != "SHUT_RD" {
                    self.connections[index].close(self.now);
                    self.transmit(index);
                }
                Returned::Value(0)
            }
            Err(returned) => returned,
        }
    }
}
