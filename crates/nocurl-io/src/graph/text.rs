//! How names are written inside the text formats, and read back.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Error;
use crate::error::shorten;

/// Refuses names that a format cannot hold, or could not tell from each other: `held` says what is
/// left of a name, or nothing where it cannot be written.
pub(super) fn check_names(
    format: &str,
    names: &[String],
    held: impl Fn(&str) -> Option<String>,
) -> Result<(), Error> {
    let refused = |what: String| {
        let advice = "write another format, such as .json, or rename it";
        Err(Error::unsupported("graph", format!("{format} {what}; {advice}")))
    };
    let shown = |name: &str| shorten(name, 80);
    let mut seen = BTreeMap::new();
    for name in names {
        let Some(held) = held(name) else {
            return refused(format!("cannot hold the name `{}`", shown(name)));
        };
        if let Some(other) = seen.insert(held, name) {
            let (one, other) = (shown(other), shown(name));
            return refused(format!("cannot tell the names `{one}` and `{other}` apart"));
        }
    }
    Ok(())
}

/// Text between XML tags or quotes. Characters that XML 1.0 cannot hold are replaced; where that
/// matters [`json_for_xml`] stands beside it.
pub(super) fn xml_escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if is_foreign_to_xml(c) => escaped.push('\u{fffd}'),
            c if c.is_control() => {
                let _ = write!(escaped, "&#{};", c as u32);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Whether XML 1.0 has no way to hold a character, not even by its number.
pub(super) fn is_foreign_to_xml(c: char) -> bool {
    let blank = matches!(c, '\t' | '\n' | '\r');
    c < ' ' && !blank || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Text as a string of JSON in which nothing is foreign to XML.
pub(super) fn json_for_xml(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if is_foreign_to_xml(c) || c.is_control() => {
                let _ = write!(json, "\\u{:04x}", c as u32);
            }
            c => json.push(c),
        }
    }
    json.push('"');
    json
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
        fn xml_gives_every_name_back(name in "(\\PC|[\t\n\u{0}-\u{9f}\u{fffe}])*") {
            let text = xml_escape(&name);
            let plain = quick_xml::escape::unescape(&text).unwrap().into_owned();
            let known: String = name.chars().filter(|&c| !is_foreign_to_xml(c)).collect();
            prop_assert_eq!(plain.replace('\u{fffd}', ""), known.replace('\u{fffd}', ""));
            let json = xml_escape(&json_for_xml(&name));
            let json = quick_xml::escape::unescape(&json).unwrap().into_owned();
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
        }

        #[test]
        fn unescaping_takes_any_text(text in "[&#;a-z0-9é]*") {
            unescape(&text);
        }
    }
}
