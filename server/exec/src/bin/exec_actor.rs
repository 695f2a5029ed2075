//! Processes for this crate's tests: a guard, an owner that can be killed, and one that measures
//! itself. Never shipped.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    unix::main()
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod unix {
    use std::io::{self, Write};
    use std::process::ExitCode;
    use std::time::Instant;

    use pollux_exec::{
        CommandAccess, Guard, InForce, Input, Limits, Running, ShellCommand, Size, Spool, Terminal,
        guard_main, start,
    };

    const SCREEN: Terminal = Terminal::Emulated(Size {
        rows: 24,
        columns: 80,
    });

    pub(super) fn main() -> ExitCode {
        let mut arguments = std::env::args_os().skip(1);
        let role = arguments.next().unwrap_or_default();
        if role == "guard" {
            return guard_main(arguments);
        }
        let command = arguments.next().unwrap_or_default();
        let command = command.to_string_lossy().into_owned();
        let spool = arguments
            .next()
            .map_or(Spool::Nowhere, |path| Spool::WhenLarge(path.into()));
        let played = match role.to_str() {
            Some("own") => play(own(command)),
            Some("measure") => play(measure(command, Terminal::Pipes, spool)),
            Some("compare") => play(compare(command)),
            Some("measure-terminal") => play(measure(command, SCREEN, spool)),
            _ => Err(io::Error::other("there is no such role")),
        };
        match played {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let _nobody_reads = writeln!(io::stderr(), "{error}");
                ExitCode::FAILURE
            }
        }
    }

    fn play(role: impl Future<Output = io::Result<()>>) -> io::Result<()> {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(role)
    }

    /// Runs a command and prints what it prints.
    async fn own(command: String) -> io::Result<()> {
        let running = run(command, SCREEN, Spool::Nowhere).await?;
        let mut live = running.live();
        let mut shown = 0;
        while live.more().await.is_some() {
            let text = live.captured().whole().unwrap_or_default();
            io::stdout().write_all(text.as_bytes().get(shown..).unwrap_or_default())?;
            io::stdout().flush()?;
            shown = text.len();
        }
        running.wait().await;
        Ok(())
    }

    /// Runs a command and prints how much it printed, and how much memory we and its guard ever
    /// had.
    async fn measure(command: String, terminal: Terminal, spool: Spool) -> io::Result<()> {
        let running = run(command, terminal, spool).await?;
        let mut live = running.live();
        let mut guard = 0;
        let mut looked_at = 0;
        while let Some(total) = live.more().await {
            // Often enough to have looked before it is gone, and no hindrance.
            if total < looked_at {
                continue;
            }
            looked_at = total + (10 << 20);
            guard = parent_of(running.id())
                .and_then(|guard| most_memory(&guard))
                .unwrap_or(guard);
        }
        let ended = running.wait().await;
        let ours = most_memory("self").unwrap_or_default();
        writeln!(
            io::stdout(),
            "{:?} {} {ours} {guard}",
            ended.exit,
            ended.output.total_bytes
        )
    }

    /// Runs a command by turns as it is and read-only, and prints how long each took in
    /// nanoseconds, until nobody reads it.
    async fn compare(command: String) -> io::Result<()> {
        loop {
            let mut took = [0, 0];
            for (took, access) in took
                .iter_mut()
                .zip([CommandAccess::Write, CommandAccess::ReadOnly])
            {
                let begun = Instant::now();
                let running =
                    run_with(command.clone(), Terminal::Pipes, Spool::Nowhere, access).await?;
                running.wait().await;
                *took = begun.elapsed().as_nanos();
                let confined = running.sandbox() != InForce::Nothing;
                if confined != (access == CommandAccess::ReadOnly) {
                    return Err(io::Error::other("this kernel confines nothing"));
                }
            }
            let [plain, confined] = took;
            writeln!(io::stdout(), "{plain} {confined}")?;
        }
    }

    async fn run(command: String, terminal: Terminal, spool: Spool) -> io::Result<Running> {
        run_with(command, terminal, spool, CommandAccess::Write).await
    }

    async fn run_with(
        command: String,
        terminal: Terminal,
        spool: Spool,
        access: CommandAccess,
    ) -> io::Result<Running> {
        let guard = Guard {
            program: std::env::current_exe()?,
            arguments: vec!["guard".into()],
        };
        let command = ShellCommand {
            command,
            folder: std::env::temp_dir(),
            environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            terminal,
            input: Input::Nothing,
            inactivity: None,
            sandbox: None,
            access,
            spool,
            limits: Limits::default(),
        };
        start(&guard, command).await.map_err(io::Error::other)
    }

    /// In kilobytes.
    fn most_memory(process: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    fn parent_of(process: u32) -> Option<String> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        Some(line.trim().to_owned())
    }
}
