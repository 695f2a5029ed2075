//! `/init`

use super::{BuiltIn, Deed, Outcome};
use crate::{FileError, SessionConfig, WorkspacePath};

pub(super) const COMMAND: BuiltIn = BuiltIn {
    name: "init",
    description: "Look at the project and write a GEMINI.md about it",
    arguments: None,
    deed: Deed::Init,
};

const FILE: &str = "GEMINI.md";

const PROMPT: &str = "\
Look at this folder and write a file `GEMINI.md` into it: what somebody who is to work here has to know from the start. \
First list the folder and read what says most about it: the readme, manifests and build files, and a few sources of \
each part. Then write, in short sections: what the project is for and how it is built up; the commands that build, \
run and test it, each as it is typed; the conventions that its code follows. Write nothing that you have not seen. \
If the folder holds no code, say what it holds and what it is for.";

pub(super) async fn run(config: &SessionConfig) -> Outcome {
    let Ok(path) = WorkspacePath::new(&config.root, FILE) else {
        return Outcome::Answer(format!("`{FILE}` cannot be written here."));
    };
    match config.files.read(&path).await {
        Ok(text) if !text.trim().is_empty() => Outcome::Answer(format!(
            "There is a `{FILE}` already, and it stays as it is."
        )),
        Ok(_) | Err(FileError::NotFound) => Outcome::Prompt(PROMPT.to_owned()),
        Err(error) => Outcome::Answer(format!("`{FILE}` cannot be read: {error}.")),
    }
}
