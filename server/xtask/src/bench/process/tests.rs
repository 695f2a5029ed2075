use std::time::Duration;

use expect_test::expect;

use super::{field, is_zombie, wait_until};

#[test]
fn memory_is_read_in_bytes() {
    let status = "Name:\tpollux\nVmPeak:\t   99999 kB\nVmRSS:\t    4096 kB\n";
    assert_eq!(field(status, "VmRSS:").unwrap(), 4096 * 1024);
    expect!["there is no Pss:"].assert_eq(&field(status, "Pss:").unwrap_err().to_string());
}

#[test]
fn a_zombie_is_told_from_a_name_that_looks_like_one() {
    assert!(is_zombie("17 (pollux) Z 1 17"));
    assert!(!is_zombie("17 (a) Z) S 1 17"));
}

#[test]
fn waiting_ends_with_the_condition_or_the_deadline() {
    let mut looks = 0;
    wait_until("three looks", Duration::from_secs(60), || {
        looks += 1;
        Ok(looks == 3)
    })
    .unwrap();
    assert_eq!(looks, 3);
    let error = wait_until("never", Duration::ZERO, || Ok(false)).unwrap_err();
    expect!["waited 0ns until never"].assert_eq(&error.to_string());
}
