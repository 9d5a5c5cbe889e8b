//! Arrow files and streams: words of the messages between the batches are changed, or bytes.

use crate::random::Random;

pub(crate) fn make(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[random.below(corpus.len())].clone();
    if random.once_in(6) {
        random.change(&mut bytes);
        return bytes;
    }
    let messages = messages(&bytes);
    for _ in 0..=random.below(3) {
        let Some(&(start, length)) = messages.get(random.below(messages.len())) else { break };
        let width = [1, 2, 4, 8][random.below(4)];
        let at = start + random.below(length) / width * width;
        let Some(word) = bytes.get_mut(at..at + width) else { continue };
        let mut near = [0; 8];
        near[..width].copy_from_slice(word);
        let value = match random.below(3) {
            0 => random.next() as i64,
            _ => random.number(i64::from_le_bytes(near)),
        };
        word.copy_from_slice(&value.to_le_bytes()[..width]);
    }
    bytes
}

/// Starts and lengths of messages, the footer among them.
fn messages(bytes: &[u8]) -> Vec<(usize, usize)> {
    let word = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(four.try_into().ok()?) as usize)
    };
    let mut found: Vec<(usize, usize)> = (0..bytes.len().saturating_sub(8))
        .step_by(8)
        .filter(|&at| bytes[at..].starts_with(&[0xff; 4]))
        .filter_map(|at| Some((at + 8, word(at + 4)?)))
        .filter(|&(at, length)| length > 0 && at + length <= bytes.len())
        .collect();
    if bytes.ends_with(b"ARROW1")
        && let Some(length) = word(bytes.len() - 10)
        && let Some(start) = (bytes.len() - 10).checked_sub(length)
    {
        found.push((start, length));
    }
    found
}
