//! Relative links in the documents lead somewhere.

use super::finding::Finding;
use super::tree::{Tree, extension};

#[cfg(test)]
mod tests;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts().filter(|(path, _)| extension(path) == "md") {
        let mut in_code = false;
        for (place, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            }
            if in_code {
                continue;
            }
            for target in targets(line) {
                let reached = resolve(path, &target);
                if !reached.is_some_and(|file| tree.holds(&file)) {
                    let what = format!("link to `{target}`, which is no tracked file");
                    findings.push(Finding::at(path, place + 1, what));
                }
            }
        }
    }
    findings
}

/// The files a line links to: `](target)`, `[name]: target`, `src="target"`, `href="target"`.
fn targets(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let inline = ends_of(&prose, "](", ')');
    let tags = ends_of(&prose, "src=\"", '"').chain(ends_of(&prose, "href=\"", '"'));
    let definition = prose
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "))
        .map(|(_, target)| target);
    inline
        .chain(tags)
        .chain(definition)
        .filter_map(local)
        .collect()
}

fn ends_of<'a>(line: &'a str, opening: &'a str, closing: char) -> impl Iterator<Item = &'a str> {
    line.split(opening)
        .skip(1)
        .filter_map(move |rest| rest.split(closing).next())
}

/// The path in a link, without anchor and title. `None` for other sites and for this page.
fn local(link: &str) -> Option<String> {
    let target = link.split_whitespace().next()?;
    let target = target.trim_start_matches('<').trim_end_matches('>');
    let path = target.split(['#', '?']).next()?;
    let elsewhere = path.contains("://") || path.starts_with("mailto:");
    (!path.is_empty() && !elsewhere).then(|| path.replace("%20", " "))
}

/// The target from the top folder. `None` when it leads out of the tree.
fn resolve(document: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    if target.starts_with('/') {
        parts.clear();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}
