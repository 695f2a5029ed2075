//! The filter: what is watched asks the notifier, everything else runs. And the four calls that need raw memory.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libc::{c_int, seccomp_notif, seccomp_notif_resp, sock_filter};

use super::calls;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: u32 = 0xc000_00f3;

const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_NOT_BELOW: u16 = 0x35;
const JUMP_IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

/// An open with none of these changes nothing.
pub(super) const WRITING: u32 =
    (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC).unsigned_abs() | TEMPORARY_FILE;
/// `O_TMPFILE` without the flag for folders that it contains.
const TEMPORARY_FILE: u32 = (libc::O_TMPFILE & !libc::O_DIRECTORY).unsigned_abs();

/// Commands to a file that change it although it is open for reading only.
const CHANGING_IOCTLS: &[u32] = &[
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x5412,      // TIOCSTI
];

fn program() -> Vec<sock_filter> {
    let mut program = vec![
        instruction(LOAD, 4, 0, 0),
        instruction(JUMP_IF_EQUAL, ARCHITECTURE, 1, 0),
        instruction(RETURN, libc::SECCOMP_RET_KILL_PROCESS, 0, 0),
        instruction(LOAD, 0, 0, 0),
        // The same calls by other numbers, which nothing here uses; x86-64 alone has them.
        instruction(JUMP_IF_NOT_BELOW, 0x4000_0000, 0, 1),
        instruction(RETURN, libc::SECCOMP_RET_KILL_PROCESS, 0, 0),
    ];
    for call in calls::watched() {
        let number = u32::try_from(call.number).unwrap();
        match calls::flags_of(call.number) {
            Some(place) => program.extend([
                instruction(JUMP_IF_EQUAL, number, 0, 4),
                load_argument(place),
                instruction(JUMP_IF_ANY_BIT, WRITING, 0, 1),
                instruction(RETURN, libc::SECCOMP_RET_USER_NOTIF, 0, 0),
                instruction(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0),
            ]),
            None => program.extend([
                instruction(JUMP_IF_EQUAL, number, 0, 1),
                instruction(RETURN, libc::SECCOMP_RET_USER_NOTIF, 0, 0),
            ]),
        }
    }
    let ioctl = u32::try_from(libc::SYS_ioctl).unwrap();
    let length = u8::try_from(2 * CHANGING_IOCTLS.len() + 1).unwrap();
    program.push(instruction(JUMP_IF_EQUAL, ioctl, 0, length));
    program.push(load_argument(1));
    for command in CHANGING_IOCTLS {
        program.push(instruction(JUMP_IF_EQUAL, *command, 0, 1));
        program.push(instruction(RETURN, libc::SECCOMP_RET_USER_NOTIF, 0, 0));
    }
    program.push(instruction(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0));
    program
}

fn instruction(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The lower half of an argument.
fn load_argument(place: usize) -> sock_filter {
    instruction(LOAD, 16 + 8 * u32::try_from(place).unwrap(), 0, 0)
}

/// Watches this thread and all that it starts from now on, for good.
#[expect(
    unsafe_code,
    reason = "no crate we use can install a filter with a listener"
)]
pub(super) fn install() -> io::Result<OwnedFd> {
    rustix::thread::set_no_new_privs(true)?;
    let instructions = program();
    let program = libc::sock_fprog {
        len: u16::try_from(instructions.len()).map_err(io::Error::other)?,
        filter: instructions.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel only reads the program, which outlives the call, and checks its length.
    let result = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    match c_int::try_from(result) {
        // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
        Ok(listener @ 0..) => Ok(unsafe { OwnedFd::from_raw_fd(listener) }),
        _ => Err(io::Error::last_os_error()),
    }
}

#[expect(unsafe_code, reason = "no crate we use knows notifications")]
pub(super) fn receive(listener: &OwnedFd) -> io::Result<seccomp_notif> {
    // SAFETY: all its fields are numbers, for which zero is a value; the kernel wants it zeroed.
    let mut call: seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one structure of this size, which the number of the command says.
    let result = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_RECV,
            &raw mut call,
        )
    };
    match result {
        0 => Ok(call),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets a call go on, or fails it with this error.
#[expect(unsafe_code, reason = "no crate we use knows notifications")]
pub(super) fn respond(listener: &OwnedFd, id: u64, refusal: Option<c_int>) -> io::Result<()> {
    let flag = u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).unwrap();
    let mut response = seccomp_notif_resp {
        id,
        val: 0,
        error: refusal.map_or(0, |error| -error),
        flags: if refusal.is_none() { flag } else { 0 },
    };
    // SAFETY: the kernel reads one structure of this size, which the number of the command says.
    let result = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_SEND,
            &raw mut response,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
