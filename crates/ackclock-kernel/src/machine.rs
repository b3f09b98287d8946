//! Checks whether a machine meets the kernel's requirements.

use std::fs;
use std::path::Path;

/// The kernel's capabilities by number, each with the operation that needs it (capabilities(7)).
const CAPABILITIES: [(u32, &str, &str); 3] = [
    (39, "CAP_BPF", "to load programs"),
    (12, "CAP_NET_ADMIN", "to register a congestion control"),
    (38, "CAP_PERFMON", "to read the kernel's structures"),
];
/// `CAP_SYS_ADMIN` includes the first and the third.
const SYS_ADMIN: u32 = 21;
const NET_ADMIN: u32 = 12;

/// Registrations that end with the process that made them came with Linux 6.4.
const OLDEST: (u32, u32) = (6, 4);

/// The type that exists in kernels whose congestion controls can be programs.
const REGISTRY: &[u8] = b"bpf_struct_ops_tcp_congestion_ops";

/// The properties of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The release of the kernel, such as `6.18.1`.
    pub release: String,
    /// The kernel's description of its types; none if it carries none.
    pub btf: Option<Vec<u8>>,
    /// The capabilities of this process, a bit for each.
    pub capabilities: u64,
    /// True if the kernel compiles programs to machine code. Otherwise it calls none.
    pub has_jit: bool,
}

impl Machine {
    /// Reads the properties of this machine. `root` is `/`, except in tests.
    pub fn read(root: &Path) -> Machine {
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let status = text("proc/self/status");
        let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
        Machine {
            release: text("proc/sys/kernel/osrelease").trim().to_owned(),
            btf: fs::read(root.join("sys/kernel/btf/vmlinux")).ok(),
            capabilities: effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or(0),
            has_jit: text("proc/sys/net/core/bpf_jit_enable").trim() != "0",
        }
    }

    /// The version of the kernel, if its release states one.
    fn version(&self) -> Option<(u32, u32)> {
        let mut numbers = self.release.split(|letter: char| !letter.is_ascii_digit());
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }

    fn may(&self, capability: u32) -> bool {
        let includes = |number: u32| self.capabilities >> number & 1 == 1;
        includes(capability) || capability != NET_ADMIN && includes(SYS_ADMIN)
    }

    /// The missing requirements, a sentence each; none if controllers can run.
    pub fn lacks(&self) -> Vec<String> {
        let mut lacks = Vec::new();
        match self.version() {
            None => lacks.push(
                "This system is not Linux: there is no release in /proc/sys/kernel/osrelease.".to_owned(),
            ),
            Some(version) if version < OLDEST => lacks.push(format!(
                "Linux {} is too old: registrations that end with their process came with Linux {}.{}.",
                self.release, OLDEST.0, OLDEST.1
            )),
            Some(_) => {}
        }
        match &self.btf {
            None => lacks.push(
                "The kernel does not describe its types: /sys/kernel/btf/vmlinux is missing, which a kernel built with \
                 CONFIG_DEBUG_INFO_BTF=y has."
                    .to_owned(),
            ),
            Some(btf) if !btf.windows(REGISTRY.len()).any(|name| name == REGISTRY) => lacks.push(
                "The kernel takes no congestion control from programs: it was built without CONFIG_BPF_SYSCALL or \
                 CONFIG_BPF_JIT."
                    .to_owned(),
            ),
            Some(_) => {}
        }
        if !self.has_jit {
            lacks.push(
                "The compiler of programs is switched off: `sysctl net.core.bpf_jit_enable=1` switches it on.".to_owned(),
            );
        }
        for (number, name, purpose) in CAPABILITIES {
            if !self.may(number) {
                lacks.push(format!(
                    "This process lacks {name}, {purpose}: run it as root, or `setcap cap_bpf,cap_net_admin,cap_perfmon+ep` \
                     on the program."
                ));
            }
        }
        lacks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        let btf = [b"types ".as_slice(), REGISTRY, b" more"].concat();
        Machine { release: "6.18.44-x".to_owned(), btf: Some(btf), capabilities: u64::MAX, has_jit: true }
    }

    #[test]
    fn a_machine_with_everything_lacks_nothing() {
        assert_eq!(machine().lacks(), Vec::<String>::new());
        let three = 1 << 39 | 1 << 12 | 1 << 38;
        assert_eq!(Machine { capabilities: three, ..machine() }.lacks(), Vec::<String>::new());
    }

    #[test]
    fn each_lack_has_its_sentence() {
        let sentence = |machine: Machine| {
            let lacks = machine.lacks();
            assert_eq!(lacks.len(), 1, "{lacks:?}");
            lacks.concat()
        };
        assert!(sentence(Machine { release: "6.1.0-9-amd64".to_owned(), ..machine() }).contains("too old"));
        assert!(sentence(Machine { release: String::new(), ..machine() }).contains("not Linux"));
        assert!(sentence(Machine { btf: None, ..machine() }).contains("CONFIG_DEBUG_INFO_BTF"));
        assert!(sentence(Machine { btf: Some(vec![0; 9]), ..machine() }).contains("CONFIG_BPF_JIT"));
        assert!(sentence(Machine { has_jit: false, ..machine() }).contains("bpf_jit_enable"));
        let without = |number: u32| Machine { capabilities: !(1 << number | 1 << SYS_ADMIN), ..machine() };
        assert!(sentence(without(39)).contains("CAP_BPF, to load programs"));
        assert!(sentence(without(12)).contains("CAP_NET_ADMIN"));
        assert!(sentence(without(38)).contains("CAP_PERFMON"));
    }

    #[test]
    fn nobody_lacks_all_three_capabilities() {
        let lacks = Machine { capabilities: 0, ..machine() }.lacks();
        assert_eq!(lacks.len(), 3);
        let administrator = Machine { capabilities: 1 << SYS_ADMIN, ..machine() };
        assert!(administrator.lacks().concat().contains("CAP_NET_ADMIN"));
    }

    #[test]
    fn an_empty_system_is_described_without_a_panic() {
        let lacks = Machine::read(Path::new("/nonexistent")).lacks();
        assert!(lacks.len() >= 5, "{lacks:?}");
    }
}
