//! A VS Code to try things in: on a copy of the sample project, with the demo model, and away from the person's own
//! settings.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::json;

use super::package::{copy, stage};
use super::{Program, Workbench, install, pack};
use crate::{run, shell, tidy};

/// Makes everything ready. What is left is to run the command that is returned, which goes on until VS Code is closed.
pub(crate) fn prepare() -> Result<Command> {
    install()?;
    let place = Place::fresh()?;
    place.write_settings(&run::binary("debug")?)?;
    let mut code = Command::new("code");
    if shell::answers(Command::new("code").arg("--version")) {
        println!("      `code` opens {}", place.project().display());
        // Straight from its folder: packing it takes what comes with a VS Code of our own, which nobody needs here.
        let extension = stage(&Program::Elsewhere)?;
        place
            .folders(&mut code)
            .arg(format!(
                "--extensionDevelopmentPath={}",
                extension.display()
            ))
            .args(["--new-window", "--wait"]);
    } else {
        let workbench = Workbench::installed()?;
        let package = pack(&workbench, Program::Elsewhere)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let server = || {
            let mut node = Command::new(workbench.node());
            node.arg(workbench.code_server());
            // Else it writes one into the person's home.
            node.arg("--config").arg(place.folder.join("config.yaml"));
            node
        };
        place.install(&mut server(), &package)?;
        code = server();
        place
            .folders(&mut code)
            .args(["--bind-addr", &format!("127.0.0.1:{port}")])
            .args(["--auth", "none", "--disable-telemetry"])
            .args(["--disable-update-check", "--disable-workspace-trust"]);
        println!(
            "      open http://127.0.0.1:{port}/?folder={}",
            place.project().display()
        );
    }
    code.arg(place.project());
    // Also for somebody who has a key: this is to look at, not to pay for.
    code.env("GEMINI_MODEL", "demo");
    Ok(code)
}

/// A folder for all of it, new each time.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn fresh() -> Result<Self> {
        let folder = tidy::target_folder()?.join("run");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let place = Self { folder };
        let sample = shell::root().join("server/pollux/src/demo/sample");
        for name in ["README.md", "src"] {
            copy(&sample.join(name), &place.project().join(name))?;
        }
        copy(
            &sample.join("Cargo.toml.in"),
            &place.project().join("Cargo.toml"),
        )?;
        Ok(place)
    }

    fn project(&self) -> PathBuf {
        self.folder.join("upload")
    }

    /// A desktop reads the first one, a server the second one for what belongs to a machine.
    fn write_settings(&self, binary: &Path) -> Result<()> {
        let settings = json!({
            "pollux.server.path": binary,
            "workbench.startupEditor": "none",
            // The sample lies inside a repository of somebody else, and a question about that would cover the chat.
            "git.openRepositoryInParentFolders": "never",
            "telemetry.telemetryLevel": "off",
            "chat.disableAIFeatures": true,
            "extensions.autoCheckUpdates": false,
        });
        for name in ["User", "Machine"] {
            let folder = self.folder.join("data").join(name);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("settings.json"), settings.to_string())?;
        }
        Ok(())
    }

    fn folders<'command>(&self, command: &'command mut Command) -> &'command mut Command {
        command
            .arg("--user-data-dir")
            .arg(self.folder.join("data"))
            .arg("--extensions-dir")
            .arg(self.folder.join("extensions"))
    }

    fn install(&self, command: &mut Command, package: &Path) -> Result<()> {
        shell::run(
            self.folders(command)
                .arg("--install-extension")
                .arg(package)
                .arg("--force"),
        )
    }
}
