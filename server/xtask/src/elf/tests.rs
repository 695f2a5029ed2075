use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let head = b"\x7fELF\x02\x01";
        if bytes.len() > head.len() {
            bytes[..head.len()].copy_from_slice(head);
        }
        let neither_ends_the_program = (sections(&bytes), functions(&bytes));
        drop(neither_ends_the_program);
    }
}

#[test]
fn what_is_no_object_file_has_no_functions() {
    assert!(functions(b"#!/bin/sh").is_none());
}
