//! RFC 7541's own examples, another implementation, and what must not be read.

use loona_hpack::{Decoder, Encoder};
use proptest::prelude::*;

use super::read::{ReadError, Reader};
use super::{USUAL_TABLE_BYTES, huffman, write};

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn read(reader: &mut Reader, block: &[u8]) -> Result<Fields, ReadError> {
    let mut fields = Vec::new();
    reader.read(block, 1 << 20, |name, value| fields.push((name.to_vec(), value.to_vec())))?;
    Ok(fields)
}

fn expect(reader: &mut Reader, hex: &str, lines: &[&str], table_bytes: usize) {
    let fields: Vec<String> = read(reader, &bytes(hex))
        .unwrap()
        .into_iter()
        .map(|(name, value)| {
            format!("{}: {}", String::from_utf8(name).unwrap(), String::from_utf8(value).unwrap())
        })
        .collect();
    assert_eq!(fields, lines);
    assert_eq!(reader.kept_bytes(), table_bytes);
}

const CUSTOM: &str = "custom-key: custom-header";
const DATE_21: &str = "date: Mon, 21 Oct 2013 20:13:21 GMT";
const DATE_22: &str = "date: Mon, 21 Oct 2013 20:13:22 GMT";
const LOCATION: &str = "location: https://www.example.com";
const COOKIE: &str = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";

#[test]
fn single_fields_as_in_c_2() {
    let fresh = || Reader::new(4096);
    expect(&mut fresh(), "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", &[CUSTOM], 55);
    expect(&mut fresh(), "040c 2f73 616d 706c 652f 7061 7468", &[":path: /sample/path"], 0);
    expect(&mut fresh(), "1008 7061 7373 776f 7264 0673 6563 7265 74", &["password: secret"], 0);
    expect(&mut fresh(), "82", &[":method: GET"], 0);
}

