//! Names with wildcards: `*` for anything, `?` for one character.

/// Whether a name is meant by a pattern. A name that is written out is always meant.
pub(crate) fn is_meant(pattern: &str, name: &str) -> bool {
    pattern == name || (is_pattern(pattern) && matches(pattern, name))
}

/// True for names with a wildcard.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // Where the last star was, and how much of the name it covers.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, covered)) = star else { return false };
                star = Some((at, covered + 1));
                p = at + 1;
                n = covered + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        for (pattern, name, meant) in [
            ("sleep_*", "sleep_total", true),
            ("sleep_*", "sleep", false),
            ("*", "", true),
            ("*_*_b", "a_b_c_b", true),
            ("?ge", "age", true),
            ("?ge", "ge", false),
            ("a*c", "abcb", false),
            ("what?", "what?", true),
            ("größe*", "größe 2", true),
        ] {
            assert_eq!(is_meant(pattern, name), meant, "{pattern} {name}");
        }
    }
}
