//! The time that the host adds to a round trip between two programs: each of them wakes late, and so does the link, both ways.

use std::fs::File;
use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::thread;

use ackclock_network::LinkConfig;
use ackclock_units::{Duration, Rate, Time};
use nix::sched::{CloneFlags, setns};

use crate::clock::Clock;
use crate::emulator::Emulator;
use crate::event_loop::{Devices, EventLoop};
use crate::host::scheduling;

/// The delay of the link that probes cross, one way. Its rate is so high that a probe takes a millionth of a second.
const DELAY: Duration = Duration::from_micros(500);
const RATE: Rate = Rate::from_bits_per_second(1_000_000_000);

/// The time for which probes are sent, and the time for which the link carries them.
const PROBED: Duration = Duration::from_millis(900);
const CARRIED: Duration = Duration::from_millis(1000);

/// The longest wait for a probe.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(100);

/// The bytes of a probe. With IPv4 and UDP headers, its transmission both ways takes that millionth of a second.
const PROBE: usize = 97;
const TRANSMISSIONS: Duration = Duration::from_micros(2);

/// The host's part of a round trip: the median over probes between two sockets.
pub(crate) fn host_delay(
    devices: Devices,
    name_spaces: [File; 2],
    addresses: [IpAddr; 2],
) -> Result<(Devices, Duration), String> {
    let direction = || LinkConfig::new(RATE, DELAY);
    let emulator = Emulator::new(["near", "far"], [direction(), direction()], 1)?;
    let wrong = |error: io::Error| format!("the host's delay: {error}");
    let [near, far] = name_spaces;
    let echo = socket(far, addresses[1]).map_err(wrong)?;
    let prober = socket(near, addresses[0]).map_err(wrong)?;
    prober.connect(echo.local_addr().map_err(wrong)?).map_err(wrong)?;
    let clock = Clock::start();
    let echoing = thread::spawn(move || answer(&echo, clock));
    let probing = thread::spawn(move || probe(&prober, clock));
    let mut event_loop = EventLoop::new(emulator, devices, Duration::MAX, Duration::ZERO);
    event_loop.run(clock, Time::ZERO + CARRIED, &mut |_| {})?;
    let is_interrupted = clock.now() < Time::ZERO + CARRIED;
    let mut round_trips = probing.join().map_err(|_| "the thread that probes failed".to_owned())?;
    let _ = echoing.join();
    if is_interrupted {
        return Err("ended while the host's delay was measured".to_owned());
    }
    round_trips.sort_unstable();
    let median = *round_trips.get(round_trips.len() / 2).ok_or("the host's delay: no probe came back")?;
    Ok((event_loop.into_devices(), median.saturating_sub(DELAY + DELAY + TRANSMISSIONS)))
}

/// A socket in a name space.
fn socket(name_space: File, address: IpAddr) -> io::Result<UdpSocket> {
    let made = thread::spawn(move || {
        setns(name_space, CloneFlags::CLONE_NEWNET)?;
        let socket = UdpSocket::bind(SocketAddr::new(address, 0))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(socket)
    });
    made.join().unwrap_or_else(|_| Err(io::Error::other("the thread in the name space failed")))
}

/// Sends probes one after the other, each when the previous one has returned. Returns their round-trip times.
fn probe(socket: &UdpSocket, clock: Clock) -> Vec<Duration> {
    scheduling::real_time(scheduling::PROGRAM);
    let mut round_trips = Vec::new();
    let mut buffer = [0; PROBE];
    while clock.now() < Time::ZERO + PROBED {
        let sent_at = clock.now();
        if socket.send(&buffer).is_ok() && socket.recv(&mut buffer).is_ok() {
            round_trips.push(clock.now().since(sent_at));
        }
    }
    round_trips
}

/// Sends every probe back.
fn answer(socket: &UdpSocket, clock: Clock) {
    scheduling::real_time(scheduling::PROGRAM);
    let mut buffer = [0; PROBE];
    while clock.now() < Time::ZERO + CARRIED {
        if let Ok((length, from)) = socket.recv_from(&mut buffer) {
            let _ = socket.send_to(&buffer[..length], from);
        }
    }
}
