//! `bench turn`: what a turn costs, from the start of the process to the last chunk, against the
//! scripted model; beside gemini-cli when it is installed for that.

mod acp;
mod agent;
mod headless;
mod model;
mod output;
mod over_acp;
mod peer;
mod prose;
mod record;
mod script;
mod usage;

mod chunks;
mod cold;
pub(crate) mod layout;
mod pace;
mod resident;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;

pub(super) use over_acp::measure as measure_over_acp;

use super::Programs;
use super::figures::{Times, float, megabytes, milliseconds};
use super::table::{Table, Target};
use agent::{Agent, Kind, LoopDetection};
use prose::Style;
use resident::Resident;

/// A third of what codex-acp needs.
const START_TARGET: f64 = 0.012;
/// What an agent in bare Node needs, which detects no loops.
const CHUNK_TARGET: f64 = 0.000_012;
/// A quarter of what codex-acp holds.
const MEMORY_TARGET: f64 = 37e6 / 4.0;
/// Half of what gemini-cli sends.
const REQUEST_TARGET: f64 = 20e3;

/// The most that is wanted, and how it is written.
type Most = (f64, &'static str);

/// Its name, how it is read from what was measured, and its target.
type Row<Measured, Read> = (&'static str, fn(&Measured) -> Read, Option<Most>);

/// Everybody who takes part; ours is the first.
struct Contest {
    ours: Agent,
    peers: Vec<Agent>,
    model: PathBuf,
}

/// What one agent came to in one row.
struct Figure {
    value: f64,
    written: String,
}

pub(super) fn measure(programs: &Programs) -> Result<Table> {
    let contest = Contest {
        ours: Agent {
            name: "pollux",
            program: programs.pollux.clone(),
            kind: Kind::Pollux,
        },
        peers: peer::find(),
        model: model::build()?,
    };
    let names = contest.peers.iter().map(|peer| peer.name.to_owned());
    let mut table = Table::beside(names.collect());
    contest.cold(&mut table)?;
    contest.chunks(&mut table)?;
    contest.pace(&mut table)?;
    contest.resident(&mut table)?;
    Ok(table)
}

impl Contest {
    fn cold(&self, table: &mut Table) -> Result<()> {
        let ours = cold::measure(&self.ours, &self.model)?;
        let peers = self.peers(|peer| cold::measure(peer, &self.model))?;
        let rows: [Row<cold::Cold, Figure>; 5] = [
            (
                "start → first request (min / p50 / p95)",
                |cold| spread(&cold.first_request),
                Some((START_TARGET, "12 ms")),
            ),
            ("start → exit", |cold| spread(&cold.exit), None),
            ("CPU of the whole run", |cold| spread(&cold.cpu), None),
            (
                "bytes of the first request",
                |cold| bytes(cold.request_bytes),
                Some((REQUEST_TARGET, "20 kB")),
            ),
            (
                "the same with all tools",
                |cold| bytes(cold.full_request_bytes),
                Some((REQUEST_TARGET, "20 kB")),
            ),
        ];
        for (what, figure, target) in rows {
            let peers = peers.iter().map(figure).map(Some).collect();
            add(table, what, figure(&ours), peers, target);
        }
        Ok(())
    }

    fn chunks(&self, table: &mut Table) -> Result<()> {
        let cases = [
            (Style::Prose, LoopDetection::On, "prose"),
            (Style::Markdown, LoopDetection::On, "markdown"),
            (Style::Prose, LoopDetection::Off, "prose, loop detector off"),
            (
                Style::Markdown,
                LoopDetection::Off,
                "markdown, loop detector off",
            ),
        ];
        for (style, loops, what) in cases {
            let case = chunks::Case { style, loops, what };
            let figure = |time: Duration| Figure {
                value: time.as_secs_f64(),
                written: format!("{:.4} ms", time.as_secs_f64() * 1e3),
            };
            let ours = chunks::measure(&self.ours, &self.model, &case)?;
            let peers = self.peers(|peer| match peer.kind {
                // A chunk costs the same in the second process as in the first.
                Kind::GeminiCli => Ok(None),
                _ => chunks::measure(peer, &self.model, &case).map(Some),
            })?;
            let peers = peers.into_iter().map(|time| time.map(figure)).collect();
            let target = (loops == LoopDetection::On).then_some((CHUNK_TARGET, "0.012 ms"));
            add(
                table,
                &format!("CPU per chunk, {what}"),
                figure(ours),
                peers,
                target,
            );
        }
        Ok(())
    }

    fn pace(&self, table: &mut Table) -> Result<()> {
        let ours = pace::measure(&self.ours, &self.model)?;
        let peers = self.peers(|peer| pace::measure(peer, &self.model))?;
        let peers = peers.iter().map(spread).map(Some).collect();
        let what = "latency per chunk, one in 5 ms";
        add(table, what, spread(&ours), peers, None);
        Ok(())
    }

    /// Three ways to count two processes. The resident sum is what the target was written for, and counts the binary
    /// twice because both have it mapped; codex-acp is one process. So there is also ours as one process, and the two
    /// with every page counted once, which is what the machine holds.
    fn resident(&self, table: &mut Table) -> Result<()> {
        let ours = resident::ours(&self.ours, &self.model)?;
        let alone = resident::alone(&self.ours, &self.model)?;
        let peers = self.peers(|peer| resident::of_peer(peer, &self.model))?;
        let figure = |bytes: u64| Figure {
            value: float(bytes),
            written: megabytes(bytes),
        };
        let target = Some((MEMORY_TARGET, "9.25 MB"));
        let both = ours.together;
        let resident = |all: &Resident| all.after.resident;
        let rows: [(u64, Row<Resident, u64>); 6] = [
            (
                both.before.resident,
                (
                    "resident before the first turn",
                    |all| all.before.resident,
                    None,
                ),
            ),
            (
                alone.resident,
                (
                    "after 50 turns: one process (--no-share), resident",
                    resident,
                    target,
                ),
            ),
            (
                ours.once,
                ("door and host, every page counted once", resident, target),
            ),
            (
                both.after.resident,
                (
                    "door and host, resident: shared pages counted twice",
                    resident,
                    target,
                ),
            ),
            (
                both.after.proportional,
                (
                    "door and host, Pss: divided also among other programs",
                    |all| all.after.proportional,
                    None,
                ),
            ),
            (
                both.after.private,
                ("door and host, private", |all| all.after.private, None),
            ),
        ];
        for (bytes, (what, of_peer, target)) in rows {
            let peers = peers.iter().map(|peer| Some(figure(of_peer(peer))));
            add(table, what, figure(bytes), peers.collect(), target);
        }
        for (who, memory) in [
            ("door", ours.door),
            ("host", ours.host),
            ("one process", alone),
        ] {
            for (kind, bytes) in memory.kinds() {
                let what = format!("{who} after 50 turns, {kind}");
                table.row(what, megabytes(bytes), None, Target::None);
            }
        }
        Ok(())
    }

    fn peers<T>(&self, measure: impl FnMut(&Agent) -> Result<T>) -> Result<Vec<T>> {
        self.peers.iter().map(measure).collect()
    }
}

fn add(
    table: &mut Table,
    what: &str,
    ours: Figure,
    peers: Vec<Option<Figure>>,
    target: Option<(f64, &str)>,
) {
    let target = target.map_or(Target::None, |(most, written)| Target::Value {
        most,
        found: ours.value,
        written: written.to_owned(),
    });
    table.row(what, ours.written, None, target);
    let cells = peers.into_iter().map(|peer| {
        let cell = |peer: Figure| format!("{} ({:.1}×)", peer.written, peer.value / ours.value);
        peer.map_or_else(|| "–".to_owned(), cell)
    });
    table.peers(cells.collect());
}

fn bytes(count: u64) -> Figure {
    Figure {
        value: float(count),
        written: format!("{count} B"),
    }
}

/// The median counts.
fn spread(times: &Times) -> Figure {
    let (least, median, p95) = (times.least(), times.median(), times.p95());
    let number = |time: Duration| format!("{:.2}", time.as_secs_f64() * 1e3);
    Figure {
        value: median.as_secs_f64(),
        written: format!(
            "{} / {} / {}",
            number(least),
            number(median),
            milliseconds(p95)
        ),
    }
}
