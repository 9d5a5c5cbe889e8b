//! Knowledge as Tetrad writes it.
//!
//! ```text
//! /knowledge
//! addtemporal
//! 1 age sex
//! 2* dose1 dose2
//!
//! forbiddirect
//! dose1 age
//!
//! requiredirect
//! dose1 health
//!
//! forbiddengroup
//! age sex
//! health
//! ```
//!
//! After Tetrad's own reader and writer (`SimpleDataLoader.loadKnowledge`,
//! `DataWriter.saveKnowledge` in `edu.cmu.tetrad.data`): lines that start with `//` are comments,
//! names with spaces go in double quotes, `*` after a tier's number forbids edges within it, `-`
//! edges that skip the next tier, a group is two lines (from all of the first to all of the
//! second), and after `/knowledge comma` names have commas between them.

use std::collections::BTreeMap;

use nocurl::KnowledgeSpec;
use nocurl::knowledge::Tier;

use super::Mistake;

const HEADER: &str = "/knowledge";

const SECTIONS: [&str; 5] =
    ["addtemporal", "forbiddirect", "requiredirect", "forbiddengroup", "requiredgroup"];

/// Edges that groups may state: a short file can state more than there is memory for.
const MOST_EDGES: usize = 1_000_000;

/// True when the text is Tetrad's.
pub(super) fn is_one(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| line.starts_with(HEADER))
}

pub(super) fn read(text: &str) -> Result<KnowledgeSpec, Mistake> {
    let mut lines = lines(text);
    let header = lines.next().map_or("", |(_, line)| line);
    let comma = match header.strip_prefix(HEADER).map(str::trim) {
        Some("") => false,
        Some(word) if word.eq_ignore_ascii_case("comma") => true,
        _ => return Err((1, format!("expected `{HEADER}` or `{HEADER} comma`, found `{header}`"))),
    };
    let mut knowledge = KnowledgeSpec::default();
    let mut tiers: BTreeMap<u32, Place> = BTreeMap::new();
    let mut section = None;
    while let Some((number, line)) = lines.next() {
        if let Some(known) = section_of(line) {
            section = Some(known);
            continue;
        }
        let here = |what: String| (number, what);
        if line.to_ascii_lowercase().starts_with("tierstructure") {
            let what = "`tierstructure` is not read; write its order as edges in `forbiddirect`";
            return Err(here(what.into()));
        }
        match section {
            Some("addtemporal") => {
                let (tier, place) = place(line, comma).map_err(here)?;
                tiers.entry(tier).or_default().add(place);
            }
            Some("forbiddirect") => knowledge.forbidden.push(pair(line, comma).map_err(here)?),
            Some("requiredirect") => knowledge.required.push(pair(line, comma).map_err(here)?),
            Some(group) => {
                let from = words(line, comma).map_err(here)?;
                let Some((number, line)) =
                    lines.next().filter(|(_, line)| section_of(line).is_none())
                else {
                    let what = "a group is two lines: names that edges come from, names they go to";
                    return Err(here(what.into()));
                };
                let to = words(line, comma).map_err(|what| (number, what))?;
                let edges = match group {
                    "requiredgroup" => &mut knowledge.required,
                    _ => &mut knowledge.forbidden,
                };
                extend(edges, &from, &to).map_err(here)?;
            }
            None => {
                let known = SECTIONS.join("`, `");
                return Err(here(format!("expected one of `{known}`, found `{line}`")));
            }
        }
    }
    for (&tier, place) in tiers.iter().filter(|(_, place)| place.only_next) {
        for (_, later) in tiers.range(tier.saturating_add(2)..) {
            let (from, to) = (&place.tier.variables, &later.tier.variables);
            extend(&mut knowledge.forbidden, from, to).map_err(|what| (1, what))?;
        }
    }
    knowledge.tiers = tiers.into_values().map(|place| place.tier).collect();
    Ok(knowledge)
}

/// A tier and whether it acts on no tier but the next.
#[derive(Default)]
struct Place {
    tier: Tier,
    only_next: bool,
}

impl Place {
    fn add(&mut self, other: Self) {
        self.tier.variables.extend(other.tier.variables);
        self.tier.forbid_within |= other.tier.forbid_within;
        self.only_next |= other.only_next;
    }
}

/// Lines that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with("//"))
}

fn section_of(line: &str) -> Option<&'static str> {
    SECTIONS.into_iter().find(|name| name.eq_ignore_ascii_case(line))
}

/// The words of a line; double quotes keep what is between them together.
fn words(line: &str, comma: bool) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut quoted, mut begun) = (false, false);
    for c in line.chars() {
        let ends = !quoted && if comma { c == ',' } else { c.is_whitespace() };
        if c == '"' {
            (quoted, begun) = (!quoted, true);
        } else if ends {
            finish(&mut words, &mut word, &mut begun);
        } else {
            begun |= !c.is_whitespace();
            word.push(c);
        }
    }
    if quoted {
        return Err("a double quote is not closed".into());
    }
    finish(&mut words, &mut word, &mut begun);
    Ok(words)
}

fn finish(words: &mut Vec<String>, word: &mut String, begun: &mut bool) {
    if *begun {
        words.push(word.trim().to_string());
    }
    word.clear();
    *begun = false;
}

/// A tier's line: its number with flags, then its variables.
fn place(line: &str, comma: bool) -> Result<(u32, Place), String> {
    // Where commas are between the names, either may follow the number.
    let end = line.find(|c: char| c.is_whitespace() || comma && c == ',').unwrap_or(line.len());
    let (first, rest) = line.split_at(end);
    let digits = first.trim_end_matches(['*', '-']);
    let number = digits.parse().map_err(|_| {
        format!("expected the number of a tier, such as `1` or `1*`, found `{first}`")
    })?;
    let flags = &first[digits.len()..];
    let tier = Tier { variables: words(rest, comma)?, forbid_within: flags.contains('*') };
    Ok((number, Place { tier, only_next: flags.contains('-') }))
}

fn pair(line: &str, comma: bool) -> Result<(String, String), String> {
    let words = words(line, comma)?;
    let count = words.len();
    match <[String; 2]>::try_from(words) {
        Ok([from, to]) => Ok((from, to)),
        Err(_) => Err(format!(
            "an edge is two names, found {count}; a name with spaces goes in double quotes"
        )),
    }
}

/// Adds an edge from each of some names to each of others.
fn extend(edges: &mut Vec<(String, String)>, from: &[String], to: &[String]) -> Result<(), String> {
    let count = from.len().saturating_mul(to.len()).saturating_add(edges.len());
    if count > MOST_EDGES {
        return Err(format!("groups and tiers state {count} edges, more than {MOST_EDGES}"));
    }
    for from in from {
        edges.extend(to.iter().map(|to| (from.clone(), to.clone())));
    }
    Ok(())
}
