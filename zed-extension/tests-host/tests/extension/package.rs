use pollux_zed_host::{API_VERSION, Loaded, api_version, packed, sections};

#[test]
fn the_package_says_which_api_it_was_built_with() {
    let packed = packed(&Loaded::built().unwrap()).unwrap();
    assert_eq!(api_version(&packed).unwrap(), API_VERSION);
    // The newest that released versions of Zed accept.
    assert_eq!(API_VERSION, "0.7.0");
}

#[test]
fn a_package_has_no_custom_sections_but_those_that_zed_keeps() {
    let built = Loaded::built().unwrap();
    let packed = packed(&built).unwrap();
    let kept = sections(&packed).unwrap();
    let is_known = |name: &String| {
        matches!(name.as_str(), "name" | "dylink.0" | "zed:api-version")
            || name.starts_with("component-type:")
    };
    assert!(kept.iter().all(is_known), "{kept:?}");
    assert!(kept.contains(&"zed:api-version".to_owned()), "{kept:?}");
    assert!(packed.len() <= built.len());
    println!(
        "component: {} bytes, packed: {} bytes",
        built.len(),
        packed.len()
    );
}
