use super::*;

fn facts(owner: u32, mode: u32) -> DirectoryFacts {
    DirectoryFacts {
        owner,
        mode,
        link_owner: None,
    }
}

#[test]
fn only_what_root_alone_may_write_is_believed() {
    assert_eq!(check_admin_directory(facts(0, 0o40755)), Ok(()));
    assert_eq!(
        check_admin_directory(facts(1000, 0o40755)),
        Err(InsecureDirectory::Owner(1000))
    );
    assert_eq!(
        check_admin_directory(facts(0, 0o40775)),
        Err(InsecureDirectory::Writable(0o775))
    );
    assert_eq!(
        check_admin_directory(facts(0, 0o40757)),
        Err(InsecureDirectory::Writable(0o757))
    );
}

#[test]
fn a_link_of_somebody_else_is_not_followed() {
    let linked = DirectoryFacts {
        link_owner: Some(1000),
        ..facts(0, 0o755)
    };
    assert_eq!(
        check_admin_directory(linked),
        Err(InsecureDirectory::LinkOwner(1000))
    );
}
