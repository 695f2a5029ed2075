use proptest::prelude::*;

use super::*;

fn paths() -> impl Strategy<Value = Vec<PathBuf>> {
    prop::collection::vec(any::<String>().prop_map(PathBuf::from), 0..4)
}

fn orders() -> impl Strategy<Value = Order> {
    let readable = prop_oneof![Just(Readable::Everything), paths().prop_map(Readable::Only)];
    let network = prop_oneof![Just(Network::Allowed), Just(Network::Denied)];
    let profile =
        (paths(), readable, network).prop_map(|(writable, readable, network)| SandboxProfile {
            writable,
            readable,
            network,
        });
    let teletype = prop_oneof![Just(Teletype::Controlling), Just(Teletype::None)];
    let read_only = prop::option::of(any::<String>().prop_map(PathBuf::from));
    (
        teletype,
        prop::option::of(profile),
        read_only,
        any::<String>(),
    )
        .prop_map(|(teletype, sandbox, read_only, script)| Order {
            teletype,
            sandbox,
            read_only,
            script: script.into(),
        })
}

proptest! {
    #[test]
    fn an_order_survives_the_way_to_the_guard(order in orders()) {
        prop_assert_eq!(Order::from_arguments(order.to_arguments()), Some(order));
    }
}

#[test]
fn what_is_not_understood_is_not_run() {
    for arguments in [
        vec![],
        vec!["--script"],
        vec!["--offline", "--script", "ls"],
        vec!["--sandbox", "--readable", "/etc", "--script", "ls"],
        vec!["--sandbox", "--of", "--script", "ls"],
        vec!["--script", "ls", "more"],
        vec!["--read-only"],
    ] {
        let arguments = arguments.into_iter().map(OsString::from);
        assert_eq!(Order::from_arguments(arguments), None);
    }
}
