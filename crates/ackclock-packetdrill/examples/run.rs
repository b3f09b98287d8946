//! Runs scripts and prints what each has shown: `cargo run -p ackclock-packetdrill --example run -- SYSTEM FILE..`. The system `rfc` has
//! no settings of its own.

use std::path::Path;
use std::{env, fs};

use ackclock_packetdrill::{Options, Verdict, run_with_files};

fn main() {
    let mut arguments = env::args().skip(1);
    let mut options = Options::default();
    match arguments.next() {
        Some(system) if system == "rfc" => options.tcp.clear(),
        Some(system) => {
            options.tcp.insert("system".to_owned(), system.into());
        }
        None => return,
    }
    for name in arguments {
        let path = Path::new(&name);
        let Ok(text) = fs::read_to_string(path) else {
            println!("{name}: cannot be read");
            continue;
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        let verdict = run_with_files(&text, &options, &|file| fs::read_to_string(folder.join(file)).ok());
        println!("{name}: {verdict}");
        if let Verdict::Failed(failure) = verdict {
            failure.context.iter().for_each(|line| println!("    {line}"));
        }
    }
}
