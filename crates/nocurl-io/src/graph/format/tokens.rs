//! The words of DOT and GML.

/// A word, a quoted text or a symbol.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) symbol: bool,
    pub(super) quoted: bool,
}

impl Token {
    pub(super) fn is(&self, symbol: &str) -> bool {
        self.symbol && self.text == symbol
    }
}

/// How a language is cut into words.
pub(super) struct Language {
    /// Characters that are words by themselves.
    pub(super) symbols: &'static [char],
    /// The rules of DOT: a backslash in quotes protects a quote or a backslash, `->` and `--` are
    /// symbols, C comments are passed over and `<..>` quotes HTML.
    pub(super) is_dot: bool,
}

impl Language {
    /// Cuts text into tokens, looking at every character a fixed number of times.
    pub(super) fn tokens(&self, text: &str) -> Result<Vec<Token>, String> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = first.len_utf8();
            if first.is_whitespace() {
                rest = &rest[length..];
            } else if first == '#' || (self.is_dot && rest.starts_with("//")) {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
            } else if self.is_dot && rest.starts_with("/*") {
                let end = rest[2..].find("*/").ok_or("a comment is not closed")?;
                rest = &rest[end + 4..];
            } else if let Some(arrow) = self.arrow(rest) {
                tokens.push(Token { text: arrow.into(), symbol: true, quoted: false });
                rest = &rest[arrow.len()..];
            } else if self.symbols.contains(&first) {
                tokens.push(Token { text: first.into(), symbol: true, quoted: false });
                rest = &rest[length..];
            } else {
                let (text, used, quoted) = self.word(rest)?;
                tokens.push(Token { text, symbol: false, quoted });
                rest = &rest[used..];
            }
        }
        Ok(tokens)
    }

    fn arrow(&self, text: &str) -> Option<&'static str> {
        ["->", "--"].into_iter().find(|arrow| self.is_dot && text.starts_with(arrow))
    }

    /// The word at the start, the bytes it takes, and whether it is quoted.
    fn word(&self, text: &str) -> Result<(String, usize, bool), String> {
        if let Some(content) = text.strip_prefix('"') {
            let (content, used) = self.quoted(content).ok_or("a quote is not closed")?;
            return Ok((content, 1 + used, true));
        }
        if self.is_dot && text.starts_with('<') {
            let mut depth = 0_usize;
            for (at, c) in text.char_indices() {
                match c {
                    '<' => depth += 1,
                    '>' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    return Ok((text[1..at].into(), at + 1, true));
                }
            }
            return Err("a `<` is not closed".into());
        }
        let is_end = |at: usize, c: char| {
            c.is_whitespace()
                || c == '"'
                || self.symbols.contains(&c)
                || c == '-' && self.arrow(&text[at..]).is_some()
        };
        let end = text.char_indices().find(|&(at, c)| is_end(at, c));
        let end = end.map_or(text.len(), |(at, _)| at);
        Ok((text[..end].into(), end, false))
    }

    /// The content up to the closing quote and the bytes it takes, the quote included.
    fn quoted(&self, text: &str) -> Option<(String, usize)> {
        let mut content = String::new();
        let mut characters = text.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => return Some((content, at + 1)),
                '\\' if self.is_dot => match characters.peek() {
                    Some(&(_, next)) if next == '"' || next == '\\' => {
                        content.push(next);
                        characters.next();
                    }
                    _ => content.push('\\'),
                },
                c => content.push(c),
            }
        }
        None
    }
}
