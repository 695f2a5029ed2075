//! Whether a directory of admin rules can be believed.

/// Who may write a directory, as the file system tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryFacts {
    pub owner: u32,
    /// The permission bits; others are ignored.
    pub mode: u32,
    /// The owner of the link through which it was reached.
    pub link_owner: Option<u32>,
}

/// Why a directory of admin rules is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InsecureDirectory {
    #[error("its rules are skipped: the directory belongs to user {0} and not to root")]
    Owner(u32),
    #[error("its rules are skipped: the link to the directory belongs to user {0} and not to root")]
    LinkOwner(u32),
    #[error(
        "its rules are skipped: others than root may write the directory (mode {0:o}); \
         `chmod go-w` makes it safe"
    )]
    Writable(u32),
}

/// Rules of the highest tier count only where nobody but root could have put them.
pub fn check_admin_directory(facts: DirectoryFacts) -> Result<(), InsecureDirectory> {
    const ROOT: u32 = 0;
    const GROUP_AND_OTHER_WRITE: u32 = 0o022;
    if let Some(owner) = facts.link_owner.filter(|owner| *owner != ROOT) {
        return Err(InsecureDirectory::LinkOwner(owner));
    }
    if facts.owner != ROOT {
        return Err(InsecureDirectory::Owner(facts.owner));
    }
    if facts.mode & GROUP_AND_OTHER_WRITE != 0 {
        return Err(InsecureDirectory::Writable(facts.mode & 0o7777));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
