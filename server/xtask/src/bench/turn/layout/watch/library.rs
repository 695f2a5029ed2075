//! Writes down which functions of a program are called, each once, in the order of their first calls. Compiled on its own and
//! loaded into the program before that starts.
//!
//! It replaces the first byte of every function by the instruction that stops a program for its debugger. Whoever comes
//! there is written down, the byte is put back, and the program goes on as if nothing had been. So it runs on all
//! processors, as fast as ever, and takes the ways that it takes when nobody looks. Under valgrind, which was
//! used before, it does not: one thread at a time, and without the newer instructions and system calls.

use std::ffi::{c_int, c_long, c_ulong, c_void};
use std::fs::{self, OpenOptions};
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// The instruction that stops.
const STOP: u8 = 0xcc;
const SIGTRAP: c_int = 5;
/// With the registers, on a stack of its own where there is one, and also while another is handled.
const FLAGS: c_int = 0x4800_0004;
const READ_AND_WRITE: c_int = 3;
const READ_WRITE_AND_RUN: c_int = 7;
const SHARED: c_int = 1;
const PAGE: usize = 4096;
/// Where the headers of the program are, which follow the head of the file.
const HEADERS: c_ulong = 3;
const HEAD: usize = 64;
/// The number of the register that says what is next.
const NEXT: usize = 16;

unsafe extern "C" {
    fn getauxval(kind: c_ulong) -> c_ulong;
    fn mmap(
        at: *mut c_void,
        size: usize,
        how: c_int,
        kind: c_int,
        file: c_int,
        from: c_long,
    ) -> *mut c_void;
    fn mprotect(at: *mut c_void, size: usize, how: c_int) -> c_int;
    fn sigaction(signal: c_int, action: *const Action, before: *mut Action) -> c_int;
}

#[repr(C)]
struct Action {
    handler: extern "C" fn(c_int, *const c_void, *mut State),
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// Of the thread that was stopped.
#[repr(C)]
struct State {
    _before: [u64; 5],
    registers: [u64; 23],
}

struct Watch {
    /// Where the program begins in memory.
    base: usize,
    /// Where its functions begin in it, in order.
    functions: Vec<u32>,
    /// Their first bytes.
    bytes: Vec<u8>,
    /// How many were called, and which. A file, so that nothing is lost however the program ends.
    trace: &'static [AtomicU32],
}

static WATCH: OnceLock<Watch> = OnceLock::new();

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

/// Runs before the program's own start. What goes wrong in here ends it.
extern "C" fn start() {
    let variable = |name| std::env::var_os(name).expect("a variable is missing");
    let functions = fs::read(variable("WATCH_FUNCTIONS")).expect("no functions");
    let (functions, _) = functions.as_chunks();
    let functions: Vec<u32> = functions
        .iter()
        .map(|one| u32::from_le_bytes(*one))
        .collect();
    let trace = shared(&variable("WATCH_TRACE").into(), functions.len() + 1);
    // SAFETY: there is only this thread yet.
    unsafe {
        for name in ["LD_PRELOAD", "WATCH_FUNCTIONS", "WATCH_TRACE"] {
            std::env::remove_var(name);
        }
    }
    // SAFETY: it takes a number.
    let base = unsafe { getauxval(HEADERS) } as usize - HEAD;
    let (first, last) = (
        functions[0] as usize,
        functions[functions.len() - 1] as usize,
    );
    let (from, to) = ((base + first) & !(PAGE - 1), base + last + 1);
    let action = Action {
        handler: stopped,
        mask: [0; 16],
        flags: FLAGS,
        restorer: 0,
    };
    // SAFETY: these are the pages of the program's code, and the types are the C library's.
    let done = unsafe {
        mprotect(from as *mut c_void, to - from, READ_WRITE_AND_RUN)
            | sigaction(SIGTRAP, &action, null_mut())
    };
    assert!(done == 0, "the program cannot be watched");
    let bytes = functions
        .iter()
        .map(|one| byte(base + *one as usize).load(Ordering::Relaxed));
    let bytes = bytes.collect();
    let watch = WATCH.get_or_init(|| Watch {
        base,
        functions,
        bytes,
        trace,
    });
    for function in &watch.functions {
        byte(base + *function as usize).store(STOP, Ordering::Relaxed);
    }
}

/// So many numbers in a file.
fn shared(path: &std::path::PathBuf, count: usize) -> &'static [AtomicU32] {
    let size = count * size_of::<u32>();
    let mut options = OpenOptions::new();
    let file = options
        .create(true)
        .truncate(true)
        .read(true)
        .write(true)
        .open(path);
    let file = file.expect("no trace");
    file.set_len(size as u64).expect("no room for the trace");
    // SAFETY: the file has this size, and stays mapped when it is closed.
    unsafe {
        let at = mmap(
            null_mut(),
            size,
            READ_AND_WRITE,
            SHARED,
            file.as_raw_fd(),
            0,
        );
        assert!(at as isize != -1, "the trace cannot be written");
        std::slice::from_raw_parts(at.cast(), count)
    }
}

/// A byte of the program's code.
fn byte(place: usize) -> &'static AtomicU8 {
    // SAFETY: the places are those of functions, whose pages can be written since `start`.
    unsafe { AtomicU8::from_ptr(place as *mut u8) }
}

/// Two threads may come to the same function at once; then one of them finds that all is done.
extern "C" fn stopped(_signal: c_int, _about: *const c_void, state: *mut State) {
    // SAFETY: the kernel hands the state over for as long as this runs.
    let next = unsafe { &mut (*state).registers[NEXT] };
    let watch = WATCH.get().expect("somebody else stops here");
    let place = *next as usize - 1;
    let function = (place - watch.base) as u32;
    let number = watch
        .functions
        .binary_search(&function)
        .expect("somebody else stops here");
    if byte(place).swap(watch.bytes[number], Ordering::Relaxed) == STOP {
        let count = watch.trace[0].fetch_add(1, Ordering::Relaxed) + 1;
        watch.trace[count as usize].store(function, Ordering::Relaxed);
    }
    *next = place as u64;
}
