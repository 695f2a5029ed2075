//! What the engine has to know of the machine, answered by whoever has a disk.

use std::path::{Path, PathBuf};

/// The port through which links, folders and the environment reach the policy.
pub trait WorkspaceView {
    /// Follows links, dangling ones included, as far as the path exists. `None` if that cannot be found out.
    fn resolve(&self, path: &Path) -> Option<PathBuf>;

    /// Whether the environment that commands inherit has a variable of this name.
    fn has_variable(&self, name: &str) -> bool;

    /// What git would find when it is started in the folder.
    fn git_repository(&self, folder: &Path) -> GitRepository;

    /// Whether no file below the folder is named like a secret ([`is_secret_name`](crate::shell::is_secret_name)) or
    /// like an option, and no link below it leads out of the workspace. `false` if that cannot be found out.
    fn is_free_of_secrets(&self, folder: &Path, hidden: HiddenFiles) -> bool;

    /// Whether the shell finds the program of this name in the workspace, or in a folder that depends on where the
    /// command runs: then it need not be what its name says.
    fn is_program_of_workspace(&self, _name: &str) -> bool {
        false
    }
}

/// The repository that git uses in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitRepository {
    /// A `.git` folder whose settings start no program, or no repository.
    Plain,
    /// A bare repository among the files, or settings that name programs to run.
    RunsPrograms,
}

/// Whether files whose names begin with a dot are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenFiles {
    Included,
    /// Also what lies in installed packages: for programs that follow links.
    IncludedWithPackages,
    Skipped,
}

/// A workspace of which only the links are known: no variable is set, and nothing in it is secret.
impl<F: Fn(&Path) -> Option<PathBuf>> WorkspaceView for F {
    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        self(path)
    }

    fn has_variable(&self, _: &str) -> bool {
        false
    }

    fn git_repository(&self, _: &Path) -> GitRepository {
        GitRepository::Plain
    }

    fn is_free_of_secrets(&self, _: &Path, _: HiddenFiles) -> bool {
        true
    }
}
