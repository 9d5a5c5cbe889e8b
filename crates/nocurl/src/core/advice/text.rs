//! Sentences that hold actions.

use std::borrow::Cow;
use std::fmt;

use super::{Action, Neutral, Spelling, plain};

#[derive(Debug, Clone, PartialEq)]
enum Span {
    Words(Cow<'static, str>),
    Act(Action),
}

/// A sentence or a few: words, and actions among them.
///
/// `Display` and JSON have the neutral spelling; front ends use [`Text::spelt`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Text(Vec<Span>);

impl Text {
    /// A text that begins with words.
    pub fn new(words: impl Into<Cow<'static, str>>) -> Self {
        Self::default().say(words)
    }

    /// Goes on with words.
    #[must_use]
    pub fn say(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Span::Words(words.into()));
        self
    }

    /// Goes on with an action.
    #[must_use]
    pub fn act(mut self, action: Action) -> Self {
        self.0.push(Span::Act(action));
        self
    }

    /// Goes on with another text.
    #[must_use]
    pub fn append(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Goes on with actions that have `between` between them.
    #[must_use]
    pub fn act_all(
        mut self,
        actions: impl IntoIterator<Item = Action>,
        between: &'static str,
    ) -> Self {
        for (place, action) in actions.into_iter().enumerate() {
            if place > 0 {
                self = self.say(between);
            }
            self = self.act(action);
        }
        self
    }

    /// The text as a front end writes it, on one line and [`plain`]: names come from files, and
    /// this is where all of them become words for people.
    pub fn spelt(&self, spelling: &dyn Spelling) -> String {
        let spell = |span: &Span| match span {
            Span::Words(words) => plain(words),
            Span::Act(action) => plain(&spelling.spell(action)),
        };
        self.0.iter().map(spell).collect()
    }

    /// What the text advises, in its order.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.0.iter().filter_map(|span| match span {
            Span::Act(action) => Some(action),
            Span::Words(_) => None,
        })
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.to_string().is_empty()
    }

    /// Whether its neutral spelling has these words.
    pub fn contains(&self, words: &str) -> bool {
        self.to_string().contains(words)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelt(&Neutral))
    }
}

impl From<&'static str> for Text {
    fn from(words: &'static str) -> Self {
        Self::new(words)
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self::new(words)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hold_words_and_actions_in_order() {
        let text = Text::new("use ")
            .act_all([Action::method("fges"), Action::set("refine", "bic")], " or ")
            .append(".".into());
        assert_eq!(text.to_string(), "use method `fges` or `refine = bic`.");
        #[cfg(feature = "serde")]
        assert_eq!(serde_json::to_value(&text).unwrap(), text.to_string());
        let actions: Vec<&Action> = text.actions().collect();
        assert_eq!(actions, [&Action::method("fges"), &Action::set("refine", "bic")]);
        assert!(Text::default().is_empty() && !text.is_empty() && text.contains("or"));
    }

    #[test]
    fn names_of_files_are_shown_without_codes() {
        let name = "a\u{1b}[31m\n\u{202e}b".to_string();
        let text = Text::new(format!("no `{name}`; ")).act(Action::leave_out(&[name]));
        let shown = text.to_string();
        assert!(shown.contains("no `a [31m \u{fffd}b`"), "{shown}");
        assert!(!shown.contains(|c: char| c.is_control() || c == '\u{202e}'), "{shown:?}");
        // Who acts on it needs the name as it is.
        assert!(text.actions().any(|action| format!("{action:?}").contains("202e")));
    }
}
