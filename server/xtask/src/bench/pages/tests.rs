use super::*;

fn file(inode: u64, offset: u64) -> Mapping {
    Mapping {
        start: 0x1000,
        end: 0x4000,
        file: Some(("fe:00".to_owned(), inode)),
        offset,
    }
}

fn entries(entries: &[u64]) -> Vec<u8> {
    entries
        .iter()
        .flat_map(|entry| entry.to_le_bytes())
        .collect()
}

#[test]
fn a_line_is_taken_apart() {
    let line = "55d0c000-55d0f000 r-xp 0000a000 fe:00 17                 /usr/bin/a name";
    let expected = Mapping {
        start: 0x55d0_c000,
        end: 0x55d0_f000,
        file: Some(("fe:00".to_owned(), 17)),
        offset: 0xa000,
    };
    assert_eq!(mapping(line), Some(expected));
    let heap = mapping("1000-2000 rw-p 00000000 00:00 0                  [heap]").unwrap();
    assert_eq!(heap.file, None);
    let kernel = "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]";
    assert_eq!(mapping(kernel), None);
}

#[test]
fn a_page_of_a_file_counts_once_and_a_changed_one_for_each() {
    let shared = IN_MEMORY | OF_A_FILE;
    let mut seen = Seen::default();
    // Two processes have the same three pages; the last one is not in memory, the second was written to.
    for _process in 0..2 {
        seen.add(&file(17, 0), &entries(&[shared, IN_MEMORY, 0]));
    }
    assert_eq!(seen.bytes(), 3 * PAGE);
    // The same place from another stretch, then one further on, then another file.
    seen.add(&file(17, 0), &entries(&[shared]));
    assert_eq!(seen.bytes(), 3 * PAGE);
    seen.add(&file(17, PAGE), &entries(&[shared]));
    seen.add(&file(18, 0), &entries(&[shared]));
    assert_eq!(seen.bytes(), 5 * PAGE);
}

#[test]
#[cfg(target_os = "linux")]
fn two_looks_at_one_process_share_its_files() {
    let this = std::process::id();
    let (once, twice) = (of_all(&[this]).unwrap(), of_all(&[this, this]).unwrap());
    assert!(once > 0);
    assert!(twice < 2 * once, "{once} and {twice}");
}
