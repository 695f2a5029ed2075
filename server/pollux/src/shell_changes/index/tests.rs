use proptest::prelude::*;

use super::*;

type Entry = (String, [u8; 20], u32, u16);

/// An index as git writes it, without its checksum being right.
fn written(version: u32, entries: &[Entry], extension: &[u8]) -> Vec<u8> {
    let mut bytes = b"DIRC".to_vec();
    bytes.extend(version.to_be_bytes());
    bytes.extend((entries.len() as u32).to_be_bytes());
    let mut last: &str = "";
    for (name, oid, size, stage) in entries {
        let start = bytes.len();
        for number in [1, 2, 3, 4, 5, 6, 0o100_644, 7, 8, *size] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(oid);
        let length = name.len().min(0xfff) as u16;
        bytes.extend((stage << 12 | length).to_be_bytes());
        if version == 4 {
            let common = name
                .bytes()
                .zip(last.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            bytes.extend(offset(last.len() - common));
            bytes.extend(&name.as_bytes()[common..]);
            bytes.push(0);
        } else {
            bytes.extend(name.as_bytes());
            let used = bytes.len() - start;
            bytes.extend(vec![0; 8 - used % 8]);
        }
        last = name;
    }
    bytes.extend(extension);
    bytes.extend([0; 20]);
    bytes
}

fn offset(mut value: usize) -> Vec<u8> {
    let mut digits = vec![(value & 127) as u8];
    while value > 127 {
        value = (value >> 7) - 1;
        digits.push(128 | (value & 127) as u8);
    }
    digits.reverse();
    digits
}

fn read_all(bytes: &[u8]) -> Result<Vec<(String, String, u32, u16)>, Unusable> {
    let mut all = Vec::new();
    read(bytes, ObjectFormat::Sha1, |tracked| {
        let name = String::from_utf8(tracked.name.to_vec()).unwrap();
        all.push((name, tracked.oid.to_string(), tracked.size, tracked.stage));
    })?;
    Ok(all)
}

#[test]
fn an_index_that_is_only_a_difference_is_refused() {
    let entries = [("a".to_owned(), [1; 20], 1, 0)];
    let link = written(2, &entries, b"link\0\0\0\x02xx");
    assert_eq!(read_all(&link), Err(Unusable::Split));
    let tree = written(2, &entries, b"TREE\0\0\0\x02xx");
    assert_eq!(read_all(&tree).unwrap().len(), 1);
}

#[test]
fn long_names_and_long_steps_back_are_read() {
    let long = "x".repeat(5_000);
    let entries = [
        (long.clone(), [1; 20], 1, 0),
        ("y".to_owned(), [2; 20], 2, 1),
    ];
    for version in [2, 3, 4] {
        let all = read_all(&written(version, &entries, b"")).unwrap();
        assert_eq!(all[0].0, long);
        assert_eq!(all[1], ("y".to_owned(), "02".repeat(20), 2, 1));
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        entries in prop::collection::vec(("[a-z/]{1,30}", any::<[u8; 20]>(), any::<u32>(), 0_u16..4), 0..20),
        version in 2_u32..=4,
    ) {
        let mut entries: Vec<Entry> = entries;
        entries.sort();
        let all = read_all(&written(version, &entries, b"")).unwrap();
        prop_assert_eq!(all.len(), entries.len());
        for ((name, _, size, stage), read) in entries.iter().zip(&all) {
            prop_assert_eq!((name, size, stage), (&read.0, &read.2, &read.3));
        }
    }

    #[test]
    fn any_part_and_any_damage_ends_well(
        cut in 0_usize..400, place in 0_usize..400, byte: u8, version in 2_u32..=4,
    ) {
        let entries = [("a/b".to_owned(), [1; 20], 1, 0), ("a/c".to_owned(), [2; 20], 2, 0)];
        let mut bytes = written(version, &entries, b"TREE\0\0\0\x02xx");
        if let Some(hit) = bytes.get_mut(place) {
            *hit = byte;
        }
        bytes.truncate(cut);
        let mut count = 0_usize;
        let _read_or_refused = read(&bytes, ObjectFormat::Sha1, |_| count += 1);
        prop_assert!(count <= bytes.len());
    }
}
