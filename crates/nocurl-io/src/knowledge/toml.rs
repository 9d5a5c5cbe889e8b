//! Knowledge in TOML.

use nocurl::KnowledgeSpec;
use nocurl::knowledge::Tier;
use serde::Deserialize;
use toml::Spanned;

use super::Mistake;

/// The file as written: tiers as lists of names, or as tables that say more.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    // Pairs, but the parser would overlook a third name.
    required: Vec<Spanned<Vec<String>>>,
    forbidden: Vec<Spanned<Vec<String>>>,
    sources: Vec<String>,
    sinks: Vec<String>,
    tiers: Vec<Vec<String>>,
    tier: Vec<Spanned<Tier>>,
}

pub(super) fn read(text: &str) -> Result<KnowledgeSpec, Mistake> {
    let line_of = |position: usize| {
        let before = text.as_bytes().get(..position).unwrap_or_default();
        before.iter().filter(|&&byte| byte == b'\n').count() + 1
    };
    let file: File = toml::from_str(text).map_err(|error| {
        let position = error.span().map_or(0, |span| span.start);
        (line_of(position), error.message().to_string())
    })?;
    let edges = |given: Vec<Spanned<Vec<String>>>| {
        let edge = |names: Spanned<Vec<String>>| {
            let line = line_of(names.span().start);
            match <[String; 2]>::try_from(names.into_inner()) {
                Ok([from, to]) => Ok((from, to)),
                Err(names) => Err((line, format!("an edge is two names, found {}", names.len()))),
            }
        };
        given.into_iter().map(edge).collect::<Result<Vec<_>, Mistake>>()
    };
    if let Some(tier) = file.tier.first().filter(|_| !file.tiers.is_empty()) {
        let what = "tiers are given both as `tiers` and as `[[tier]]`: use one of them";
        return Err((line_of(tier.span().start), what.into()));
    }
    let tables = file.tier.into_iter().map(Spanned::into_inner);
    Ok(KnowledgeSpec {
        required: edges(file.required)?,
        forbidden: edges(file.forbidden)?,
        tiers: file.tiers.into_iter().map(Tier::new).chain(tables).collect(),
        sources: file.sources,
        sinks: file.sinks,
    })
}
