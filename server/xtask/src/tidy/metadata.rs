//! What cargo knows about the workspace: packages, their dependencies and licences.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::shell;

#[cfg(test)]
mod tests;

pub(crate) struct Metadata {
    packages: Vec<Package>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Relative to the top folder for a crate of ours.
    pub(crate) manifest: String,
    pub(crate) description: String,
    pub(crate) licence: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) origin: Origin,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A crate of this workspace.
    Ours,
    #[default]
    Elsewhere,
}

#[derive(Clone, Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) requirement: String,
    pub(crate) purpose: Purpose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Part of what is built, at build time or at run time.
    Product,
    Tests,
}

impl Metadata {
    pub(crate) fn read() -> Result<Self> {
        let text = shell::answer(shell::cargo().args([
            "metadata",
            "--format-version=1",
            "--all-features",
            "--locked",
        ]))
        .context("if Cargo.lock is out of date: run `cargo build` and commit it")?;
        Self::parse(&text)
    }

    pub(crate) fn parse(text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text)?;
        let members: Vec<&Value> = array(&value, "workspace_members").collect();
        let root = string(&value, "workspace_root");
        let packages = array(&value, "packages")
            .map(|package| {
                let ours = package.get("id").is_some_and(|id| members.contains(&id));
                package_of(
                    package,
                    &root,
                    if ours {
                        Origin::Ours
                    } else {
                        Origin::Elsewhere
                    },
                )
            })
            .collect();
        Ok(Self { packages })
    }

    #[cfg(test)]
    pub(crate) fn of(packages: Vec<Package>) -> Self {
        Self { packages }
    }

    pub(crate) fn packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter()
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages()
            .filter(|package| package.origin == Origin::Ours)
    }

    pub(crate) fn version_of(&self, name: &str) -> Result<String> {
        self.members()
            .find(|package| package.name == name)
            .map(|package| package.version.clone())
            .with_context(|| format!("there is no package `{name}`"))
    }
}

/// Where cargo builds; asked without the dependencies, which is quick.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let text = shell::answer(shell::cargo().args(["metadata", "--format-version=1", "--no-deps"]))?;
    let value: Value = serde_json::from_str(&text)?;
    Ok(PathBuf::from(string(&value, "target_directory")))
}

fn package_of(package: &Value, root: &str, origin: Origin) -> Package {
    let manifest = string(package, "manifest_path").replace('\\', "/");
    let inside = manifest.strip_prefix(&root.replace('\\', "/"));
    Package {
        name: string(package, "name"),
        version: string(package, "version"),
        manifest: inside
            .unwrap_or(&manifest)
            .trim_start_matches('/')
            .to_owned(),
        description: string(package, "description"),
        licence: package
            .get("license")
            .and_then(Value::as_str)
            .map(str::to_owned),
        dependencies: array(package, "dependencies").map(dependency_of).collect(),
        origin,
    }
}

fn dependency_of(dependency: &Value) -> Dependency {
    let purpose = match dependency.get("kind").and_then(Value::as_str) {
        Some("dev") => Purpose::Tests,
        _ => Purpose::Product,
    };
    Dependency {
        name: string(dependency, "name"),
        requirement: string(dependency, "req"),
        purpose,
    }
}

fn array<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let list = value.get(key).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default().iter()
}

fn string(value: &Value, key: &str) -> String {
    let text = value.get(key).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
