//! Files of moments: whole ones of all kinds of variables, with bytes changed, cut off or announced
//! wrongly.

use nocurl::Run;
use nocurl_io::{Kinds, ReadOptions, Source, Summary, read_part};

use crate::check_message;
use crate::random::Random;

pub(crate) fn make(random: &mut Random, _: &[Vec<u8>]) -> Vec<u8> {
    let mut text = String::from("a,kind,b,c\n");
    for row in 0..random.below(30) {
        let kind = random.pick(&["x", "y", "z", "x"]);
        text += &format!("{row},{kind},{},{}\n", random.below(9), random.below(2));
    }
    let source = Source::bytes("fuzz.csv", text);
    let options = ReadOptions { categorical: vec!["kind".into()], ..ReadOptions::default() };
    let mut bytes = match read_part(&source, &options, Kinds::Find, &Run::default()) {
        Ok((summary, _)) => summary.to_bytes(),
        Err(_) => Vec::new(),
    };
    match random.below(4) {
        0 => {}
        1 => random.change(&mut bytes),
        2 => bytes.truncate(random.below(bytes.len() + 1)),
        _ => {
            // The description, which the checksum covers: made right again.
            let at = 16 + random.below(200).min(bytes.len().saturating_sub(25));
            if let Some(byte) = bytes.get_mut(at) {
                *byte = *random.pick(&[&b'0', &b'9', &b'-', &b'"', &b'}']);
            }
            Summary::seal(&mut bytes);
        }
    }
    bytes
}

pub(crate) fn read(bytes: &[u8]) -> Result<bool, String> {
    match Summary::from_bytes(bytes, "`fuzz.moments`") {
        Err(error) => check_message(&error.to_string()),
        Ok(found) => match Summary::from_bytes(&found.to_bytes(), "again") {
            Ok(again) if again == found => Ok(true),
            _ => Err("what was read is not read again".into()),
        },
    }
}
