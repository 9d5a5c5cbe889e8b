//! Prior knowledge about the columns of a table that became variables.

use nocurl::error::closest;
use nocurl::{KnowledgeSpec, Text};
use nocurl_io::LeftOut;

use crate::{Error, Job};

/// Names that messages show at most.
const SHOWN: usize = 8;

impl Job {
    /// The job with prior knowledge about these variables alone: statements about columns that were
    /// left out are skipped, which the text says.
    ///
    /// # Errors
    /// All other names in one message, if there are several. The engine refuses a single one.
    pub(crate) fn knowing(
        &self,
        names: &[String],
        left_out: &[(String, LeftOut)],
    ) -> Result<(Self, Option<Text>), Error> {
        let given = &self.options.knowledge;
        let mut skipped: Vec<(String, &str)> = Vec::new();
        let mut unknown: Vec<String> = Vec::new();
        for name in named(given).filter(|name| !names.contains(name)) {
            let why = left_out.iter().find(|(known, _)| known == name).map(|(_, why)| why.word());
            let dropped = self.read.drop.contains(name).then_some("dropped");
            match why.or(dropped) {
                Some(why) if skipped.iter().all(|(known, _)| known != name) => {
                    skipped.push((name.clone(), why));
                }
                None if !unknown.contains(name) => unknown.push(name.clone()),
                _ => {}
            }
        }
        if unknown.len() > 1 {
            let like = |name: &String| closest(name, names.iter().map(String::as_str));
            let names = unknown.iter().map(|name| (name.clone(), like(name).map(String::from)));
            return Err(Error::UnknownKnown { names: names.collect() });
        }
        let mut job = self.clone();
        job.options.knowledge =
            without(given, |name| skipped.iter().any(|(known, _)| known == name));
        Ok((job, note(&skipped)))
    }
}

/// All names in statements.
fn named(known: &KnowledgeSpec) -> impl Iterator<Item = &String> {
    let edges = known.required.iter().chain(&known.forbidden);
    let tiers = known.tiers.iter().flat_map(|tier| &tier.variables);
    edges.flat_map(|(from, to)| [from, to]).chain(tiers).chain(&known.sources).chain(&known.sinks)
}

/// The statements in which no such name is.
fn without(known: &KnowledgeSpec, is_skipped: impl Fn(&String) -> bool) -> KnowledgeSpec {
    let mut rest = known.clone();
    rest.required.retain(|(from, to)| !is_skipped(from) && !is_skipped(to));
    rest.forbidden.retain(|(from, to)| !is_skipped(from) && !is_skipped(to));
    rest.tiers.iter_mut().for_each(|tier| tier.variables.retain(|name| !is_skipped(name)));
    rest.sources.retain(|name| !is_skipped(name));
    rest.sinks.retain(|name| !is_skipped(name));
    rest
}

fn note(skipped: &[(String, &str)]) -> Option<Text> {
    if skipped.is_empty() {
        return None;
    }
    let shown = skipped.iter().take(SHOWN).map(|(name, why)| format!("`{name}` ({why})"));
    let mut shown: Vec<String> = shown.collect();
    if skipped.len() > SHOWN {
        shown.push(format!("and {} more", skipped.len() - SHOWN));
    }
    let words = "prior knowledge about columns that are left out was skipped: ";
    Some(Text::new(format!("{words}{}", shown.join(", "))))
}

/// What is said of names that are no columns.
pub(crate) fn unknown_names(names: &[(String, Option<String>)]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|(name, like)| match like {
            Some(like) => format!("`{name}` (did you mean `{like}`?)"),
            None => format!("`{name}`"),
        })
        .collect();
    if names.len() > SHOWN {
        shown.push(format!("and {} more", names.len() - SHOWN));
    }
    format!("prior knowledge names columns that the table does not have: {}", shown.join(", "))
}
