//! Runs scripts and says what each has shown: `cargo run -p ackclock-packetdrill --example run -- FILE..`.

use std::path::Path;
use std::{env, fs};

use ackclock_packetdrill::{Options, Verdict, run_with_files};

fn main() {
    for name in env::args().skip(1) {
        let path = Path::new(&name);
        let Ok(text) = fs::read_to_string(path) else {
            println!("{name}: cannot be read");
            continue;
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        let verdict =
            run_with_files(&text, &Options::default(), &|file| fs::read_to_string(folder.join(file)).ok());
        println!("{name}: {verdict}");
        if let Verdict::Failed(failure) = verdict {
            failure.context.iter().for_each(|line| println!("    {line}"));
        }
    }
}
