//! Makes the host's side of Zed's interfaces from the description that lies in the crate the extension is built with, so the
//! two cannot be of different versions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

const API: &str = "zed_extension_api";
/// API 0.7.0 still has the world of 0.6.0; the names of the folders say when a world changed.
const WORLD: &str = "wit/since_v0.6.0";

fn main() -> Result<()> {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let manifest = folder.join("../Cargo.toml");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", manifest.display());
    let packages = packages(&manifest)?;
    let api = package(&packages, API)?;
    let sources = Path::new(text(api, "manifest_path")?).with_file_name(WORLD);
    let bindings = format!(
        "wasmtime::component::bindgen!({{ path: {sources:?}, with: {{ \"worktree\": crate::zed::Worktree }} }});\n"
    );
    fs::write(
        PathBuf::from(env::var("OUT_DIR")?).join("world.rs"),
        bindings,
    )?;
    let extension = package(&packages, "pollux-zed")?;
    println!(
        "cargo:rustc-env=EXTENSION_VERSION={}",
        text(extension, "version")?
    );
    println!("cargo:rustc-env=API_VERSION={}", text(api, "version")?);
    Ok(())
}

fn packages(manifest: &Path) -> Result<Vec<Value>> {
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo.args([
        "metadata",
        "--format-version=1",
        "--locked",
        "--manifest-path",
    ]);
    let output = cargo.arg(manifest).output()?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata.get("packages").and_then(Value::as_array);
    packages.cloned().context("cargo knows no packages")
}

fn package<'list>(packages: &'list [Value], name: &str) -> Result<&'list Value> {
    let mut packages = packages.iter();
    let found = packages.find(|package| package.get("name").and_then(Value::as_str) == Some(name));
    found.with_context(|| format!("the extension has no `{name}`"))
}

fn text<'package>(package: &'package Value, key: &str) -> Result<&'package str> {
    let value = package.get(key).and_then(Value::as_str);
    value.with_context(|| format!("a package without `{key}`"))
}
