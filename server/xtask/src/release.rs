//! The binary as it is shipped: built with the release profile, then linked again with the functions that every
//! start and every turn runs side by side, and their constants too.
//!
//! The kernel maps a program in pieces of 64 KB. In the order in which a compiler happens to write its functions, a
//! start that runs 500 KB of code touches most of the pieces, and all of them count as memory.

mod constants;
mod packed;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::bench::turn::layout;
use crate::{run, shell, tidy};

/// What catches a panic, as an archive of the C compiler.
const UNWINDER: &str = "libgcc_eh.a";

/// Where the binary lies. Without the tools for the second link it is the one that cargo built, and the screen says
/// so.
pub(crate) fn build() -> Result<PathBuf> {
    let folder = tidy::target_folder()?.join("layout");
    fs::create_dir_all(&folder).context("a folder for the second link")?;
    let mut cargo = shell::cargo();
    cargo.args(["rustc", "--release", "--locked", "--package", "pollux"]);
    let Some(linker) = linker()? else {
        println!(
            "      laid out by the compiler: the linker for the second link is for Linux on x86-64"
        );
        shell::run(&mut cargo)?;
        return run::binary("release");
    };
    let inputs = folder.join("inputs.tar");
    // The linker puts everything it reads into an archive, and how it was called.
    let keep = format!("link-arg=-Wl,--reproduce={}", inputs.display());
    shell::run(cargo.args(["--bin", "pollux", "--", "-C", &keep]))?;
    let link = Link {
        linker,
        folder: unpack(&inputs, &folder)?,
    };
    link.prepare()?;
    let named = folder.join("named").join("pollux");
    fs::create_dir_all(folder.join("named"))?;
    link.run(&named, &[])?;
    let mut order = layout::order(&named)?;
    order.insert(0, packed::FIRST.to_owned());
    // What the linker reads lies in its own folder.
    fs::write(link.folder.join("order.txt"), order.join("\n"))?;
    fs::write(link.folder.join("constants.ld"), link.constants(&order)?)?;
    packed::compile(&link.folder)?;
    let shipped = folder.join("pollux");
    let laid_out = [
        "--symbol-ordering-file=order.txt",
        "--no-warn-symbol-ordering",
        "--script=constants.ld",
        "--strip-all",
    ];
    link.run(&shipped, &[&laid_out, packed::LINK].concat())?;
    shell::answer(shell::program(&shipped).arg("--version")).context("what was linked")?;
    Ok(shipped)
}

/// The linker that comes with the compiler, which is also its default on Linux on x86-64.
fn linker() -> Result<Option<PathBuf>> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(None);
    }
    let libraries = shell::answer(shell::program("rustc").args(["--print", "target-libdir"]))?;
    let beside = Path::new(libraries.trim()).parent().map(Path::to_path_buf);
    let linker = beside.map(|folder| folder.join("bin").join("gcc-ld").join("ld.lld"));
    Ok(linker.filter(|linker| linker.exists()))
}

/// One link, as the compiler asked for it.
struct Link {
    linker: PathBuf,
    folder: PathBuf,
}

impl Link {
    /// Writes down how to link: with names, and with the compiler's own unwinder instead of a library that every process
    /// would load for a panic that may never come.
    fn prepare(&self) -> Result<()> {
        let call = fs::read_to_string(self.folder.join("response.txt"))?;
        let mut call = without_strip(&call);
        match unwinder()? {
            Some(unwinder) => {
                fs::copy(unwinder, self.folder.join(UNWINDER)).context("the unwinder")?;
                call = with_unwinder(&call);
            }
            None => println!("      the unwinder stays a shared library: there is no {UNWINDER}"),
        }
        Ok(fs::write(self.folder.join("call.txt"), call)?)
    }

    /// A script that puts the constants of these functions side by side.
    fn constants(&self, functions: &[String]) -> Result<String> {
        let call = fs::read_to_string(self.folder.join("call.txt"))?;
        let object = own_object(&call).context("the linker was given no object of ours")?;
        let object = fs::read(self.folder.join(object))?;
        let sections = constants::referred(&object, functions)?;
        println!("      constants: {}", sections.len());
        Ok(constants::script(&sections))
    }

    fn run(&self, output: &Path, more: &[&str]) -> Result<()> {
        shell::run(
            shell::program(&self.linker)
                .current_dir(&self.folder)
                .arg("@call.txt")
                .args(more)
                .arg("-o")
                .arg(output),
        )
    }
}

/// The names are needed to see what runs.
fn without_strip(call: &str) -> String {
    let kept = call
        .lines()
        .filter(|line| !matches!(line.trim(), "--strip-all" | "-s" | "--strip-debug"));
    kept.collect::<Vec<_>>().join("\n")
}

/// All of our code is in one object, which the compiler has optimised as a whole.
fn own_object(call: &str) -> Option<&str> {
    let mut lines = call.lines().map(str::trim);
    lines.find(|line| line.ends_with(".rcgu.o"))
}

/// Where the C compiler keeps it, if it does.
fn unwinder() -> Result<Option<PathBuf>> {
    let question = format!("-print-file-name={UNWINDER}");
    let found = PathBuf::from(shell::answer(shell::program("cc").arg(question))?.trim());
    // A file that is not there is answered with its name alone.
    Ok(found.is_absolute().then_some(found))
}

fn with_unwinder(call: &str) -> String {
    let lines = call.lines().map(|line| match line.trim() {
        "-l gcc_s" | "-lgcc_s" => UNWINDER,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The archive holds one folder of its own name.
fn unpack(archive: &Path, folder: &Path) -> Result<PathBuf> {
    let inputs = folder.join("inputs");
    let _not_there = fs::remove_dir_all(&inputs);
    shell::run(
        shell::program("tar")
            .arg("-xf")
            .arg(archive)
            .arg("-C")
            .arg(folder),
    )?;
    Ok(inputs)
}

#[cfg(test)]
mod tests;
