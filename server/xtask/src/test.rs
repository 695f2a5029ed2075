//! `cargo xtask test`: what CI runs, and nothing else does more.
//!
//! Every step is one check. A step that cannot run has failed, and the others still run, so one
//! missing package does not hide a broken test. The last line is always `N passed, N failed`.

mod acp_clients;
mod cache;
mod debian;
mod gemini_cli;
mod helix;
mod libtest;
mod mcp_clients;
mod mcp_servers;
mod nextest;
mod tally;
mod toad;
mod tools;

use std::process::ExitCode;

use anyhow::Result;

use crate::{codegen, shell, tidy, vscode, zed};
use tally::Tally;

pub(crate) use cache::cache;
pub(crate) use debian::Apt;
pub(crate) use libtest::run as tests_of_package;
pub(crate) use tally::Outcome;
pub(crate) use tools::browser;

pub(crate) fn main(_arguments: &[String]) -> Result<ExitCode> {
    let mut tally = Tally::of_steps(31);
    tally.check("neovim, a real editor to test against", tools::neovim);
    tally.check("emacs with eglot, another one", tools::emacs);
    tally.check("helix, one that takes no plugins", helix::helix);
    tally.check("a keyring, for the tests of the keychain", tools::keyring);
    tally.check("node and npm", tools::node);
    tally.check("gemini-cli, an agent outside", gemini_cli::gemini_cli);
    tally.check(
        "the conformance suite of MCP, and its inspector",
        mcp_clients::installed,
    );
    tally.check("clients of the agent protocol", acp_clients::installed);
    tally.check("toad, one of them in a terminal", toad::toad);
    tally.check("MCP servers from npm and PyPI", mcp_servers::installed);
    tally.check("a browser and a VS Code for it", || {
        tools::browser()?;
        vscode::Workbench::installed()?;
        vscode::Workbench::oldest().map(|_| ())
    });
    tally.check("cargo-nextest, the test runner", tools::nextest);
    tally.check("a standard library for WebAssembly", || {
        zed::Toolchain::installed().map(|_| ())
    });
    tally.check("formatting", || {
        shell::run(shell::cargo().args(["fmt", "--all", "--check"]))
    });
    tally.check("clippy", || {
        let everything = ["clippy", "--workspace", "--all-targets", "--locked"];
        shell::run(
            shell::cargo()
                .args(everything)
                .args(["--", "-D", "warnings"]),
        )
    });
    tally.check("tidy", tidy::check);
    tally.check("generated files", codegen::check);
    // With the targets of the tests, or their features would have every dependency compiled twice.
    tally.check("build", || {
        shell::run(shell::cargo().args(["build", "--workspace", "--all-targets", "--locked"]))
    });
    tally.check("packages of the extension", vscode::install);
    tally.check("types of the extension", vscode::check_types);
    tally.check("lints of the extension", vscode::lint);
    tally.check("formatting and lints of the extension for Zed", zed::lint);
    tally.suite("tests", nextest::run);
    tally.suite("clients of others at our door", acp_clients::run);
    tally.suite("tests of the extension's pure parts", vscode::unit);
    tally.suite("tests of the chat in a browser", vscode::view);
    tally.suite("tests inside the extension host", vscode::in_the_host);
    tally.suite(
        "the same in the oldest VS Code that the extension is for",
        vscode::in_the_oldest_host,
    );
    tally.suite("tests of the extension in VS Code", vscode::in_a_workbench);
    tally.suite(
        "tests of the pure parts of the extension for Zed",
        zed::unit,
    );
    tally.suite("tests of the extension for Zed in a host", zed::in_a_host);
    Ok(tally.close())
}
