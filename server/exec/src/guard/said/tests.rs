use super::*;

#[test]
fn the_owner_understands_the_guard() {
    for said in [
        Said::Started {
            shell: 12,
            sandbox: InForce::Nothing,
        },
        Said::Refused(RefusedAccess {
            kind: AccessKind::Remove,
            path: Some("/a b\nc/ /d".into()),
        }),
        Said::Refused(RefusedAccess {
            kind: AccessKind::Network,
            path: None,
        }),
        Said::NoShell("there is no bash".to_owned()),
        Said::NoSandbox("the kernel has none".to_owned()),
        Said::Ended {
            exit: ShellExit::Code(3),
            background: vec![],
        },
        Said::Ended {
            exit: ShellExit::Signal(9),
            background: vec![4, 5],
        },
        Said::Gone,
    ] {
        assert_eq!(said.to_string().parse(), Ok(said));
    }
}

#[test]
fn a_reason_stays_on_its_line() {
    let said = Said::NoShell("one\ntwo".to_owned());
    assert_eq!(said.to_string(), "no-shell one two");
}
