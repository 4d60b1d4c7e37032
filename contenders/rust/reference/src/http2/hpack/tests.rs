//! The examples of RFC 7541, another implementation, and bytes of all kinds.

use proptest::prelude::*;

use super::decoder::{Decoder, Malformed};
use super::huffman;

type Fields = Vec<(Vec<u8>, Vec<u8>)>;

fn decode(decoder: &mut Decoder, block: &[u8]) -> Result<Fields, Malformed> {
    let mut fields = Vec::new();
    decoder.decode(block, |field| fields.push((field.name.to_vec(), field.value.to_vec())))?;
    Ok(fields)
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

#[track_caller]
fn assert_decodes(decoder: &mut Decoder, hex: &str, fields: &[(&str, &str)], table_size: usize) {
    let expected: Fields = fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    assert_eq!(decode(decoder, &bytes(hex)), Ok(expected));
    assert_eq!(decoder.table().size(), table_size);
}

#[test]
fn representations_c2() {
    let new = Decoder::new;
    let custom = "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572";
    assert_decodes(&mut new(), custom, &[("custom-key", "custom-header")], 55);
    assert_decodes(&mut new(), "040c 2f73 616d 706c 652f 7061 7468", &[(":path", "/sample/path")], 0);
    let never = "1008 7061 7373 776f 7264 0673 6563 7265 74";
    assert_decodes(&mut new(), never, &[("password", "secret")], 0);
    assert_decodes(&mut new(), "82", &[(":method", "GET")], 0);
}

const FIRST: [(&str, &str); 4] =
    [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com")];
const CUSTOM: [(&str, &str); 5] = [
    (":method", "GET"),
    (":scheme", "https"),
    (":path", "/index.html"),
    (":authority", "www.example.com"),
    ("custom-key", "custom-value"),
];

#[test]
fn requests_c3_and_c4() {
    for blocks in [
        [
            "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
            "8286 84be 5808 6e6f 2d63 6163 6865",
            "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ],
        [
            "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
            "8286 84be 5886 a8eb 1064 9cbf",
            "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
        ],
    ] {
        let mut decoder = Decoder::new();
        assert_decodes(&mut decoder, blocks[0], &FIRST, 57);
        assert_decodes(
            &mut decoder,
            blocks[1],
            &[&FIRST[..], &[("cache-control", "no-cache")]].concat(),
            110,
        );
        assert_decodes(&mut decoder, blocks[2], &CUSTOM, 164);
    }
}

#[test]
fn answers_c5_and_c6() {
    let answer = |status, date| {
        vec![
            (":status", status),
            ("cache-control", "private"),
            ("date", date),
            ("location", "https://www.example.com"),
        ]
    };
    let (first, later) = ("Mon, 21 Oct 2013 20:13:21 GMT", "Mon, 21 Oct 2013 20:13:22 GMT");
    let last = [
        &answer("200", later)[..],
        &[
            ("content-encoding", "gzip"),
            ("set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"),
        ],
    ]
    .concat();
    for blocks in [
        [
            "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 \
             3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
            "4803 3330 37c1 c0bf",
            "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 \
             7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 \
             6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
        ],
        [
            "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad \
             1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
            "4883 640e ffc1 c0bf",
            "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 \
             e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
        ],
    ] {
        let mut decoder = Decoder::new();
        // The examples use a table of 256 bytes.
        assert_decodes(&mut decoder, "3fe101", &[], 0);
        assert_decodes(&mut decoder, blocks[0], &answer("302", first), 222);
        let mut second = answer("307", first);
        assert_decodes(&mut decoder, blocks[1], &second, 222);
        second[0].1 = "200";
        assert_decodes(&mut decoder, blocks[2], &last, 215);
    }
}

#[test]
fn what_cannot_be_decoded() {
    for hex in [
        "80",                // index 0
        "be",                // an entry that is not there
        "ff ff ff ff ff 0f", // an index that is too large
        "7f",                // cut off
        "40",                // no name
        "40 01",             // a name that is cut off
        "40 01 61",          // no value
        "00 01 61 05 62",    // a value that is cut off
        "7e 01 61",          // a name that is not there
        "3f e2 1f",          // a table of 4097 bytes
        "82 20",             // the table's size after a field
        "04 81 1e",          // padding that is not all ones
        "04 82 1f ff",       // too much padding
        "04 84 ff ff ff ff", // the mark of the end
    ] {
        assert_eq!(decode(&mut Decoder::new(), &bytes(hex)), Err(Malformed), "{hex}");
    }
    assert_eq!(decode(&mut Decoder::new(), &bytes("20 3f e1 1f 82")).map(|fields| fields.len()), Ok(1));
}

#[test]
fn changes_tell_when_a_block_means_something_else() {
    let mut decoder = Decoder::new();
    let before = decoder.changes();
    decode(&mut decoder, &bytes("8286 040c 2f73 616d 706c 652f 7061 7468")).expect("valid");
    assert_eq!(decoder.changes(), before);
    for hex in ["4001 6101 62", "20", "3fe11f"] {
        let before = decoder.changes();
        decode(&mut decoder, &bytes(hex)).expect("valid");
        assert_ne!(decoder.changes(), before);
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(blocks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..80), 1..8)) {
        let mut decoder = Decoder::new();
        for block in blocks {
            let _ = decode(&mut decoder, &block);
            prop_assert!(decoder.table().size() <= 4096);
        }
    }

    #[test]
    fn what_was_coded_is_decoded(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        let coded = huffman::encode(&text);
        let mut decoded = Vec::new();
        prop_assert_eq!(huffman::decode(&coded, &mut decoded), Some(()));
        prop_assert_eq!(decoded, text);
    }

    /// Of all strings of bytes, those that decode are those that come out of the coder.
    #[test]
    fn what_decodes_was_coded(coded in proptest::collection::vec(any::<u8>(), 0..12)) {
        let mut decoded = Vec::new();
        if huffman::decode(&coded, &mut decoded).is_some() {
            prop_assert_eq!(huffman::encode(&decoded), coded);
        }
    }

    /// Another implementation's blocks, in every representation, on a connection with a small table.
    #[test]
    fn decodes_what_another_implementation_encodes(
        blocks in proptest::collection::vec(proptest::collection::vec((0_usize..9, "[ -~]{0,40}", 0_u8..32), 0..8), 1..12),
        sizes in proptest::collection::vec(proptest::option::of(0_u32..400), 12),
    ) {
        let names = [":path", ":method", "content-length", "accept", "x", "x-custom", "te", "cookie", "a-longer-name"];
        let mut encoder = httlib_hpack::Encoder::with_dynamic_size(4096);
        let mut decoder = Decoder::new();
        for (block, size) in blocks.into_iter().zip(sizes) {
            let (mut coded, mut expected) = (Vec::new(), Fields::new());
            if let Some(size) = size {
                encoder.update_max_dynamic_size(size, &mut coded).expect("a size below the limit");
            }
            for (name, value, flags) in block {
                // One that is both indexed and never indexed is neither.
                let flags = if flags & 0xc == 0xc { flags & !0x8 } else { flags };
                let field = (names[name].as_bytes().to_vec(), value.into_bytes());
                encoder.encode((field.0.clone(), field.1.clone(), flags), &mut coded).expect("a field");
                expected.push(field);
            }
            prop_assert_eq!(decode(&mut decoder, &coded), Ok(expected));
        }
    }
}
