//! The first thing that runs in the binary that is shipped: moves every address in it to where it was loaded. Compiled on
//! its own and linked in; the compiler's and the C library's start come after it.
//!
//! Nothing in here may need to be moved itself: no constants that point somewhere, no panics, no calls through a table.
//! Functions of the C library could be called already, but there is no need for one.

mod unpack;

use core::arch::{asm, global_asm};

/// An entry of the program's list for whoever loads it: what it is, and its value.
type Dynamic = [usize; 2];

/// The packed relocations, and their size in bytes. These are the tags of Android, which no C library of Linux looks for.
const RELOCATIONS: usize = 0x6fff_e000;
const SIZE: usize = 0x6fff_e001;
const END: usize = 0;

/// A part of the program that can be read only, once it has been relocated.
const READ_ONLY_SOON: u32 = 0x6474_e552;

const PAGE: usize = 4096;
const MPROTECT: usize = 10;
const READ: usize = 1;
const READ_AND_WRITE: usize = 3;

/// The head of the file, as far as it matters.
#[repr(C)]
struct Head {
    _before: [u8; 32],
    parts: usize,
    _between: [u8; 16],
    count: u16,
}

/// A part of the file, as it is loaded.
#[repr(C)]
struct Part {
    kind: u32,
    _flags: u32,
    _offset: usize,
    address: usize,
    _physical: usize,
    _size_in_file: usize,
    size: usize,
    _align: usize,
}

// What the dynamic linker has left in `rdx` is for the start of the C library.
global_asm!(
    ".section .text.pollux_entry,\"ax\",@progbits",
    ".globl pollux_entry",
    ".hidden pollux_entry",
    ".type pollux_entry, @function",
    "pollux_entry:",
    "push rdx",
    "sub rsp, 8",
    "lea rdi, [rip + __ehdr_start]",
    "lea rsi, [rip + _DYNAMIC]",
    "call {relocate}",
    "add rsp, 8",
    "pop rdx",
    "jmp _start",
    ".size pollux_entry, . - pollux_entry",
    relocate = sym relocate,
);

/// The program begins in memory at `head`.
unsafe extern "C" fn relocate(head: *const Head, mut dynamic: *const Dynamic) {
    let base = head as usize;
    let (mut table, mut size) = (0, 0);
    // SAFETY: the linker ends the list with an entry of its own.
    unsafe {
        while (*dynamic)[0] != END {
            match (*dynamic)[0] {
                RELOCATIONS => table = (*dynamic)[1],
                SIZE => size = (*dynamic)[1],
                _ => {}
            }
            dynamic = dynamic.add(1);
        }
    }
    let words = (base + table) as *const usize;
    // SAFETY: the linker says where they are and how many.
    let packed = (0..size / size_of::<usize>()).map(|place| unsafe { *words.add(place) });
    // SAFETY: the same pages are read only again afterwards, as the dynamic linker had left them.
    unsafe { protect(head, READ_AND_WRITE) };
    unpack::places(packed, |place| {
        let place = (base + place) as *mut usize;
        // SAFETY: the linker names only words of the program that hold an address.
        unsafe { *place = (*place).wrapping_add(base) };
    });
    // SAFETY: nothing writes there from now on.
    unsafe { protect(head, READ) };
}

/// Whether a refusal matters shows at once: the first write would end the process.
unsafe fn protect(head: *const Head, how: usize) {
    let base = head as usize;
    // SAFETY: the head is that of a program that was loaded by it.
    let (mut part, count) = unsafe { ((base + (*head).parts) as *const Part, (*head).count) };
    for _ in 0..count {
        // SAFETY: there are so many.
        unsafe {
            if (*part).kind == READ_ONLY_SOON {
                let start = (base + (*part).address) & !(PAGE - 1);
                let end = (base + (*part).address + (*part).size) & !(PAGE - 1);
                asm!(
                    "syscall",
                    inlateout("rax") MPROTECT => _,
                    in("rdi") start,
                    in("rsi") end - start,
                    in("rdx") how,
                    lateout("rcx") _,
                    lateout("r11") _,
                    options(nostack),
                );
            }
            part = part.add(1);
        }
    }
}
