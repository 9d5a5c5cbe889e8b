//! Cells of other formats as cells of text.

/// Writes a number as it stands, or as text where it is none.
pub(super) fn push_number(line: &mut Vec<u8>, number: &str) {
    match fast_float2::parse::<f64, _>(number.trim()) {
        Ok(_) => line.extend(number.trim().bytes()),
        Err(_) => push_text(line, number),
    }
}

/// Writes text in quotes, on one line.
pub(super) fn push_text(line: &mut Vec<u8>, text: &str) {
    line.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => line.extend(b"\"\""),
            b'\n' | b'\r' | 0 => line.push(b' '),
            byte => line.push(byte),
        }
    }
    line.push(b'"');
}