#[test]
fn requests_one_after_the_other_as_in_c_3_and_c_4() {
    let first = [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"];
    let second = [&first[..], &["cache-control: no-cache"]].concat();
    let third = [
        ":method: GET",
        ":scheme: https",
        ":path: /index.html",
        ":authority: www.example.com",
        "custom-key: custom-value",
    ];
    let plain = [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    let coded = [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    for blocks in [plain, coded] {
        let mut reader = Reader::new(4096);
        expect(&mut reader, blocks[0], &first, 57);
        expect(&mut reader, blocks[1], &second, 110);
        expect(&mut reader, blocks[2], &third, 164);
    }
}

#[test]
fn answers_in_a_small_table_as_in_c_5_and_c_6() {
    let first = [":status: 302", "cache-control: private", DATE_21, LOCATION];
    let second = [":status: 307", "cache-control: private", DATE_21, LOCATION];
    let third =
        [":status: 200", "cache-control: private", DATE_22, LOCATION, "content-encoding: gzip", COOKIE];
    let plain = [
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 \
         3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 \
         7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 \
         6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
    ];
    let coded = [
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad \
         1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 \
         e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    for blocks in [plain, coded] {
        let mut reader = Reader::new(256);
        expect(&mut reader, blocks[0], &first, 222);
        expect(&mut reader, blocks[1], &second, 222);
        expect(&mut reader, blocks[2], &third, 215);
    }
}

#[test]
fn what_is_written_is_as_in_the_examples() {
    let mut out = Vec::new();
    write::indexed(2, &mut out);
    write::indexed(6, &mut out);
    write::indexed(4, &mut out);
    write::kept(":authority", b"www.example.com", &mut out);
    assert_eq!(out, bytes("8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff"));
    let numbers = |bytes: usize| {
        let mut out = Vec::new();
        write::table_size(bytes, &mut out);
        out
    };
    // C.1: 10 and 1337 in five bits.
    assert_eq!((numbers(10), numbers(1337)), (vec![0x2a], vec![0x3f, 0x9a, 0x0a]));
}

#[test]
fn what_breaks_the_rules_is_named() {
    let malformed = |hex: &str| match read(&mut Reader::new(4096), &bytes(hex)) {
        Err(ReadError::Malformed(why)) => why,
        other => panic!("{hex}: {other:?}"),
    };
    for hex in ["80", "be", "7e 00", "ff 80 80 80 00"] {
        assert_eq!(malformed(hex), "a field that is in no table", "{hex}");
    }
    for hex in ["ff", "40", "40 01", "40 01 61", "40 01 61 05 62", "00 85 ff"] {
        assert_eq!(malformed(hex), "a block that ends in the middle of a field", "{hex}");
    }
    for hex in ["ff ff ff ff ff ff ff 7f", "ff ff ff ff ff 7f", "00 7f ff ff ff ff 0f"] {
        assert_eq!(malformed(hex), "a number that is too large", "{hex}");
    }
    assert_eq!(malformed("82 20"), "a table size that is not at the start of a block");
    assert_eq!(malformed("20"), "a table size that is not at the start of a block");
    assert_eq!(malformed("20 20 20"), "a table size that is not at the start of a block");
    assert_eq!(malformed("3f e2 1f"), "a table larger than was allowed");
    // The end's code, eight ones behind a text, and zeros behind one.
    for hex in ["00 84 ff ff ff ff 00", "00 82 1f ff 00", "00 81 18 00"] {
        assert_eq!(malformed(hex), "a text with a broken Huffman code", "{hex}");
    }
}

#[test]
fn a_small_block_that_stands_for_much_is_not_unpacked() {
    let mut reader = Reader::new(4096);
    let mut block = Vec::new();
    write::kept("x", &[b'~'; 4000], &mut block);
    block.resize(block.len() + 60_000, 0xbe);
    let mut fields = 0;
    assert_eq!(reader.read(&block, 64 * 1024, |_, _| fields += 1), Err(ReadError::TooLong));
    assert!(fields < 20, "{fields}");
}

#[test]
fn changes_are_counted_when_numbers_mean_something_else() {
    let mut reader = Reader::new(4096);
    read(&mut reader, &[0x82]).unwrap();
    read(&mut reader, &bytes("040c 2f73 616d 706c 652f 7061 7468")).unwrap();
    assert_eq!(reader.changes(), 0);
    read(&mut reader, &bytes("4001 6101 62")).unwrap();
    assert_eq!(reader.changes(), 1);
    read(&mut reader, &[0x20, 0x82]).unwrap();
    assert_eq!((reader.changes(), reader.kept_bytes()), (2, 0));
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(b' '..=b'~', 0..40),
        proptest::collection::vec(any::<u8>(), 0..40),
        proptest::collection::vec(b' '..=b'~', 100..300),
    ]
}

fn list() -> impl Strategy<Value = Fields> {
    let usual = prop_oneof![
        Just((b":status".to_vec(), b"200".to_vec())),
        Just((b"content-type".to_vec(), b"text/plain".to_vec())),
        Just((b"server".to_vec(), b"x".to_vec())),
        (text(), text()),
    ];
    proptest::collection::vec(usual, 0..12)
}

proptest! {
    #[test]
    fn a_code_is_read_as_it_was_written(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (mut code, mut again) = (Vec::new(), Vec::new());
        huffman::write(&text, &mut code);
        prop_assert_eq!(code.len(), huffman::length(&text));
        prop_assert_eq!(huffman::read(&code, &mut again), Some(()));
        prop_assert_eq!(again, text);
    }

    /// The other implementation's encoder keeps what it can.
    #[test]
    fn another_writer_is_read(lists in proptest::collection::vec(list(), 1..8)) {
        let (mut encoder, mut reader) = (Encoder::new(), Reader::new(USUAL_TABLE_BYTES));
        for list in lists {
            let block = encoder.encode(list.iter().map(|(name, value)| (&name[..], &value[..])));
            prop_assert_eq!(read(&mut reader, &block), Ok(list));
        }
    }

    #[test]
    fn another_reader_reads_what_is_written(lists in proptest::collection::vec(list(), 1..8)) {
        let (mut decoder, mut reader) = (Decoder::new(), Reader::new(USUAL_TABLE_BYTES));
        for (turn, list) in lists.iter().enumerate() {
            let mut block = Vec::new();
            if turn % 3 == 2 && !list.is_empty() {
                write::table_size(0, &mut block);
                write::table_size(turn * 50, &mut block);
            }
            for (at, (name, value)) in list.iter().enumerate() {
                let name = str::from_utf8(name).unwrap_or("x-other");
                let write = if at % 2 == 0 { write::kept } else { write::not_kept };
                write(name, value, &mut block);
            }
            let theirs = decoder.decode(&block).map_err(|error| format!("{error:?}"));
            prop_assert_eq!(theirs, Ok(read(&mut reader, &block).unwrap()));
        }
    }

    /// The same behind blocks that have filled tables, and have them smaller.
    #[test]
    fn any_block_is_read_alike_in_any_state_of_the_table(
        lists in proptest::collection::vec((list(), proptest::option::of(0..200usize)), 0..8),
        block in proptest::collection::vec(prop_oneof![any::<u8>(), 0xbe..=0xff_u8], 0..12),
    ) {
        let (mut reader, mut decoder) = (Reader::new(USUAL_TABLE_BYTES), Decoder::new());
        for (list, table_bytes) in lists {
            let mut filling = Vec::new();
            if let Some(bytes) = table_bytes.filter(|_| !list.is_empty()) {
                write::table_size(bytes, &mut filling);
            }
            for (name, value) in &list {
                write::kept(str::from_utf8(name).unwrap_or("x-other"), value, &mut filling);
            }
            let theirs = decoder.decode(&filling).map_err(|error| format!("{error:?}"));
            prop_assert_eq!(theirs, Ok(read(&mut reader, &filling).unwrap()));
        }
        let ours = read(&mut reader, &block);
        let theirs = decoder.decode(&block);
        if let Ok(fields) = ours {
            prop_assert_eq!(theirs.ok(), Some(fields));
        }
    }

    #[test]
    fn any_block_is_read_or_refused_as_another_reader_does(
        block in proptest::collection::vec(any::<u8>(), 0..60),
    ) {
        let ours = read(&mut Reader::new(USUAL_TABLE_BYTES), &block);
        let theirs = Decoder::new().decode(&block);
        // The other one takes any padding, numbers of any size and tables of any size, and these wherever they stand.
        if let Ok(fields) = ours {
            prop_assert_eq!(theirs.ok(), Some(fields));
        }
    }
}
