//! Packed files: text, or another packed file, packed in each way that is read, then damaged.

use std::io::Write;

use crate::random::Random;
use crate::text;

pub(crate) fn make(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = text::csv(random, corpus);
    // What repeats unpacks to many times its size.
    if random.once_in(20) {
        bytes = bytes.repeat(random.below(400));
    }
    if random.once_in(24) {
        bytes = vec![*random.pick(&[&0, &b'\n', &b'0', &b'"', &0x1f]); random.below(1 << 18)];
    }
    for _ in 0..1 + usize::from(random.once_in(10)) * random.below(4) {
        bytes = pack(random, &bytes);
        // Several streams in a row are one file.
        if random.once_in(12) {
            bytes.extend(pack(random, b"5,6\n"));
        }
        if random.once_in(3) {
            random.change(&mut bytes);
        }
    }
    bytes
}

fn pack(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let all = "memory takes all bytes";
    match random.below(3) {
        0 => {
            let fast = flate2::Compression::fast();
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), fast);
            packed.write_all(bytes).expect(all);
            packed.finish().expect(all)
        }
        1 => {
            let fast = bzip2::Compression::fast();
            let mut packed = bzip2::write::BzEncoder::new(Vec::new(), fast);
            packed.write_all(bytes).expect(all);
            packed.finish().expect(all)
        }
        _ => zstd::encode_all(bytes, 1).expect(all),
    }
}
