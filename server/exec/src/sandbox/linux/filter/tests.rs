use libc::{c_long, sock_filter};

use super::super::calls::{self, FORBIDDEN, Flags, Target};
use super::*;

/// What the program says about a call whose arguments are all this. Returns the verdict and how many steps it took.
fn run(program: &[sock_filter], number: c_long, argument: u32) -> (u32, usize) {
    let (mut at, mut accumulator, mut steps) = (0, 0, 0);
    loop {
        let instruction = program[at];
        at += 1;
        steps += 1;
        let holds = match instruction.code {
            LOAD => {
                accumulator = match instruction.k {
                    NUMBER => number32(number),
                    PROCESSOR => ARCHITECTURE.unwrap(),
                    _ => argument,
                };
                continue;
            }
            RETURN => return (instruction.k, steps),
            JUMP_IF_EQUAL => accumulator == instruction.k,
            JUMP_IF_NOT_BELOW => accumulator >= instruction.k,
            JUMP_IF_ANY_BIT => accumulator & instruction.k != 0,
            other => panic!("{other:#x} is not run here"),
        };
        at += usize::from(if holds {
            instruction.jt
        } else {
            instruction.jf
        });
    }
}

/// The newest calls have numbers below this.
const ALL: std::ops::Range<c_long> = 0..1024;

#[test]
fn no_call_has_two_rules() {
    let mut numbers: Vec<c_long> = calls::watched().map(|call| call.number).collect();
    numbers.extend(FORBIDDEN);
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), count);
}

#[test]
fn every_listed_call_is_refused_or_reported_and_no_other() {
    let notifying = program(Detection::Notified).unwrap();
    let silent = program(Detection::None).unwrap();
    // Writes, creates and truncates where it is a flag.
    let writing = WRITING;
    for number in ALL.filter(|number| *number != libc::SYS_ioctl) {
        let watched = calls::find(number);
        let forbidden = FORBIDDEN.contains(&number);
        let expected = match watched {
            Some(_) => libc::SECCOMP_RET_USER_NOTIF,
            None if forbidden => REFUSE,
            None => libc::SECCOMP_RET_ALLOW,
        };
        assert_eq!(
            run(&notifying, number, writing).0,
            expected,
            "call {number}"
        );
        let expected = match watched {
            Some(call) if call.enforced_by == Enforcer::Notifier => REFUSE,
            None if forbidden => REFUSE,
            _ => libc::SECCOMP_RET_ALLOW,
        };
        assert_eq!(run(&silent, number, 0).0, expected, "call {number}");
    }
}

#[test]
fn opens_are_told_apart_by_their_flags() {
    let notifying = program(Detection::Notified).unwrap();
    let silent = program(Detection::None).unwrap();
    let by_flags = |call: &&WatchedCall| {
        matches!(
            call.target,
            Target::Open {
                flags: Flags::In(_),
                ..
            }
        )
    };
    let emptying = libc::O_TRUNC.unsigned_abs();
    let mut seen = 0;
    for call in calls::watched().filter(by_flags) {
        seen += 1;
        let number = call.number;
        assert_eq!(run(&notifying, number, 0).0, libc::SECCOMP_RET_ALLOW);
        assert_eq!(run(&silent, number, emptying).0, REFUSE);
        let writing = libc::O_WRONLY.unsigned_abs() | emptying;
        assert_eq!(run(&silent, number, writing).0, libc::SECCOMP_RET_ALLOW);
    }
    assert!(seen > 0);
}

#[test]
fn local_sockets_are_refused_without_a_report() {
    let verdict = |detection, family: i32| {
        let program = program(detection).unwrap();
        run(&program, libc::SYS_socket, family.unsigned_abs()).0
    };
    assert_eq!(verdict(Detection::Notified, libc::AF_UNIX), REFUSE);
    assert_eq!(verdict(Detection::None, libc::AF_UNIX), REFUSE);
    assert_eq!(
        verdict(Detection::Notified, libc::AF_INET),
        libc::SECCOMP_RET_USER_NOTIF
    );
    assert_eq!(verdict(Detection::None, libc::AF_INET), REFUSE);
}

#[test]
fn commands_to_devices_are_refused_by_their_list() {
    let notifying = program(Detection::Notified).unwrap();
    for command in FORBIDDEN_IOCTLS {
        assert_eq!(run(&notifying, libc::SYS_ioctl, *command).0, REFUSE);
    }
    let terminal_size = 0x5413;
    let verdict = run(&notifying, libc::SYS_ioctl, terminal_size).0;
    assert_eq!(verdict, libc::SECCOMP_RET_ALLOW);
}

#[test]
fn the_kernel_has_few_steps_to_run_for_a_call_that_is_allowed() {
    let notifying = program(Detection::Notified).unwrap();
    let steps = |number| run(&notifying, number, 0).1;
    let most = ALL.map(steps).max().unwrap();
    assert!(most < 60, "{most} steps of {}", notifying.len());
}
