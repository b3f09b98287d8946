//! Compiles the datapath by clang, against the headers of the libbpf that libbpf-sys carries.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "src/bpf/datapath.bpf.c";

fn main() {
    println!("cargo:rerun-if-changed=src/bpf");
    if env::var_os("CARGO_FEATURE_BPF").is_none() {
        return;
    }
    let output = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let object = Path::new(&output).join("datapath.bpf.o");
    let headers = env::var_os("DEP_BPF_INCLUDE").expect("libbpf-sys says where its headers are");
    let mut clang = Command::new("clang");
    clang.args(["-O2", "-g", "-Wall", "-Werror", "-target", "bpf", "-mcpu=v3", "-c", SOURCE]);
    clang.arg("-I").arg(headers).arg("-o").arg(&object);
    match clang.status() {
        Ok(status) => assert!(status.success(), "clang does not compile {SOURCE}"),
        // The command is built all the same, and says what was missing.
        Err(error) => {
            println!("cargo:warning=clang: {error}: ackclock-kernel is built without its datapath");
            fs::write(&object, []).expect("OUT_DIR can be written to");
        }
    }
}
