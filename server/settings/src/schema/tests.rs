use std::collections::BTreeSet;

use super::*;

#[test]
fn every_default_fits_its_own_row() {
    let mut defaults = defaults();
    assert_eq!(crate::check::check(&mut defaults.clone()), Vec::new());
    // The defaults arrive where their path says.
    let window = defaults.remove("contextManagement").unwrap();
    assert_eq!(window["messageLimits"]["normalizationHeadRatio"], 0.25);
}

#[test]
fn no_path_is_listed_twice() {
    let mut seen = BTreeSet::new();
    for row in table::ROWS {
        assert!(seen.insert(row.path), "{} has two rows", row.path);
    }
}

#[test]
fn every_former_name_leads_to_a_known_setting() {
    for key in [
        "theme",
        "loadMemoryFromIncludeDirectories",
        "checkpointing",
        "vimMode",
    ] {
        let present: Vec<&str> = former_name(key).unwrap().split('.').collect();
        assert!(!matches!(entry(&present), Entry::Unknown), "{key}");
    }
}

#[test]
fn the_merge_strategies_are_those_of_the_twin() {
    let strategy = |path: &str| merge_of(&path.split('.').collect::<Vec<_>>());
    assert_eq!(strategy("mcpServers"), Merge::Shallow);
    assert_eq!(strategy("context.includeDirectories"), Merge::Concat);
    assert_eq!(strategy("hooks.BeforeTool"), Merge::Concat);
    assert_eq!(strategy("hooks.SomethingNew"), Merge::Concat);
    for path in [
        "policyPaths",
        "adminPolicyPaths",
        "context.fileFiltering.customIgnoreFilePaths",
        "tools.exclude",
        "advanced.excludedEnvVars",
        "extensions.disabled",
        "extensions.workspacesWithMigrationNudge",
        "skills.disabled",
        "hooksConfig.disabled",
    ] {
        assert_eq!(strategy(path), Merge::Union, "{path}");
    }
    assert_eq!(strategy("tools.core"), Merge::Deep);
    assert_eq!(strategy("unknown.path"), Merge::Deep);
}
