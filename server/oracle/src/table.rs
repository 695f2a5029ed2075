//! The tables of commands.

use pollux_policy::shell;

const EVERYDAY: &str = include_str!("everyday.tsv");
const RED_TEAM: &str = include_str!("../../policy/src/shell/red_team.tsv");

/// A line of the everyday table: a command that agents write every day, and what it does.
#[derive(Clone, Debug)]
pub(crate) struct Everyday {
    pub(crate) line: usize,
    pub(crate) label: Label,
    pub(crate) command: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    /// It changes nothing and tells no secret.
    Reads,
    Writes,
    /// It reaches for the network.
    Network,
    /// It runs programs of the project, or some that nobody can know.
    Runs,
    /// It reads or prints what nobody may see.
    Secret,
}

pub(crate) fn everyday() -> Vec<Everyday> {
    lines(EVERYDAY)
        .map(|(line, label, command)| Everyday {
            line,
            label: match label {
                "reads" => Label::Reads,
                "writes" => Label::Writes,
                "network" => Label::Network,
                "runs" => Label::Runs,
                "secret" => Label::Secret,
                other => panic!("line {line}: the label `{other}` is not known"),
            },
            command,
        })
        .collect()
}

pub(crate) fn red_team() -> Vec<String> {
    lines(RED_TEAM).map(|(_, _, command)| command).collect()
}

fn lines(table: &'static str) -> impl Iterator<Item = (usize, &'static str, String)> {
    let lines = table.lines().enumerate();
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(index, line)| {
            let (label, command) = line.split_once('\t').unwrap();
            (index + 1, label, decoded(command))
        })
}

/// `␤` is a line feed, `␉` a tab, and `⟦200b⟧` the character with that number.
fn decoded(command: &str) -> String {
    let mut text = command.replace('␤', "\n").replace('␉', "\t");
    while let Some((before, rest)) = text.split_once('⟦') {
        let (number, after) = rest.split_once('⟧').unwrap();
        let character = char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap();
        text = format!("{before}{character}{after}");
    }
    text
}

/// The names of the programs in a command, however little of it is understood.
pub(crate) fn programs(command: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in shell::glimpse(command) {
        let Some(program) = part.program() else {
            continue;
        };
        let name = program.rsplit('/').next().unwrap_or(program).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
