//! How names are written inside the text formats, and read back.

use std::fmt::Write as _;

/// Text between XML tags or quotes. Control characters that XML 1.0 cannot hold are replaced.
pub(super) fn xml_escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", c as u32);
            }
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A GML string is ASCII without quotes; everything else is a character reference.
pub(super) fn gml_escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            ' '..='~' => escaped.push(c),
            c => {
                let _ = write!(escaped, "&#{};", c as u32);
            }
        }
    }
    escaped
}

/// The longest reference that is looked for, `&#1114111;`, so that text full of `&` takes no longer.
const LONGEST_REFERENCE: usize = 10;

/// Undoes the character references of GML; an unknown one is left as it is.
pub(super) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        plain.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';');
        let known = end.and_then(|end| {
            let c = match &rest[1..end] {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                name => character_reference(name),
            };
            c.map(|c| (c, end + 1))
        });
        let (c, length) = known.unwrap_or(('&', 1));
        plain.push(c);
        rest = &rest[length..];
    }
    plain + rest
}

fn character_reference(name: &str) -> Option<char> {
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix('x') {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gml_gives_every_name_back(name in any::<String>()) {
            prop_assert_eq!(unescape(&gml_escape(&name)), name);
        }

        #[test]
        fn xml_gives_names_without_control_characters_back(name in "\\PC*[\t\n]?") {
            let plain = quick_xml::escape::unescape(&xml_escape(&name)).unwrap().into_owned();
            prop_assert_eq!(plain, name);
        }

        #[test]
        fn unescaping_takes_any_text(text in "[&#;a-z0-9é]*") {
            unescape(&text);
        }
    }
}
