//! The system calls that change something, what they change, and where their arguments name it.

use libc::c_long;

use crate::refused::AccessKind;

/// A system call that a read-only command is refused, unless it concerns its scratch folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct WatchedCall {
    pub(super) number: c_long,
    pub(super) kind: AccessKind,
    pub(super) target: Target,
    pub(super) enforced_by: Enforcer,
}

/// Who refuses the call if the notifier lets it continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enforcer {
    /// Landlock decides again, so the notifier may let it continue.
    Landlock,
    /// Nobody, so the notifier never does.
    Notifier,
}

/// Which arguments name what the call changes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// A path, relative to the folder of the process.
    Path(usize),
    /// A path, relative to the folder of an open file.
    PathAt(usize, usize),
    TwoPaths(usize, usize),
    TwoPathsAt([usize; 4]),
    /// An open file.
    File(usize),
    /// A path and flags to open it with.
    Open {
        folder: Option<usize>,
        path: usize,
        flags: Flags,
    },
    Socket,
    /// A process or group, and a signal.
    Process {
        process: usize,
        signal: usize,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Flags {
    In(usize),
    /// In a structure, which a filter cannot read.
    Behind(usize),
    /// The call writes in any case.
    Implied,
}

/// Numbers that are the same on every processor, newer than the C library's headers may be.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const FILE_SETATTR: c_long = 469;

const fn call(
    number: c_long,
    kind: AccessKind,
    target: Target,
    enforced_by: Enforcer,
) -> WatchedCall {
    WatchedCall {
        number,
        kind,
        target,
        enforced_by,
    }
}

const fn landlocked(number: c_long, kind: AccessKind, target: Target) -> WatchedCall {
    call(number, kind, target, Enforcer::Landlock)
}

const fn refused(number: c_long, kind: AccessKind, target: Target) -> WatchedCall {
    call(number, kind, target, Enforcer::Notifier)
}

const COMMON: &[WatchedCall] = &[
    landlocked(
        libc::SYS_openat,
        AccessKind::Write,
        Target::Open {
            folder: Some(0),
            path: 1,
            flags: Flags::In(2),
        },
    ),
    landlocked(
        libc::SYS_openat2,
        AccessKind::Write,
        Target::Open {
            folder: Some(0),
            path: 1,
            flags: Flags::Behind(2),
        },
    ),
    landlocked(libc::SYS_unlinkat, AccessKind::Remove, Target::PathAt(0, 1)),
    landlocked(
        libc::SYS_mkdirat,
        AccessKind::CreateFolder,
        Target::PathAt(0, 1),
    ),
    landlocked(
        libc::SYS_mknodat,
        AccessKind::CreateDevice,
        Target::PathAt(0, 1),
    ),
    landlocked(
        libc::SYS_symlinkat,
        AccessKind::CreateLink,
        Target::PathAt(1, 2),
    ),
    landlocked(
        libc::SYS_linkat,
        AccessKind::CreateLink,
        Target::TwoPathsAt([0, 1, 2, 3]),
    ),
    landlocked(
        libc::SYS_renameat2,
        AccessKind::Rename,
        Target::TwoPathsAt([0, 1, 2, 3]),
    ),
    // Landlock knows it from version 3 on; before that nobody would refuse it.
    refused(libc::SYS_truncate, AccessKind::Truncate, Target::Path(0)),
    refused(libc::SYS_fchmod, AccessKind::ChangeMode, Target::File(0)),
    refused(
        libc::SYS_fchmodat,
        AccessKind::ChangeMode,
        Target::PathAt(0, 1),
    ),
    refused(FCHMODAT2, AccessKind::ChangeMode, Target::PathAt(0, 1)),
    refused(libc::SYS_fchown, AccessKind::ChangeOwner, Target::File(0)),
    refused(
        libc::SYS_fchownat,
        AccessKind::ChangeOwner,
        Target::PathAt(0, 1),
    ),
    refused(
        libc::SYS_utimensat,
        AccessKind::ChangeTimes,
        Target::PathAt(0, 1),
    ),
    refused(
        libc::SYS_setxattr,
        AccessKind::ChangeAttributes,
        Target::Path(0),
    ),
    refused(
        libc::SYS_lsetxattr,
        AccessKind::ChangeAttributes,
        Target::Path(0),
    ),
    refused(
        libc::SYS_fsetxattr,
        AccessKind::ChangeAttributes,
        Target::File(0),
    ),
    refused(
        libc::SYS_removexattr,
        AccessKind::ChangeAttributes,
        Target::Path(0),
    ),
    refused(
        libc::SYS_lremovexattr,
        AccessKind::ChangeAttributes,
        Target::Path(0),
    ),
    refused(
        libc::SYS_fremovexattr,
        AccessKind::ChangeAttributes,
        Target::File(0),
    ),
    refused(
        SETXATTRAT,
        AccessKind::ChangeAttributes,
        Target::PathAt(0, 1),
    ),
    refused(
        REMOVEXATTRAT,
        AccessKind::ChangeAttributes,
        Target::PathAt(0, 1),
    ),
    refused(
        FILE_SETATTR,
        AccessKind::ChangeAttributes,
        Target::PathAt(0, 1),
    ),
    refused(libc::SYS_socket, AccessKind::Network, Target::Socket),
    landlocked(
        libc::SYS_kill,
        AccessKind::Signal,
        Target::Process {
            process: 0,
            signal: 1,
        },
    ),
    landlocked(
        libc::SYS_tkill,
        AccessKind::Signal,
        Target::Process {
            process: 0,
            signal: 1,
        },
    ),
    landlocked(
        libc::SYS_tgkill,
        AccessKind::Signal,
        Target::Process {
            process: 0,
            signal: 2,
        },
    ),
    landlocked(
        libc::SYS_rt_sigqueueinfo,
        AccessKind::Signal,
        Target::Process {
            process: 0,
            signal: 1,
        },
    ),
    landlocked(
        libc::SYS_rt_tgsigqueueinfo,
        AccessKind::Signal,
        Target::Process {
            process: 0,
            signal: 2,
        },
    ),
];

#[cfg(not(target_arch = "riscv64"))]
const RENAMEAT: &[WatchedCall] = &[landlocked(
    libc::SYS_renameat,
    AccessKind::Rename,
    Target::TwoPathsAt([0, 1, 2, 3]),
)];
#[cfg(target_arch = "riscv64")]
const RENAMEAT: &[WatchedCall] = &[];

/// Calls that newer processors never had.
#[cfg(target_arch = "x86_64")]
const OLD: &[WatchedCall] = &[
    landlocked(
        libc::SYS_open,
        AccessKind::Write,
        Target::Open {
            folder: None,
            path: 0,
            flags: Flags::In(1),
        },
    ),
    landlocked(
        libc::SYS_creat,
        AccessKind::Write,
        Target::Open {
            folder: None,
            path: 0,
            flags: Flags::Implied,
        },
    ),
    landlocked(libc::SYS_unlink, AccessKind::Remove, Target::Path(0)),
    landlocked(libc::SYS_rmdir, AccessKind::Remove, Target::Path(0)),
    landlocked(libc::SYS_mkdir, AccessKind::CreateFolder, Target::Path(0)),
    landlocked(libc::SYS_mknod, AccessKind::CreateDevice, Target::Path(0)),
    landlocked(libc::SYS_symlink, AccessKind::CreateLink, Target::Path(1)),
    landlocked(
        libc::SYS_link,
        AccessKind::CreateLink,
        Target::TwoPaths(0, 1),
    ),
    landlocked(libc::SYS_rename, AccessKind::Rename, Target::TwoPaths(0, 1)),
    refused(libc::SYS_chmod, AccessKind::ChangeMode, Target::Path(0)),
    refused(libc::SYS_chown, AccessKind::ChangeOwner, Target::Path(0)),
    refused(libc::SYS_lchown, AccessKind::ChangeOwner, Target::Path(0)),
    refused(libc::SYS_utime, AccessKind::ChangeTimes, Target::Path(0)),
    refused(libc::SYS_utimes, AccessKind::ChangeTimes, Target::Path(0)),
    refused(
        libc::SYS_futimesat,
        AccessKind::ChangeTimes,
        Target::PathAt(0, 1),
    ),
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[WatchedCall] = &[];

/// Every watched call of this processor.
pub(super) fn watched() -> impl Iterator<Item = &'static WatchedCall> {
    COMMON.iter().chain(RENAMEAT).chain(OLD)
}

pub(super) fn find(number: c_long) -> Option<&'static WatchedCall> {
    watched().find(|call| call.number == number)
}

/// Calls that no read-only command needs, refused without a report: other ways to the same
/// effects, and what concerns the whole system.
pub(super) const FORBIDDEN: &[c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pidfd_getfd,
    libc::SYS_open_by_handle_at,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_shmget,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_quotactl,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_process_vm_writev,
];

/// Commands to a file that change it although it is open for reading only, and those that type
/// on a terminal.
pub(super) const FORBIDDEN_IOCTLS: &[u32] = &[
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x4008_7602, // FS_IOC_SETVERSION
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4080_6685, // FS_IOC_ENABLE_VERITY
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0x5412,      // TIOCSTI
    0x541c,      // TIOCLINUX
];
