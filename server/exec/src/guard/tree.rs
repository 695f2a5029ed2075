//! Which processes came out of the command.

use std::collections::HashSet;

use rustix::process::{Pid, Signal, getpgrp, kill_process, kill_process_group};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) id: i32,
    pub(super) group: i32,
}

pub(super) struct Tree {
    #[cfg_attr(
        target_os = "linux",
        expect(dead_code, reason = "all are our children")
    )]
    shell: Pid,
}

/// Whether every process of the command that outlives its parent becomes our child.
pub(super) const KNOWS_ALL_CHILDREN: bool = cfg!(target_os = "linux");

impl Tree {
    pub(super) fn of(shell: Pid) -> Tree {
        Tree { shell }
    }

    /// Every process that is alive, grandchildren and adopted ones included.
    pub(super) fn members(&self) -> Vec<Member> {
        self.list()
    }

    /// Signals every group of the command, and then every process of it.
    pub(super) fn signal(&self, signal: Signal) {
        let mut round = Round::of(signal);
        for member in self.members() {
            if let (Some(id), Some(group)) = (Pid::from_raw(member.id), Pid::from_raw(member.group))
            {
                round.reaches(id, group);
            }
        }
    }
}

/// One round of signals.
struct Round {
    signal: Signal,
    /// Signalled already; once is enough, and there may be hundreds of members.
    groups: HashSet<Pid>,
}

impl Round {
    fn of(signal: Signal) -> Round {
        let groups = HashSet::from([getpgrp(), Pid::INIT]);
        Round { signal, groups }
    }

    /// A group is signalled in one step that no fork can outrun. Our own is spared: a member of
    /// the session may have joined it, and is signalled by itself.
    fn reaches(&mut self, process: Pid, group: Pid) {
        let _gone = kill_process(process, self.signal);
        if self.groups.insert(group) {
            let _gone = kill_process_group(group, self.signal);
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs;

    use rustix::process::{Pid, Signal, getpgid};

    use super::{Member, Round, Tree};

    impl Tree {
        /// The caller has found out that it has no children, and there is nobody else.
        #[expect(clippy::unused_self, reason = "other systems look at the group")]
        pub(in super::super) fn is_empty(&self) -> bool {
            true
        }

        #[expect(clippy::unused_self, reason = "other systems start at the shell")]
        pub(super) fn list(&self) -> Vec<Member> {
            let mut members = Vec::new();
            let mut seen = HashSet::new();
            let mut open = vec![std::process::id().cast_signed()];
            while let Some(parent) = open.pop() {
                for child in children(parent) {
                    // A process that moves while we look may turn up twice.
                    if !seen.insert(child) {
                        continue;
                    }
                    if let Some(group) = group_if_alive(child) {
                        members.push(Member { id: child, group });
                    }
                    open.push(child);
                }
            }
            members
        }
    }

    impl Tree {
        /// Kills whoever is there, each at the moment it is seen: what is looked up first may
        /// have forked and gone by the time it is dealt with.
        #[expect(clippy::unused_self, reason = "other systems start at the shell")]
        pub(in super::super) fn kill(&self) {
            let mut round = Round::of(Signal::KILL);
            let mut seen = HashSet::new();
            let mut open = vec![std::process::id().cast_signed()];
            while let Some(parent) = open.pop() {
                for child in children(parent) {
                    if !seen.insert(child) {
                        continue;
                    }
                    if let Some(id) = Pid::from_raw(child)
                        && let Ok(group) = getpgid(Some(id))
                    {
                        round.reaches(id, group);
                    }
                    open.push(child);
                }
            }
        }
    }

    /// The kernel lists children by the thread that has them.
    fn children(parent: i32) -> Vec<i32> {
        let Ok(threads) = fs::read_dir(format!("/proc/{parent}/task")) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for thread in threads.flatten() {
            match fs::read_to_string(thread.path().join("children")) {
                Ok(list) => found.extend(list.split_ascii_whitespace().flat_map(str::parse::<i32>)),
                Err(_) => return children_by_search(parent),
            }
        }
        found
    }

    /// For a kernel that does not list children: whoever names this parent is its child.
    fn children_by_search(parent: i32) -> Vec<i32> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        let ids = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        ids.filter(|id| stat(*id).is_some_and(|stat| stat.parent == parent))
            .collect()
    }

    struct Stat {
        state: char,
        parent: i32,
        group: i32,
    }

    /// The name in the second field may contain anything, closing parentheses too.
    fn stat(id: i32) -> Option<Stat> {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let (_, fields) = text.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        Some(Stat {
            state: fields.next()?.chars().next()?,
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
        })
    }

    fn group_if_alive(id: i32) -> Option<i32> {
        stat(id)
            .filter(|stat| !matches!(stat.state, 'Z' | 'X'))
            .map(|stat| stat.group)
    }
}

/// Elsewhere orphans are not handed to us. Found are the group of the shell, whoever still
/// descends from one of its members, and their groups; a daemon that forked twice into a session
/// of its own is not.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::process::Command;

    use rustix::process::{Signal, test_kill_process_group};

    use super::{Member, Tree};

    impl Tree {
        pub(in super::super) fn is_empty(&self) -> bool {
            test_kill_process_group(self.shell).is_err() && self.list().is_empty()
        }

        pub(in super::super) fn kill(&self) {
            self.signal(Signal::KILL);
        }

        pub(super) fn list(&self) -> Vec<Member> {
            let shell = self.shell.as_raw_nonzero().get();
            let all = processes();
            let mut members: Vec<Member> = Vec::new();
            loop {
                let before = members.len();
                for (member, parent) in &all {
                    let ours = member.group == shell
                        || members
                            .iter()
                            .any(|known| known.id == *parent || known.group == member.group);
                    if ours && !members.contains(member) {
                        members.push(*member);
                    }
                }
                if members.len() == before {
                    return members;
                }
            }
        }
    }

    fn processes() -> Vec<(Member, i32)> {
        #[expect(
            clippy::disallowed_methods,
            reason = "this crate is where processes start"
        )]
        let mut command = Command::new("ps");
        let Ok(output) = command.args(["-axo", "pid=,ppid=,pgid=,stat="]).output() else {
            return Vec::new();
        };
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines().filter_map(process).collect()
    }

    fn process(line: &str) -> Option<(Member, i32)> {
        let mut fields = line.split_ascii_whitespace();
        let id = fields.next()?.parse().ok()?;
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let ended = fields.next()?.starts_with('Z');
        (!ended).then_some((Member { id, group }, parent))
    }
}
