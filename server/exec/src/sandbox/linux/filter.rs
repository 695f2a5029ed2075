//! The seccomp filter of read-only commands, as a program for the kernel.
//!
//! seccompiler cannot notify, so this program is put together here. It is a list of comparisons
//! without loops; the kernel remembers which calls it always allows and does not run it for them.

use libc::{c_long, sock_filter};

use super::calls::{self, Enforcer, FORBIDDEN, FORBIDDEN_IOCTLS, Flags, Target, WatchedCall};

/// Whether refused calls can be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detection {
    Notified,
    /// Somebody else listens already, such as the manager of a container. The same is refused.
    None,
}

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00b7);
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00f3);
#[cfg(not(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
)))]
const ARCHITECTURE: Option<u32> = None;

const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_NOT_BELOW: u16 = 0x35;
const JUMP_IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

/// Where the kernel puts the number of the call, the processor and the arguments.
const NUMBER: u32 = 0;
const PROCESSOR: u32 = 4;
const ARGUMENTS: u32 = 16;

const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EACCES.unsigned_abs();

/// An open with none of these changes nothing.
pub(super) const WRITING: u32 =
    (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC).unsigned_abs() | O_TMPFILE_ONLY;
/// `O_TMPFILE` without the flag for folders that it contains.
const O_TMPFILE_ONLY: u32 = (libc::O_TMPFILE & !libc::O_DIRECTORY).unsigned_abs();

/// `None` on a processor that is not known, or if a group does not fit into a jump.
pub(super) fn program(detection: Detection) -> Option<Vec<sock_filter>> {
    let mut program = vec![
        load(PROCESSOR),
        jump(JUMP_IF_EQUAL, ARCHITECTURE?, 1, 0),
        give(libc::SECCOMP_RET_KILL_PROCESS),
        load(NUMBER),
    ];
    if cfg!(target_arch = "x86_64") {
        /// Set in the numbers of the same calls in another, nearly extinct convention.
        const X32: u32 = 0x4000_0000;
        program.push(jump(JUMP_IF_NOT_BELOW, X32, 0, 1));
        program.push(give(REFUSE));
    }
    add_ioctls(&mut program);
    add_in_groups(&mut program, rules(detection))?;
    Some(program)
}

/// So many calls are compared one by one. All of them must fit into one jump.
const GROUP: usize = 8;

/// What becomes of the call with this number.
struct Rule {
    number: u32,
    instructions: Vec<sock_filter>,
}

/// One for each watched or forbidden call, by number.
fn rules(detection: Detection) -> Vec<Rule> {
    let watched = calls::watched().map(|call| {
        let mut instructions = Vec::new();
        add_watched(&mut instructions, call, detection);
        Rule {
            number: number32(call.number),
            instructions,
        }
    });
    let forbidden = FORBIDDEN.iter().map(|number| {
        let number = number32(*number);
        Rule {
            number,
            instructions: vec![jump(JUMP_IF_EQUAL, number, 0, 1), give(REFUSE)],
        }
    });
    let mut rules: Vec<Rule> = watched.chain(forbidden).collect();
    rules.sort_by_key(|rule| rule.number);
    rules
}

/// A call is compared with those of one group only. The kernel runs the program for every call that exists when it is
/// installed, so that a long list would slow the start of each command down.
fn add_in_groups(program: &mut Vec<sock_filter>, rules: Vec<Rule>) -> Option<()> {
    let mut groups: Vec<(u32, Vec<sock_filter>)> = Vec::new();
    for (place, rule) in rules.into_iter().enumerate() {
        match groups.last_mut().filter(|_| place % GROUP != 0) {
            Some((_, instructions)) => instructions.extend(rule.instructions),
            None => groups.push((rule.number, rule.instructions)),
        }
    }
    let mut groups = groups.into_iter().peekable();
    while let Some((_, mut instructions)) = groups.next() {
        instructions.push(give(libc::SECCOMP_RET_ALLOW));
        if let Some((next, _)) = groups.peek() {
            let length = u8::try_from(instructions.len()).ok()?;
            program.push(jump(JUMP_IF_NOT_BELOW, *next, length, 0));
        }
        program.extend(instructions);
    }
    Some(())
}

fn add_watched(program: &mut Vec<sock_filter>, call: &WatchedCall, detection: Detection) {
    let found = match (detection, call.enforced_by, call.target) {
        (Detection::Notified, _, _) => libc::SECCOMP_RET_USER_NOTIF,
        (Detection::None, Enforcer::Notifier, _) => REFUSE,
        // Signals too: before version 6 of landlock they go through here.
        (Detection::None, Enforcer::Landlock, _) => return add_emptying(program, call),
    };
    let number = number32(call.number);
    match call.target {
        Target::Open {
            flags: Flags::In(place),
            ..
        } => program.extend([
            jump(JUMP_IF_EQUAL, number, 0, 4),
            load(argument(place)),
            jump(JUMP_IF_ANY_BIT, WRITING, 0, 1),
            give(found),
            give(libc::SECCOMP_RET_ALLOW),
        ]),
        // The C library looks for a local service whenever it looks up a user. That is nothing to report, and to ask
        // the guard about it would cost more than the call.
        Target::Socket => program.extend([
            jump(JUMP_IF_EQUAL, number, 0, 4),
            load(argument(0)),
            jump(JUMP_IF_EQUAL, libc::AF_UNIX.unsigned_abs(), 0, 1),
            give(REFUSE),
            give(found),
        ]),
        _ => program.extend([jump(JUMP_IF_EQUAL, number, 0, 1), give(found)]),
    }
}

/// Opening a file for reading and emptying it at the same time, which older landlocks let through.
fn add_emptying(program: &mut Vec<sock_filter>, call: &WatchedCall) {
    let emptying = libc::O_TRUNC.unsigned_abs();
    if let Target::Open {
        flags: Flags::In(place),
        ..
    } = call.target
    {
        program.extend([
            jump(JUMP_IF_EQUAL, number32(call.number), 0, 6),
            load(argument(place)),
            jump(JUMP_IF_ANY_BIT, libc::O_ACCMODE.unsigned_abs(), 2, 0),
            jump(JUMP_IF_ANY_BIT, emptying, 0, 1),
            give(REFUSE),
            give(libc::SECCOMP_RET_ALLOW),
            give(libc::SECCOMP_RET_ALLOW),
        ]);
    }
}

fn add_ioctls(program: &mut Vec<sock_filter>) {
    let length = u8::try_from(2 * FORBIDDEN_IOCTLS.len() + 2).unwrap_or(u8::MAX);
    program.push(jump(JUMP_IF_EQUAL, number32(libc::SYS_ioctl), 0, length));
    program.push(load(argument(1)));
    for command in FORBIDDEN_IOCTLS {
        program.push(jump(JUMP_IF_EQUAL, *command, 0, 1));
        program.push(give(REFUSE));
    }
    program.push(give(libc::SECCOMP_RET_ALLOW));
}

fn load(place: u32) -> sock_filter {
    instruction(LOAD, place, 0, 0)
}

fn give(verdict: u32) -> sock_filter {
    instruction(RETURN, verdict, 0, 0)
}

fn jump(kind: u16, value: u32, then: u8, otherwise: u8) -> sock_filter {
    instruction(kind, value, then, otherwise)
}

fn instruction(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The lower half of an argument; all processors that are known put it first.
fn argument(place: usize) -> u32 {
    ARGUMENTS + 8 * u32::try_from(place).unwrap_or_default()
}

fn number32(number: c_long) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
