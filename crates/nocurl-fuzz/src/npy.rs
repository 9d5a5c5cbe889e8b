//! NumPy files: headers put together from what they are made of, before more or less than they
//! announce.

use crate::random::Random;

pub(crate) fn make(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    if random.once_in(3) {
        let mut bytes = corpus[random.below(corpus.len())].clone();
        random.change(&mut bytes);
        return bytes;
    }
    let kinds = ["<f8", ">f8", "<f4", "<i8", ">i2", "|u1", "|b1", "<c16", "|O", "<U3", "", "<f2"];
    let kind = random.pick(&kinds);
    let [rows, columns] = [random.below(40), random.below(6)];
    let shape = match random.below(8) {
        0 => format!("({rows},)"),
        1 => format!("({rows}, {}, {columns})", random.number(2)),
        2 => format!("({}, {columns})", random.number(rows as i64)),
        3 => format!("({rows} ,{columns},)"),
        4 => format!("{}{rows}", "(".repeat(random.below(2000))),
        _ => format!("({rows}, {columns})"),
    };
    let order = random.pick(&["True", "False", "False", "false", "1"]);
    let mut fields = vec![
        format!("'descr': '{kind}'"),
        format!("'fortran_order': {order}"),
        format!("'shape': {shape}"),
    ];
    if random.once_in(4) {
        let at = random.below(3);
        fields.swap(0, at);
    }
    if random.once_in(12) {
        fields.push(fields[random.below(3)].clone());
    }
    let mut header = format!("{{{}, }}", fields.join(", "));
    header.extend(std::iter::repeat_n(' ', random.below(70)));
    header.push('\n');
    let version = random.pick(&[&1_u8, &1, &2, &3, &9]);
    let length = if random.once_in(10) { random.number(100) } else { header.len() as i64 };
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([*version, 0]);
    let width = if *version == 1 { 2 } else { 4 };
    bytes.extend(&length.to_le_bytes()[..width]);
    bytes.extend(header.bytes());
    let width: usize = kind.get(2..).and_then(|digits| digits.parse().ok()).unwrap_or(1);
    let mut body = rows * columns * width;
    if random.once_in(8) {
        body += random.below(20);
    }
    bytes.extend((0..body).map(|_| if random.once_in(3) { random.next() as u8 } else { 0 }));
    if random.once_in(12) {
        random.change(&mut bytes);
    }
    bytes
}
