use super::*;

#[test]
fn what_is_in_force_survives_the_way_from_the_guard() {
    for in_force in [
        InForce::Nothing,
        InForce::Files { landlock: 3 },
        InForce::FilesAndNetwork { landlock: 7 },
        InForce::ReadOnly { landlock: 7 },
    ] {
        assert_eq!(InForce::from_word(&in_force.to_word()), Some(in_force));
    }
    assert_eq!(InForce::from_word("everything"), None);
}

fn support(files: FileSupport, network: NetworkSupport) -> Support {
    Support { files, network }
}

fn landlock() -> FileSupport {
    FileSupport::Landlock {
        version: 2,
        gaps: vec!["emptying a file"],
    }
}

#[test]
fn support_is_told_in_words() {
    let why = || "why".to_owned();
    let some = support(landlock(), NetworkSupport::Seccomp);
    assert_eq!(
        some.to_string(),
        "files by landlock, version 2, which does not prevent emptying a file; network by seccomp"
    );
    let none = support(
        FileSupport::None { why: why() },
        NetworkSupport::None { why: why() },
    );
    assert_eq!(
        none.to_string(),
        "files not at all: why; network not at all: why"
    );
}

#[test]
fn a_profile_is_covered_only_as_a_whole() {
    let no_filter = NetworkSupport::None { why: String::new() };
    let no_files = FileSupport::None { why: String::new() };
    let mut profile = SandboxProfile::for_workspace(&[], Path::new("/tmp"));
    assert!(support(landlock(), NetworkSupport::Seccomp).covers(&profile));
    assert!(!support(landlock(), no_filter.clone()).covers(&profile));
    assert!(!support(no_files, NetworkSupport::Seccomp).covers(&profile));
    profile.network = Network::Allowed;
    assert!(support(landlock(), no_filter).covers(&profile));
}
