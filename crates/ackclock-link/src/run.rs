//! The run of a link between two name spaces of the host.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::IpAddr;

use ackclock_network::LinkConfig;
use ackclock_units::{Duration, Time};

use crate::calibration;
use crate::clock::Clock;
use crate::emulator::{Dropped, Emulator, End};
use crate::event_loop::{Devices, EventLoop};
use crate::host::namespace::NameSpace;
use crate::host::tun::Tun;
use crate::host::{privilege, scheduling, signals};
use crate::keys;
use crate::options::Options;
use crate::report::Report;

/// Runs a link until Ctrl-C, or the end of its time.
///
/// # Errors
/// A sentence, when the options cannot be right, or the host does not provide what a link needs.
pub fn run(options: &Options) -> Result<(), String> {
    let link = keys::link(options)?;
    let round_trip = link[0].delay + link[1].delay;
    let names = [options.near.as_str(), options.far.as_str()];
    if names[0] == names[1] {
        return Err(format!("{}: both ends have the same name; a link joins two name spaces", names[0]));
    }
    let emulator = Emulator::new(names, link.clone(), options.seed)?;
    if options.calibrate && link.iter().any(|direction| direction.path.delay.is_some()) {
        return Err(
            "--calibrate: the link's delay varies; what the host adds is taken off a constant one".to_owned()
        );
    }
    privilege::check()?;
    let mut drops = options.drops.as_deref().map(|path| Drops::create(path, names)).transpose()?;
    // From here on signals are handled at the end of the event loop, so that everything is removed.
    let signals = signals::block()?;
    let name_spaces = [NameSpace::open(names[0])?, NameSpace::open(names[1])?];
    let addresses = [&options.near_address, &options.far_address];
    let device = |end: usize| Tun::open(&name_spaces[end], addresses[end], options.mtu);
    let devices = Devices { tuns: [device(0)?, device(1)?], signals };
    let real_time = scheduling::real_time(scheduling::LINK);
    let (emulator, devices, host_delay) = if options.calibrate {
        let files = [name_spaces[0].file()?, name_spaces[1].file()?];
        let ends = [ip_of(addresses[0])?, ip_of(addresses[1])?];
        let (devices, host_delay) = calibration::host_delay(devices, files, ends)?;
        (Emulator::new(names, shortened(link, host_delay)?, options.seed)?, devices, Some(host_delay))
    } else {
        (emulator, devices, None)
    };
    announce(options, &devices, real_time, host_delay);
    let end = Time::ZERO + options.duration;
    let mut event_loop = EventLoop::new(emulator, devices, Report::tolerance(round_trip), options.spin);
    event_loop
        .run(Clock::start(), end, &mut |dropped| drops.iter_mut().for_each(|drops| drops.write(dropped)))?;
    let report = Report { host_delay, ..event_loop.report(names) };
    drops.map_or(Ok(()), Drops::finish)?;
    if options.json {
        println!("{}", report.to_json());
    } else {
        println!("{report}");
    }
    Ok(())
}

/// The address in ADDRESS/LENGTH.
fn ip_of(address: &str) -> Result<IpAddr, String> {
    let text = address.split('/').next().unwrap_or_default();
    text.parse().map_err(|_| format!("{address}: no IP address and length, such as 10.77.0.1/24"))
}

/// Subtracts the host's part of a round trip from the delays of both directions.
fn shortened(mut link: [LinkConfig; 2], host_delay: Duration) -> Result<[LinkConfig; 2], String> {
    let half = Duration::from_nanos(host_delay.as_nanos() / 2);
    for direction in &mut link {
        if direction.delay < half {
            return Err(format!(
                "--calibrate: the host adds {host_delay} to a round trip, more than the delay of {}",
                direction.delay
            ));
        }
        direction.delay = direction.delay.saturating_sub(half);
    }
    Ok(link)
}

/// Announces that the link is up, on standard error since standard output is for the report.
fn announce(options: &Options, devices: &Devices, real_time: bool, host_delay: Option<Duration>) {
    let Options { near, far, near_address, far_address, .. } = options;
    let [there, back] = devices.tuns.each_ref().map(Tun::name);
    let priority = if real_time { "" } else { "; without real-time priority, so later under load" };
    let peer = far_address.split('/').next().unwrap_or_default();
    let taken_off = host_delay.map_or(String::new(), |delay| {
        format!("the host adds {delay} to a round trip between programs, which is taken off the delay\n")
    });
    let text = format!(
        "up: {near} ({there}, {near_address}) and {far} ({back}, {far_address}){priority}\n{taken_off}\
         try: ip netns exec {near} ping {peer}; Ctrl-C ends the link"
    );
    if options.json { eprintln!("{text}") } else { println!("{text}") }
}

/// The file of dropped packets.
struct Drops {
    path: String,
    file: BufWriter<File>,
    names: [String; 2],
    failure: Option<std::io::Error>,
}

impl Drops {
    fn create(path: &std::path::Path, names: [&str; 2]) -> Result<Drops, String> {
        let shown = path.display().to_string();
        let file = File::create_new(path).map_err(|error| format!("{shown}: {error}"))?;
        let (mut file, names) = (BufWriter::new(file), names.map(str::to_owned));
        let failure = writeln!(file, "time_s,from,reason,bytes").err();
        Ok(Drops { path: shown, file, names, failure })
    }

    fn write(&mut self, dropped: &Dropped) {
        let Dropped { time, from, reason, bytes } = dropped;
        let name = match from {
            End::Near => &self.names[0],
            End::Far => &self.names[1],
        };
        let seconds = time.since(Time::ZERO).as_secs_f64();
        let reason = format!("{reason:?}").to_lowercase();
        if let Err(error) = writeln!(self.file, "{seconds:.9},{name},{reason},{bytes}") {
            self.failure.get_or_insert(error);
        }
    }

    fn finish(mut self) -> Result<(), String> {
        let written = self.file.flush();
        self.failure.map_or(written, Err).map_err(|error| format!("{}: {error}", self.path))
    }
}
