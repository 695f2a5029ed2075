use encoding_rs::{BIG5, EUC_JP, EUC_KR, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
use proptest::prelude::*;

use super::*;

fn check(bytes: &[u8], text: &str, charset: &str, bom: Bom) {
    let decoded = decode(bytes).unwrap();
    assert_eq!(decoded.text, text);
    assert_eq!((decoded.charset.name(), decoded.bom), (charset, bom));
    assert_eq!(encode_edit(bytes, &decoded, text).unwrap(), bytes);
}

#[test]
fn a_byte_order_mark_says_what_a_file_is_and_is_not_in_its_text() {
    check(b"\xef\xbb\xbfa\xc3\xa4", "aä", "UTF-8", Bom::Present);
    check(b"\xff\xfea\0\xe4\0", "aä", "UTF-16LE", Bom::Present);
    check(
        b"\xfe\xff\0a\xd8\x3d\xdc\x4d",
        "a👍",
        "UTF-16BE",
        Bom::Present,
    );
    check(b"\xff\xfe\0\0a\0\0\0", "a", "UTF-32LE", Bom::Present);
    check(
        b"\0\0\xfe\xff\0\x01\xf4\x4d",
        "👍",
        "UTF-32BE",
        Bom::Present,
    );
    check(b"\xef\xbb\xbf", "", "UTF-8", Bom::Present);
    check(b"\xff\xfe", "", "UTF-16LE", Bom::Present);
}

#[test]
fn a_file_without_a_mark_is_utf8_if_it_can_be() {
    check(b"", "", "UTF-8", Bom::Absent);
    check(b"a\r\nb", "a\r\nb", "UTF-8", Bom::Absent);
    check("日本語 👍".as_bytes(), "日本語 👍", "UTF-8", Bom::Absent);
}

#[test]
fn other_charsets_are_told_by_their_text() {
    let japanese = "設定を読み込むための関数です。エラーの場合は終了します。\n";
    for (encoding, text) in [
        (SHIFT_JIS, japanese),
        (EUC_JP, japanese),
        (GBK, "这个函数用来读取配置文件，如果出错就返回空值。\n"),
        (BIG5, "這個函數用來讀取設定檔，如果出錯就返回空值。\n"),
        (
            EUC_KR,
            "이 함수는 설정 파일을 읽고 오류가 있으면 종료합니다.\n",
        ),
        (
            WINDOWS_1251,
            "Эта функция читает файл настроек и завершает работу.\n",
        ),
        (
            WINDOWS_1252,
            "# La fonction lit le fichier de réglages, même s'il est très léger.\n",
        ),
        (WINDOWS_1252, "/* Größe ändern */\nint a;\n"),
        (WINDOWS_1252, "print('café')\n"),
    ] {
        let (bytes, _, _) = encoding.encode(text);
        check(&bytes, text, encoding.name(), Bom::Absent);
    }
}

#[test]
fn what_is_not_text_is_told_apart() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let gzip = b"\x1f\x8b\x08\x08\x01\x02\x03\x04\x05\x06\x0e\x0f\x10 name";
    let cut_utf16 = b"\xff\xfea";
    let lone_surrogate = b"\xff\xfe\x3d\xd8a\0";
    let beyond_unicode = b"\0\0\xfe\xff\0\x11\0\0";
    let nul: &[u8] = b"text\0text";
    let nul_in_utf16 = b"\xff\xfea\0\0\0";
    for bytes in [
        &png[..],
        gzip,
        cut_utf16,
        lone_surrogate,
        beyond_unicode,
        nul,
        nul_in_utf16,
    ] {
        assert_eq!(decode(bytes), Err(NotText), "{bytes:x?}");
    }
}

