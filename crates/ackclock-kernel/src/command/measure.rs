//! `ackclock-kernel measure`: one flow over an emulated link, with an algorithm of the registry or of
//! the kernel, reported as JSON.

mod link;
mod period;
mod transfer;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use ackclock_kernel::Factory;
use ackclock_kernel::host::{Algorithm, Report, Session};
use ackclock_units::Duration;
use clap::Args;
use serde_json::{Value, json};

use link::Link;
use transfer::{Flow, transfer};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Specification of the registry; with --own the name of an algorithm of the kernel, such as cubic
    #[arg(value_name = "ALGORITHM")]
    algorithm: String,
    /// Measure the kernel's own algorithm
    #[arg(long)]
    own: bool,
    /// Rate of the link, such as "20 Mbit/s"
    #[arg(long, value_name = "RATE")]
    rate: String,
    /// Propagation delay, one way, such as "20 ms"
    #[arg(long, value_name = "TIME")]
    delay: String,
    /// Limit of the queue, such as "20 packets"
    #[arg(long, value_name = "SIZE")]
    buffer: String,
    /// Further options of ackclock-link, in one text
    #[arg(long, value_name = "OPTIONS", default_value = "", allow_hyphen_values = true)]
    link: String,
    /// Duration of the transfer
    #[arg(long = "for", value_name = "TIME", default_value = "30 s")]
    duration: Duration,
    /// The beginning, which does not count for goodput, loss period and delay
    #[arg(long, value_name = "TIME", default_value = "5 s")]
    from: Duration,
    /// Flows side by side
    #[arg(long, default_value_t = 1)]
    flows: usize,
    /// Hold the calls of the controller to its contract
    #[arg(long)]
    checked: bool,
    /// The program ackclock-link; by default the one next to this program
    #[arg(long, value_name = "PROGRAM")]
    emulator: Option<PathBuf>,
}

/// The name in the kernel while a measurement runs.
fn name() -> String {
    format!("ack_{}", std::process::id())
}

pub(super) fn run(options: &Options) -> Result<(), String> {
    if options.from >= options.duration {
        return Err(format!(
            "nothing is measured: --from {} is not before --for {}",
            options.from, options.duration
        ));
    }
    let lacks = crate::lacks();
    if !lacks.is_empty() {
        return Err(lacks);
    }
    let controller =
        if options.own { None } else { Some(Controller::start(&options.algorithm, options.checked)?) };
    let keys = [("--rate", &options.rate), ("--delay", &options.delay), ("--buffer", &options.buffer)];
    let link = Link::up(options.emulator.as_deref(), &keys, &options.link)?;
    let algorithm = if options.own { options.algorithm.clone() } else { name() };
    let flows = transfer(&link, &algorithm, options.flows, options.duration, options.from)?;
    let report = controller.map(Controller::stop).transpose()?;
    let (emulated, drops) = link.down()?;
    println!("{}", account(options, &flows, report.as_ref(), &emulated, &drops));
    Ok(())
}

/// The session of an algorithm in a thread of its own.
struct Controller {
    stop: Arc<AtomicBool>,
    served: thread::JoinHandle<Result<Vec<Report>, String>>,
}

impl Controller {
    fn start(spec: &str, is_checked: bool) -> Result<Controller, String> {
        let factory = Factory::of(spec).map_err(|error| error.to_string())?;
        let factory = if is_checked { factory.checked() } else { factory };
        let session = Session::open(vec![Algorithm { name: name(), factory, observer: None }])?;
        let stop = Arc::new(AtomicBool::new(false));
        let watched = Arc::clone(&stop);
        let served = thread::spawn(move || {
            super::kernel::real_time();
            session.serve(&watched)
        });
        Ok(Controller { stop, served })
    }

    fn stop(self) -> Result<Report, String> {
        self.stop.store(true, Ordering::Relaxed);
        let reports = self.served.join().map_err(|_| "the controller failed".to_owned())??;
        reports.into_iter().next().ok_or_else(|| "no report".to_owned())
    }
}

fn account(
    options: &Options,
    flows: &[Flow],
    report: Option<&Report>,
    emulated: &Value,
    drops: &[f64],
) -> Value {
    let sum = |value: fn(&Flow) -> f64| flows.iter().map(value).sum::<f64>();
    // The link's clock starts with the link, a little before that of the first flow.
    let period = period::loss_period(drops, options.from.as_secs_f64(), options.duration.as_secs_f64());
    json!({
        "algorithm": options.algorithm,
        "stack": if options.own { "kernel (its own)" } else { "kernel (ours)" },
        "rate": options.rate,
        "delay": options.delay,
        "buffer": options.buffer,
        "flows": flows.len(),
        "seconds": options.duration.as_secs_f64(),
        "from_seconds": options.from.as_secs_f64(),
        "goodput_mbit_s": sum(|flow| flow.goodput) * 1e-6,
        "loss_period_s": period.map(|(period, _)| period),
        "periods": period.map_or(0, |(_, periods)| periods),
        "retransmissions": sum(|flow| f64::from(flow.retransmissions)),
        "mean_rtt_ms": sum(|flow| flow.mean_rtt) * 1e3 / flows.len().max(1) as f64,
        "host_late_p99_us": late(emulated, "lateness_p99_s"),
        "host_late_p99_9_us": late(emulated, "lateness_p99_9_s"),
        "host_late_max_us": late(emulated, "lateness_max_s"),
        "controller": report.map(Report::json),
    })
}

/// The lateness of the direction with the larger one, in microseconds.
fn late(emulated: &Value, key: &str) -> f64 {
    let directions = emulated["directions"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    directions.iter().filter_map(|direction| direction[key].as_f64()).fold(0.0, f64::max) * 1e6
}
