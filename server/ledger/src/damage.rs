//! What could not be read of a record: it is kept beside the record, and told until somebody has heard it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::folder::folder_of;
use crate::private;

const FOLDER: &str = "damaged";
const UNTOLD: &str = "untold.txt";
/// Beyond that a record is damaged all the time, and more copies say nothing new.
const MOST: usize = 20;

/// The files that were kept of a damaged record. Whoever needs them no longer removes them.
pub fn damaged_files(base: &Path, root: &Path) -> Vec<PathBuf> {
    let folder = folder_of(base, root).join(FOLDER);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.file_name().is_some_and(|name| name != UNTOLD));
    files.sort();
    files
}

/// Keeps a file of the record under a name of its own. The file itself stays.
pub(crate) fn keep_copy(folder: &Path, file: &Path) -> io::Result<()> {
    let kept = folder.join(FOLDER);
    private::make_folder(&kept)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    for number in 1..=MOST {
        let target = kept.join(format!("{number}-{name}"));
        if target.exists() {
            continue;
        }
        return match fs::copy(file, &target) {
            Ok(_) => Ok(()),
            // That there is none is what is wrong with it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                private::options()
                    .write(true)
                    .create(true)
                    .truncate(false)
                    .open(&target)?;
                Ok(())
            }
            Err(error) => Err(error),
        };
    }
    Ok(())
}

/// Adds to what people are to be told. It stays until somebody was.
pub(crate) fn add_untold(folder: &Path, text: &str) -> io::Result<()> {
    let kept = folder.join(FOLDER);
    private::make_folder(&kept)?;
    let mut file = private::options()
        .append(true)
        .create(true)
        .open(kept.join(UNTOLD))?;
    writeln!(file, "{text}")
}

pub(crate) fn untold(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join(FOLDER).join(UNTOLD)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

pub(crate) fn told(folder: &Path) {
    // It is told once more at worst.
    let _best_effort = fs::remove_file(folder.join(FOLDER).join(UNTOLD));
}
