use std::time::Duration;

use expect_test::expect;

use super::{Memory, is_zombie, memory_in, wait_until};

#[test]
fn memory_is_read_in_bytes() {
    let pages = "00400000-7ffe0000 ---p 00000000 00:00 0  [rollup]\nRss:  8020 kB\nPss:  4078 kB\n\
                 Pss_Dirty:  1 kB\nPrivate_Clean:  1024 kB\nPrivate_Dirty:  740 kB\n";
    let expected = Memory {
        resident: 8020 * 1024,
        proportional: 4078 * 1024,
        private: 1764 * 1024,
    };
    assert_eq!(memory_in(pages).unwrap(), expected);
    expect!["there is no Rss:"].assert_eq(&memory_in("Pss: 1 kB").unwrap_err().to_string());
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
