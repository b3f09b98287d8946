//! The program in the kernel, loaded once for each algorithm, under its name.

use std::ffi::OsStr;

use libbpf_rs::ReferencesType;
use libbpf_rs::btf::Btf;
use libbpf_rs::btf::types::{FuncProto, Ptr, Struct};
use libbpf_rs::{
    ErrorKind, Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder, OpenObject, PrintLevel, set_print,
};

use super::answers::Answers;
use super::clock::now_ns;
use super::report::Counters;

static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/datapath.bpf.o"));

/// `TCP_CA_NAME_MAX` without the zero at the end.
const LONGEST_NAME: usize = 15;

/// The registrations that the object carries: `cong_control` has four arguments since Linux 6.10, and had two before.
const REGISTRATIONS: [(&str, usize); 2] = [("current", 4), ("before_6_10", 2)];

/// A congestion control registered in the kernel, until it is dropped. Flows that have it keep it,
/// without a controller.
pub(super) struct Datapath {
    heartbeat: MapHandle,
    counted: MapHandle,
    /// The ring of records.
    pub events: MapHandle,
    pub answers: Answers,
    /// Dropped before the object.
    _link: Link,
    _object: Object,
}

impl Datapath {
    /// Loads the program and registers it.
    pub fn attach(name: &str) -> Result<Datapath, String> {
        check_name(name)?;
        if OBJECT.is_empty() {
            return Err(
                "this ackclock-kernel was built on a machine without clang: install clang and build it again"
                    .to_owned(),
            );
        }
        // The errors contain what libbpf prints.
        set_print(Some((PrintLevel::Warn, |_, _| {})));
        let wrong = |error: libbpf_rs::Error| match error.kind() {
            ErrorKind::PermissionDenied => {
                format!(
                    "{name}: the kernel refuses the program: {error}; `ackclock-kernel check` says what is missing"
                )
            }
            _ => format!("{name}: the kernel refuses the program: {error:#}"),
        };
        let mut open = ObjectBuilder::default().open_memory(OBJECT).map_err(wrong)?;
        let registration = choose(&mut open, name)?;
        let mut object = open.load().map_err(wrong)?;
        let handle = |name: &str| {
            let map = object.maps().find(|map| map.name() == OsStr::new(name));
            let map = map.ok_or_else(|| format!("the datapath has no map {name}"))?;
            MapHandle::try_from(&map).map_err(|error| format!("{name}: {error}"))
        };
        let (events, heartbeat, counted) = (handle("events")?, handle("heartbeat")?, handle("counted")?);
        let answers = handle("answers")?;
        fill(&handle("free_slots")?, answers.max_entries())?;
        let answers = Answers::map(&answers, answers.max_entries(), answers.value_size())?;
        let mut ops = object.maps_mut().find(|map| map.name() == OsStr::new(registration));
        let ops = ops.as_mut().ok_or("the datapath has no registration")?;
        let link = ops.attach_struct_ops().map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("the kernel has a congestion control {name}: choose another --name")
            }
            _ => wrong(error),
        })?;
        Ok(Datapath { heartbeat, counted, events, answers, _link: link, _object: object })
    }

    /// Tells the kernel that the controller is alive.
    pub fn beat(&self) {
        self.write_heartbeat(now_ns());
    }

    fn write_heartbeat(&self, time: u64) {
        // The elements of an array always exist, so this cannot fail.
        let _ = self.heartbeat.update(&0_u32.to_ne_bytes(), &time.to_ne_bytes(), MapFlags::ANY);
    }

    /// The counts of the kernel.
    pub fn counters(&self) -> Counters {
        let value = self.counted.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY);
        Counters::read(&value.ok().flatten().unwrap_or_default())
    }
}

impl Drop for Datapath {
    /// Remaining flows continue as Reno at once.
    fn drop(&mut self) {
        self.write_heartbeat(0);
    }
}

/// Checks a name for the kernel: letters, digits and underscores.
fn check_name(name: &str) -> Result<(), String> {
    let is_word = name.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_');
    if name.is_empty() || name.len() > LONGEST_NAME || !is_word {
        return Err(format!(
            "{name:?} is no name of a congestion control: up to {LONGEST_NAME} letters, digits and underscores"
        ));
    }
    Ok(())
}

/// Keeps only the registration that suits the kernel, and sets its name.
fn choose(open: &mut OpenObject, name: &str) -> Result<&'static str, String> {
    let arguments = arguments_of_cong_control()?;
    let (chosen, _) = REGISTRATIONS.into_iter().find(|(_, count)| *count == arguments).ok_or_else(|| {
        format!("cong_control takes {arguments} arguments in this kernel, which is newer than this program")
    })?;
    for mut map in open.maps_mut() {
        let this = map.name().to_owned();
        if this == OsStr::new(chosen) {
            let value = map.initial_value_mut().ok_or("the datapath has an empty registration")?;
            // The name is the structure's last field.
            let field = value.len().checked_sub(LONGEST_NAME + 1).ok_or("the registration has no name")?;
            value[field..].fill(0);
            value[field..field + name.len()].copy_from_slice(name.as_bytes());
        } else if REGISTRATIONS.iter().any(|(other, _)| this == OsStr::new(other)) {
            map.set_autocreate(false).map_err(|error| error.to_string())?;
        }
    }
    Ok(chosen)
}

/// The number of arguments of `tcp_congestion_ops.cong_control` in this kernel, by its BTF.
fn arguments_of_cong_control() -> Result<usize, String> {
    let btf = Btf::from_vmlinux().map_err(|error| format!("/sys/kernel/btf/vmlinux: {error}"))?;
    let operations: Option<Struct<'_>> = btf.type_by_name("tcp_congestion_ops");
    let arguments = operations.and_then(|operations| {
        let member = operations.iter().find(|member| member.name == Some(OsStr::new("cong_control")))?;
        let pointer: Ptr<'_> = btf.type_by_id(member.ty)?;
        let function: FuncProto<'_> = FuncProto::try_from(pointer.referenced_type()).ok()?;
        Some(function.len())
    });
    arguments.ok_or_else(|| "the kernel's types have no tcp_congestion_ops with cong_control".to_owned())
}

fn fill(free_slots: &MapHandle, slots: u32) -> Result<(), String> {
    for slot in 0..slots {
        let added = free_slots.update(&[], &slot.to_ne_bytes(), MapFlags::ANY);
        added.map_err(|error| format!("the list of free slots: {error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_kernel_takes() {
        assert!(check_name("ack_cubic").is_ok() && check_name("fifteen_letters").is_ok());
        for name in ["", "sixteen_letters_", "ack-cubic", "ack cubic"] {
            assert!(check_name(name).unwrap_err().contains("letters, digits and underscores"), "{name}");
        }
    }
}
