//! `ackclock-kernel run`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ackclock_kernel::Factory;
use ackclock_kernel::host::{Algorithm, Observer, Report, Session};
use ackclock_units::Duration;
use clap::Args;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Specifications of the registry, such as cubic or hystart-linux+htcp
    #[arg(value_name = "ALGORITHM", required = true)]
    algorithms: Vec<String>,
    /// Name in the kernel, one for each algorithm in order; "ack_" and the algorithm's name if left out
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// End after this time, such as "30 s"
    #[arg(long = "for", value_name = "TIME", default_value = "24 h")]
    duration: Duration,
    /// Hold the calls of controllers to their contract; one that breaks it fails
    #[arg(long)]
    checked: bool,
    /// Write the records of the first algorithm to a file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print the accounts as JSON, a line for each algorithm
    #[arg(long)]
    json: bool,
}

pub(super) fn run(options: &Options) -> Result<(), String> {
    let lacks = crate::lacks();
    if !lacks.is_empty() {
        return Err(lacks);
    }
    let names = names(&options.algorithms, &options.name)?;
    let mut algorithms = Vec::new();
    for (spec, name) in options.algorithms.iter().zip(names) {
        let factory = Factory::of(spec).map_err(|error| error.to_string())?;
        let factory = if options.checked { factory.checked() } else { factory };
        algorithms.push(Algorithm { name, factory, observer: None });
    }
    if let (Some(path), Some(first)) = (&options.record, algorithms.first_mut()) {
        first.observer = Some(recorder(path)?);
    }
    let signals = block_signals()?;
    let stop = Arc::new(AtomicBool::new(false));
    let (listed, session) = (listed(&options.algorithms, &algorithms), Session::open(algorithms)?);
    for line in listed {
        eprintln!("{line}");
    }
    wait_for_the_end(signals, options.duration, Arc::clone(&stop));
    super::kernel::real_time();
    for report in session.serve(&stop)? {
        if options.json { println!("{}", report.json()) } else { print(&report) }
    }
    Ok(())
}

/// The names in the kernel.
fn names(specs: &[String], given: &[String]) -> Result<Vec<String>, String> {
    if !given.is_empty() && given.len() != specs.len() {
        return Err(format!(
            "{} algorithms and {} names: give --name once for each, or not at all",
            specs.len(),
            given.len()
        ));
    }
    let default = |spec: &String| {
        let word = spec.split('(').next().unwrap_or(spec).rsplit('+').next().unwrap_or(spec);
        let letters = word.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
        "ack_".chars().chain(letters).take(15).collect()
    };
    Ok(if given.is_empty() { specs.iter().map(default).collect() } else { given.to_vec() })
}

fn listed(specs: &[String], algorithms: &[Algorithm]) -> Vec<String> {
    let line = |(spec, algorithm): (&String, &Algorithm)| format!("{}: {spec}", algorithm.name);
    specs.iter().zip(algorithms).map(line).collect()
}

fn recorder(path: &PathBuf) -> Result<Observer, String> {
    let file = File::create_new(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (mut file, path) = (BufWriter::new(file), path.clone());
    Ok(Box::new(move |record, _, _| {
        if let Err(error) = file.write_all(record) {
            eprintln!("ackclock-kernel: {}: {error}", path.display());
        }
    }))
}

/// Blocks Ctrl-C, which is read from the returned descriptor from now on.
fn block_signals() -> Result<SignalFd, String> {
    let mut set = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        set.add(signal);
    }
    set.thread_block().map_err(|error| format!("signals: {error}"))?;
    SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC).map_err(|error| format!("signals: {error}"))
}

/// Waits in a thread of its own for a signal, or for the time to pass.
fn wait_for_the_end(signals: SignalFd, duration: Duration, stop: Arc<AtomicBool>) {
    let millis = i32::try_from(duration.as_nanos() / 1_000_000).unwrap_or(i32::MAX);
    thread::spawn(move || {
        use std::os::fd::AsFd;
        let mut wait = [PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut wait, PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX));
        stop.store(true, Ordering::Relaxed);
    });
}

fn print(report: &Report) {
    let ([flows, refused], [acks, alone]) = (report.flows, report.acks);
    println!("{}: {flows} flows, {acks} acknowledgments, {} records lost", report.name, report.dropped);
    if refused + alone + report.failed > 0 {
        println!(
            "  as Reno: {alone} acknowledgments, {refused} flows without a slot, {} with a failed controller",
            report.failed
        );
    }
    let delay = report.to_controller;
    println!(
        "  ACK to controller: {:.0} us, p99 {:.0} us, p99.9 {:.0} us; in the controller: {:.1} us, p99 {:.1} us",
        delay.p50, delay.p99, delay.p999, report.in_controller.p50, report.in_controller.p99
    );
    println!("  in force after {:.0} us, {:.2} acknowledgments late", report.until_applied, report.acks_late);
}
