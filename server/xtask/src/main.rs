//! `cargo xtask`: the project's own commands. Nothing here is needed to `cargo build` Pollux.
//!
//! One file per command. A command prints what it does while it does it, because a silent screen
//! looks the same as a hung one.

#![expect(
    clippy::print_stdout,
    reason = "commands for a terminal; no protocol runs over this stdout"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the task runner starts compilers and package managers and reads cargo's variables"
)]

mod bench;
mod codegen;
mod dist;
mod elf;
mod release;
mod run;
mod shell;
mod test;
mod tidy;
mod vscode;
mod zed;

use std::process::ExitCode;

use anyhow::Result;

struct Task {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<ExitCode>,
}

const TASKS: &[Task] = &[
    Task {
        name: "run",
        about: "try it: VS Code on a sample project with the demo model [terminal: in this terminal instead]",
        run: run::main,
    },
    Task {
        name: "test",
        about: "install what is missing, check everything, run every test; what CI runs",
        run: test::main,
    },
    Task {
        name: "tidy",
        about: "compare the tree with the project's rules",
        run: tidy::main,
    },
    Task {
        name: "codegen",
        about: "write schema, TypeScript and reference of the pollux/* methods [--check]",
        run: codegen::main,
    },
    Task {
        name: "bench",
        about: "measure against the targets [start] [sync] [turn] [vscode] [search] [review]",
        run: bench::main,
    },
    Task {
        name: "dist",
        about: "build a release and pack it with its checksum [--program FILE: one that was built before]",
        run: dist::main,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        print_tasks();
        return ExitCode::SUCCESS;
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print_tasks();
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        println!("there is no command `{name}`\n");
        print_tasks();
        return ExitCode::from(2);
    };
    match (task.run)(rest) {
        Ok(code) => code,
        Err(error) => {
            println!("cargo xtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn print_tasks() {
    println!("cargo xtask <command>\n");
    for task in TASKS {
        println!("  {:<8} {}", task.name, task.about);
    }
}
