use super::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn set(list: &[&str]) -> BTreeSet<String> {
    names(list).into_iter().collect()
}

#[test]
fn the_first_closed_gate_is_the_reason() {
    let mut gates = Gates {
        allowed: names(&["other"]),
        excluded: names(&["Foo"]),
        off_for_now: set(&["foo"]),
        disabled: set(&["foo"]),
        trusted: Trusted::No,
    };
    assert_eq!(gates.block("foo"), Some(Block::NotAllowed));
    gates.allowed = names(&[" FOO "]);
    assert_eq!(gates.block("foo"), Some(Block::Excluded));
    gates.excluded.clear();
    assert_eq!(gates.block("foo"), Some(Block::OffForNow));
    gates.off_for_now.clear();
    assert_eq!(gates.block("Foo"), Some(Block::Disabled));
    gates.disabled.clear();
    assert_eq!(gates.block("foo"), Some(Block::Untrusted));
    gates.trusted = Trusted::Yes;
    assert_eq!(gates.block("foo"), None);
}

#[test]
fn an_empty_list_allows_everybody() {
    let gates = Gates {
        trusted: Trusted::Yes,
        ..Gates::default()
    };
    assert_eq!(gates.block("anything"), None);
}
