use proptest::prelude::*;

use super::*;
use crate::entry::OpId;

fn done(op: u64) -> Entry {
    Entry::Done { op: OpId(op) }
}

fn read_bytes(bytes: &[u8]) -> Lines {
    read_lines(bytes).unwrap()
}

fn entries(lines: &Lines) -> Vec<Entry> {
    lines
        .entries
        .iter()
        .map(|(_, entry)| entry.clone())
        .collect()
}

#[test]
fn a_log_that_was_cut_off_anywhere_has_all_its_whole_lines() {
    let all: Vec<Entry> = (0..5).map(done).collect();
    let text = text_of(&all).unwrap();
    for cut in 0..=text.len() {
        let lines = read_bytes(&text[..cut]);
        let whole = text[..cut].iter().filter(|byte| **byte == b'}').count();
        assert_eq!(entries(&lines), all[..whole], "cut at {cut}");
        let is_torn = cut > 0 && !b"}\n".contains(&text[cut - 1]);
        assert_eq!(lines.problems.len(), usize::from(is_torn), "cut at {cut}");
        assert_eq!(lines.understood, Understood::All);
    }
}

#[test]
fn what_is_appended_after_a_torn_line_is_a_line_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let text = text_of(&[done(1), done(2)]).unwrap();
    for cut in 0..=text.len() {
        std::fs::write(&path, &text[..cut]).unwrap();
        let before = entries(&read(&path).unwrap());
        let mut writer = Writer::open(&path, Durability::Process).unwrap();
        writer.append(&[done(3), done(4)], Urgency::Later).unwrap();
        let after = entries(&read(&path).unwrap());
        assert_eq!(
            after,
            [before, vec![done(3), done(4)]].concat(),
            "cut at {cut}"
        );
    }
}

#[test]
fn lines_that_say_nothing_are_named() {
    let lines = read_bytes(
        b"{\"entry\":\"done\",\"op\":1}\nrubbish\n\0\0\0\n\n{\"entry\":\"done\",\"op\":2}\n",
    );
    assert_eq!(entries(&lines), [done(1), done(2)]);
    let places: Vec<usize> = lines.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(places, [2, 3]);
    assert_eq!(lines.understood, Understood::All);
}

#[test]
fn a_line_of_a_newer_version_is_told_from_rubbish() {
    let lines = read_bytes(b"{\"entry\":\"dreamt\",\"of\":\"sheep\"}\n");
    assert_eq!(lines.understood, Understood::NotAll);
    assert_eq!(lines.problems.len(), 1);
}

#[test]
fn a_line_without_end_is_not_held_in_memory() {
    let endless = io::repeat(b'x').take(3 * LONGEST_LINE);
    let source = BufReader::new(endless.chain(&b"\n{\"entry\":\"done\",\"op\":2}\n"[..]));
    let lines = read_lines(source).unwrap();
    assert_eq!(entries(&lines), [done(2)]);
    assert_eq!(lines.problems[0].what, "it is too long");
}

proptest! {
    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let lines = read_bytes(&bytes);
        let count = bytes.split(|byte| *byte == b'\n').count();
        prop_assert!(lines.problems.len() + lines.entries.len() <= count);
    }

    #[test]
    fn garbage_between_lines_hides_none_of_them(garbage in prop::collection::vec("[^\n]{0,40}", 1..6)) {
        let mut text = Vec::new();
        for (number, garbage) in garbage.iter().enumerate() {
            text.extend(garbage.as_bytes());
            text.push(b'\n');
            text.extend(text_of(&[done(number as u64)]).unwrap());
        }
        let wanted: Vec<Entry> = (0..garbage.len() as u64).map(done).collect();
        prop_assert_eq!(entries(&read_bytes(&text)), wanted);
    }
}
