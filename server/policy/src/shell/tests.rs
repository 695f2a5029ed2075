mod execution;
mod oracle;
mod properties;
mod table;

use super::*;

fn texts(command: &str) -> Vec<String> {
    parse(command)
        .unwrap()
        .commands
        .into_iter()
        .map(|command| command.text)
        .collect()
}