#[test]
fn damaged_utf8_stays_utf8_and_its_damage_stays_where_it_is() {
    let original = b"gr\xc3\xbc\xc3\x9fe, \xc3\xa4\xc3\xb6\n\xff bad \xfe\na = 1\n\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
    let decoded = decode(original).unwrap();
    assert_eq!(decoded.charset.name(), "UTF-8");
    assert_eq!(
        decoded.text,
        "grüße, äö\n\u{fffd} bad \u{fffd}\na = 1\nääää"
    );
    let edited = encode_edit(original, &decoded, &decoded.text.replace("a = 1", "ü = 2"));
    let expected = b"gr\xc3\xbc\xc3\x9fe, \xc3\xa4\xc3\xb6\n\xff bad \xfe\n\xc3\xbc = 2\n\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
    assert_eq!(edited.unwrap(), expected);
    // In the damaged line itself, what stands around the change stays.
    let edited = encode_edit(original, &decoded, &decoded.text.replace("bad", "worse"));
    let expected = b"gr\xc3\xbc\xc3\x9fe, \xc3\xa4\xc3\xb6\n\xff worse \xfe\na = 1\n\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
    assert_eq!(edited.unwrap(), expected);
    // Damage cannot be made from text.
    let moved = decoded.text.replace("a = 1", "\u{fffd}");
    let error = encode_edit(original, &decoded, &moved).unwrap_err();
    assert_eq!((error.line, error.character), (3, '\u{fffd}'));
}

#[test]
fn bytes_with_two_meanings_stay_as_they_were() {
    // NEC's and IBM's copies of a character decode to the same text; only one of them is ever encoded.
    let (line, _, _) = SHIFT_JIS.encode("この行は変わりません。日本語の文章です。\n");
    let mut original = line.into_owned();
    original.extend_from_slice(b"\xed\x40 = \xfa\x5c = 1\n");
    let decoded = decode(&original).unwrap();
    assert_eq!(decoded.charset.name(), "Shift_JIS");
    let edited = encode_edit(&original, &decoded, &decoded.text.replace('1', "値")).unwrap();
    let kept = original.len() - 2;
    assert_eq!(edited[..kept], original[..kept]);
    assert_eq!(edited[kept..], *b"\x92\x6c\n");
}

proptest! {
    #[test]
    fn an_unchanged_text_gives_the_same_bytes(
        mark in prop::sample::select(vec![&b""[..], b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"]),
        body in prop::collection::vec(prop_oneof![
            3 => any::<u8>(),
            3 => b'a'..=b'z',
            1 => prop::sample::select(b"\r\n ".to_vec()),
            3 => 0x80_u8..=0xff,
        ], 0..200),
    ) {
        let bytes = [mark, &body].concat();
        if let Ok(decoded) = decode(&bytes) {
            let text = decoded.text.clone();
            prop_assert_eq!(encode_edit(&bytes, &decoded, &text).unwrap(), bytes);
        }
    }

    /// Whatever the charset is taken for, and however damaged the bytes are.
    #[test]
    fn an_edit_of_one_line_changes_only_its_bytes(
        before in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), 0x80_u8..=0xff], 0..60),
        after in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), 0x80_u8..=0xff], 0..60),
    ) {
        let original = [&before[..], b"\nMARK\n", &after].concat();
        let decoded = decode(&original).unwrap();
        let edited = encode_edit(&original, &decoded, &decoded.text.replace("MARK", "other!")).unwrap();
        prop_assert_eq!(edited, [&before[..], b"\nother!\n", &after].concat());
    }

    /// An edit is refused, or reads as the text that was to be written.
    #[test]
    fn what_is_written_reads_as_the_text(
        text in "([abé\n]|日本|\u{a5}){0,30}",
        new in "([abé\n]|日本|\u{a5}|👍){0,30}",
        encoding in prop::sample::select(vec![SHIFT_JIS, EUC_JP, GBK, WINDOWS_1252]),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0x80_u8..=0xff), 0..3),
    ) {
        let (bytes, _, _) = encoding.encode(&text);
        let mut bytes = bytes.into_owned();
        for (place, byte) in damage {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                bytes.insert(place, byte);
            }
        }
        let decoded = decode(&bytes).unwrap();
        if let Ok(written) = encode_edit(&bytes, &decoded, &new)
            && let Kind::Lossy(encoding) = decoded.charset.0
        {
            let (read, _) = encoding.decode_without_bom_handling(&written);
            prop_assert_eq!(&*read, &new);
        }
    }
}
