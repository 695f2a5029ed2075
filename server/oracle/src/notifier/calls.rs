//! The system calls that are watched, and what each of them would change.

use libc::c_long;

/// What a call does, and which of its arguments say to what.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    /// Starts a program: the arguments with its folder, path and words.
    Execute {
        folder: Option<usize>,
        path: usize,
        words: usize,
    },
    /// Opens a file; the filter lets through what only reads.
    Open {
        folder: Option<usize>,
        path: usize,
    },
    /// Changes a file or its attributes.
    Change(Named),
    /// Makes a socket.
    Socket,
    /// Names an address: the arguments with the address and its length.
    Address {
        address: usize,
        length: usize,
    },
    Signal {
        process: usize,
        signal: usize,
    },
    /// Leaves the process group by which a script is ended.
    LeaveGroup,
    /// Concerns the whole system, or gets around everything that is watched here.
    System,
}

/// The argument with the path, or that with an open file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named {
    Path(usize),
    PathAt(usize, usize),
    File(usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WatchedCall {
    pub(crate) number: c_long,
    pub(crate) name: &'static str,
    pub(crate) effect: Effect,
}

const fn call(number: c_long, name: &'static str, effect: Effect) -> WatchedCall {
    WatchedCall {
        number,
        name,
        effect,
    }
}

const fn change(number: c_long, name: &'static str, named: Named) -> WatchedCall {
    call(number, name, Effect::Change(named))
}

const fn system(number: c_long, name: &'static str) -> WatchedCall {
    call(number, name, Effect::System)
}

use Named::{File, Path, PathAt};

/// Numbers that are the same on every processor, newer than the C library's headers may be.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

const COMMON: &[WatchedCall] = &[
    call(
        libc::SYS_execve,
        "execve",
        Effect::Execute {
            folder: None,
            path: 0,
            words: 1,
        },
    ),
    call(
        libc::SYS_execveat,
        "execveat",
        Effect::Execute {
            folder: Some(0),
            path: 1,
            words: 2,
        },
    ),
    call(
        libc::SYS_openat,
        "openat",
        Effect::Open {
            folder: Some(0),
            path: 1,
        },
    ),
    call(
        libc::SYS_openat2,
        "openat2",
        Effect::Open {
            folder: Some(0),
            path: 1,
        },
    ),
    change(libc::SYS_unlinkat, "unlinkat", PathAt(0, 1)),
    change(libc::SYS_mkdirat, "mkdirat", PathAt(0, 1)),
    change(libc::SYS_mknodat, "mknodat", PathAt(0, 1)),
    change(libc::SYS_symlinkat, "symlinkat", PathAt(1, 2)),
    change(libc::SYS_linkat, "linkat", PathAt(2, 3)),
    change(libc::SYS_renameat2, "renameat2", PathAt(2, 3)),
    change(libc::SYS_truncate, "truncate", Path(0)),
    change(libc::SYS_fchmod, "fchmod", File(0)),
    change(libc::SYS_fchmodat, "fchmodat", PathAt(0, 1)),
    change(FCHMODAT2, "fchmodat2", PathAt(0, 1)),
    change(libc::SYS_fchown, "fchown", File(0)),
    change(libc::SYS_fchownat, "fchownat", PathAt(0, 1)),
    change(libc::SYS_utimensat, "utimensat", PathAt(0, 1)),
    change(libc::SYS_setxattr, "setxattr", Path(0)),
    change(libc::SYS_lsetxattr, "lsetxattr", Path(0)),
    change(libc::SYS_fsetxattr, "fsetxattr", File(0)),
    change(libc::SYS_removexattr, "removexattr", Path(0)),
    change(libc::SYS_lremovexattr, "lremovexattr", Path(0)),
    change(libc::SYS_fremovexattr, "fremovexattr", File(0)),
    change(SETXATTRAT, "setxattrat", PathAt(0, 1)),
    change(REMOVEXATTRAT, "removexattrat", PathAt(0, 1)),
    change(FILE_SETATTR, "file_setattr", PathAt(0, 1)),
    call(libc::SYS_socket, "socket", Effect::Socket),
    call(
        libc::SYS_connect,
        "connect",
        Effect::Address {
            address: 1,
            length: 2,
        },
    ),
    call(
        libc::SYS_bind,
        "bind",
        Effect::Address {
            address: 1,
            length: 2,
        },
    ),
    call(
        libc::SYS_sendto,
        "sendto",
        Effect::Address {
            address: 4,
            length: 5,
        },
    ),
    call(
        libc::SYS_kill,
        "kill",
        Effect::Signal {
            process: 0,
            signal: 1,
        },
    ),
    call(
        libc::SYS_tkill,
        "tkill",
        Effect::Signal {
            process: 0,
            signal: 1,
        },
    ),
    call(
        libc::SYS_tgkill,
        "tgkill",
        Effect::Signal {
            process: 0,
            signal: 2,
        },
    ),
    call(
        libc::SYS_rt_sigqueueinfo,
        "rt_sigqueueinfo",
        Effect::Signal {
            process: 0,
            signal: 1,
        },
    ),
    call(libc::SYS_setpgid, "setpgid", Effect::LeaveGroup),
    call(libc::SYS_setsid, "setsid", Effect::LeaveGroup),
    system(libc::SYS_pidfd_send_signal, "pidfd_send_signal"),
    system(libc::SYS_ptrace, "ptrace"),
    system(libc::SYS_process_vm_writev, "process_vm_writev"),
    system(libc::SYS_io_uring_setup, "io_uring_setup"),
    system(libc::SYS_open_by_handle_at, "open_by_handle_at"),
    system(libc::SYS_unshare, "unshare"),
    system(libc::SYS_setns, "setns"),
    system(libc::SYS_mount, "mount"),
    system(libc::SYS_umount2, "umount2"),
    system(libc::SYS_move_mount, "move_mount"),
    system(libc::SYS_open_tree, "open_tree"),
    system(libc::SYS_pivot_root, "pivot_root"),
    system(libc::SYS_chroot, "chroot"),
    system(libc::SYS_reboot, "reboot"),
    system(libc::SYS_kexec_load, "kexec_load"),
    system(libc::SYS_init_module, "init_module"),
    system(libc::SYS_finit_module, "finit_module"),
    system(libc::SYS_delete_module, "delete_module"),
    system(libc::SYS_swapon, "swapon"),
    system(libc::SYS_swapoff, "swapoff"),
    system(libc::SYS_settimeofday, "settimeofday"),
    system(libc::SYS_clock_settime, "clock_settime"),
    system(libc::SYS_adjtimex, "adjtimex"),
    system(libc::SYS_sethostname, "sethostname"),
    system(libc::SYS_setdomainname, "setdomainname"),
    system(libc::SYS_quotactl, "quotactl"),
    system(libc::SYS_acct, "acct"),
    system(libc::SYS_bpf, "bpf"),
    system(libc::SYS_perf_event_open, "perf_event_open"),
];

#[cfg(not(target_arch = "riscv64"))]
const RENAMEAT: &[WatchedCall] = &[change(libc::SYS_renameat, "renameat", PathAt(2, 3))];
#[cfg(target_arch = "riscv64")]
const RENAMEAT: &[WatchedCall] = &[];

/// Calls that newer processors never had.
#[cfg(target_arch = "x86_64")]
const OLD: &[WatchedCall] = &[
    call(
        libc::SYS_open,
        "open",
        Effect::Open {
            folder: None,
            path: 0,
        },
    ),
    call(
        libc::SYS_creat,
        "creat",
        Effect::Open {
            folder: None,
            path: 0,
        },
    ),
    change(libc::SYS_unlink, "unlink", Path(0)),
    change(libc::SYS_rmdir, "rmdir", Path(0)),
    change(libc::SYS_mkdir, "mkdir", Path(0)),
    change(libc::SYS_mknod, "mknod", Path(0)),
    change(libc::SYS_symlink, "symlink", Path(1)),
    change(libc::SYS_link, "link", Path(1)),
    change(libc::SYS_rename, "rename", Path(1)),
    change(libc::SYS_chmod, "chmod", Path(0)),
    change(libc::SYS_chown, "chown", Path(0)),
    change(libc::SYS_lchown, "lchown", Path(0)),
    change(libc::SYS_utime, "utime", Path(0)),
    change(libc::SYS_utimes, "utimes", Path(0)),
    change(libc::SYS_futimesat, "futimesat", PathAt(0, 1)),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[WatchedCall] = &[];

/// Every watched call of this processor.
pub(crate) fn watched() -> impl Iterator<Item = &'static WatchedCall> {
    COMMON.iter().chain(RENAMEAT).chain(OLD)
}

pub(crate) fn find(number: c_long) -> Option<&'static WatchedCall> {
    watched().find(|call| call.number == number)
}

/// The argument with the flags of an open, where the filter can read them.
pub(crate) fn flags_of(number: c_long) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if number == libc::SYS_open {
        return Some(1);
    }
    (number == libc::SYS_openat).then_some(2)
}
