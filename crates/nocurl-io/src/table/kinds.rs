//! What the columns of a table are: decided from their cells, their types and what users say.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use nocurl::{Action, Kind, Text, Value, Variable};
use serde::{Deserialize, Serialize};

use super::columns::{is_index, kind_of};
use super::pattern::is_meant;
use super::reading::Reading;
use super::survey::{ColumnSurvey, Odd};
use super::words::{self, Absent};
use crate::error::shorten;
use crate::{Error, Missing};

/// A column whose levels have an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ordinal {
    /// Its name, or a pattern.
    pub column: String,
    /// Its levels from the lowest to the highest; none for numbers, which have their order.
    #[serde(default)]
    pub levels: Vec<String>,
}

/// Why a column is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// It has no values.
    Empty,
    /// It has one value.
    Constant,
    /// Its values differ too little for their size.
    TooClose,
    /// It has a text of its own in every row.
    Identifier,
    /// It has nearly as many texts as rows.
    Text,
    /// It has dates.
    Date,
    /// It names or numbers the rows.
    RowNames,
    /// Somebody has to decide what it is.
    Unclear,
    /// It is one of these by its word, with more values than a category may have levels.
    TooMany(String),
    /// It is of a type that is not read.
    Type(String),
}

impl LeftOut {
    /// The word in brackets behind the name of a column.
    pub fn word(&self) -> &str {
        match self {
            Self::Empty => "no values",
            Self::Constant => "one value",
            Self::TooClose => "values differ too little for their size: subtract a constant",
            Self::Identifier => "identifier",
            Self::Text => "text",
            Self::Date => "date",
            Self::RowNames => "row names",
            Self::Unclear => "to be decided",
            Self::TooMany(name) | Self::Type(name) => name,
        }
    }

    /// What a word in brackets stands for.
    pub fn from_word(word: &str) -> Self {
        let known = [Self::Empty, Self::Constant, Self::Identifier, Self::Text, Self::Date];
        let known = known
            .into_iter()
            .chain([Self::RowNames, Self::TooClose])
            .find(|why| why.word() == word);
        known.unwrap_or_else(|| Self::Type(shorten(word, 60)))
    }

    /// The same for a column with more levels than a category may have: it cannot stay as one.
    fn if_fits(self, fits: bool) -> Self {
        if fits || !self.can_stay() { self } else { Self::TooMany(self.word().into()) }
    }

    /// Whether users can say that it is a category all the same.
    fn can_stay(&self) -> bool {
        matches!(self, Self::Identifier | Self::Text | Self::Date | Self::RowNames)
    }
}

/// How a column of levels is coded.
#[derive(Debug, Clone)]
pub(super) struct Coding {
    pub(super) kind: Kind,
    /// Levels by their codes.
    pub(super) levels: Vec<String>,
    codes: HashMap<Vec<u8>, f64>,
    /// The same for columns of numbers.
    numbers: HashMap<u64, f64>,
    /// Where levels are given: what is missing, and cells that are neither that nor a level.
    given: Option<(Absent, Strangers)>,
}

/// Cells that are no level of their column, in the order in which they were met.
type Strangers = Arc<Mutex<Vec<String>>>;

/// More different cells than this that are no level are not told apart.
const MOST_STRANGERS: usize = 1000;

/// The upper half of a NaN that stands for an unknown level; the lower half is its place among them.
const UNKNOWN_LEVEL: u64 = 0x7ff8_6e6f;

/// The place of an unknown level that a value stands for; nothing for other values.
pub(super) fn unknown_level(value: f64) -> Option<usize> {
    let bits = value.to_bits();
    (bits >> 32 == UNKNOWN_LEVEL).then_some((bits & 0xffff_ffff) as usize)
}

/// The value of a cell that is no level.
fn stranger(strangers: &Strangers, text: String) -> f64 {
    let mut known = strangers.lock().unwrap_or_else(PoisonError::into_inner);
    let place = known.iter().position(|other| *other == text).unwrap_or_else(|| {
        if known.len() < MOST_STRANGERS {
            known.push(text);
        }
        known.len() - 1
    });
    f64::from_bits(UNKNOWN_LEVEL << 32 | place as u64)
}

impl Coding {
    pub(super) fn new(kind: Kind, levels: Vec<String>) -> Self {
        let code = |(code, level): (usize, &String)| (level.clone().into_bytes(), code as f64);
        let codes = levels.iter().enumerate().map(code).collect();
        let number = |(code, level): (usize, &String)| {
            Some(((level.parse::<f64>().ok()? + 0.0).to_bits(), code as f64))
        };
        let numbers = levels.iter().enumerate().filter_map(number).collect();
        Self { kind, levels, codes, numbers, given: None }
    }

    /// Whether the variable is of a kind; two levels without an order make a binary one.
    pub(super) fn is(&self, kind: Kind) -> bool {
        match self.kind {
            Kind::Categorical if self.levels.len() <= 2 => kind == Kind::Binary,
            own => kind == own,
        }
    }

    /// The code of a cell of text; NaN for one that is no level.
    pub(super) fn of_text(&self, content: &[u8]) -> f64 {
        let code = self.codes.get(content).copied();
        match (code, &self.given) {
            (Some(code), _) => code,
            (None, Some((absent, strangers))) if !absent.has(content) => {
                // A level that is a number may be written another way.
                let number = words::number(content, b'.').map(|value| (value + 0.0).to_bits());
                let code = number.and_then(|number| self.numbers.get(&number)).copied();
                let text = || shorten(&String::from_utf8_lossy(content), 40);
                code.unwrap_or_else(|| stranger(strangers, text()))
            }
            _ => f64::NAN,
        }
    }

    /// Codes in place of numbers.
    pub(super) fn of_numbers(&self, values: &mut [f64]) {
        for value in values.iter_mut().filter(|value| !value.is_nan()) {
            let code = self.numbers.get(&(*value + 0.0).to_bits());
            *value = match (code, &self.given) {
                (Some(code), _) => *code,
                (None, Some((absent, strangers))) if !absent.numbers().contains(value) => {
                    stranger(strangers, value.to_string())
                }
                _ => f64::NAN,
            };
        }
    }
}

/// What the type of a column says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Declared {
    /// Cells of text, which say themselves what they are.
    Cells,
    /// The same above which no name stands, or one that R or pandas gives to the names of rows.
    RowNames,
    Number,
    Truth,
    Text,
    /// Categories, with their order where they have one.
    Category {
        levels: Vec<String>,
        ordered: bool,
    },
    Date,
    Other(String),
}

impl Declared {
    /// What messages say that a column holds.
    pub(super) fn held(&self) -> &'static str {
        match self {
            Self::Cells | Self::RowNames | Self::Text => "text",
            Self::Number => "numbers",
            Self::Truth => "truth values",
            Self::Category { .. } => "categories",
            Self::Date => "dates",
            Self::Other(_) => "values of a type that is not read",
        }
    }

    /// Whether its cells are numbers, or 0 and 1.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Number | Self::Truth)
    }
}

/// A column with all that is known of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) declared: Declared,
    pub(super) survey: ColumnSurvey,
}

/// What becomes of the columns of a table.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) codings: BTreeMap<String, Arc<Coding>>,
    pub(super) left_out: Vec<(String, LeftOut)>,
    pub(super) notes: Vec<Text>,
    /// Where rows are read for a model: the columns that must be there.
    pub(super) needed: Option<BTreeSet<String>>,
}

/// What users say of a column.
enum Told<'a> {
    Continuous,
    Categorical,
    Ordinal(&'a [String]),
}

enum Decision {
    Continuous,
    Levels(Kind, Vec<String>),
    LeaveOut(LeftOut),
    Unclear(Text),
}

impl Plan {
    /// Decides about every column; what cannot be decided is one error, or is left out for a look.
    pub(super) fn new(
        candidates: Vec<Candidate>,
        reading: &Reading<'_>,
        look: bool,
    ) -> Result<Self, Error> {
        let mut plan = Self::default();
        let mut unclear = Vec::new();
        let mut nones: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for mut column in candidates {
            let told = told(&column.name, reading)?;
            let kept = column.survey.keep_nones();
            match decide(&column, told.as_ref(), reading) {
                Decision::Continuous => {}
                Decision::Levels(kind, levels) => {
                    let signs = levels.iter().all(|level| level.chars().all(|c| "+-".contains(c)));
                    for word in kept.into_iter().filter(|_| !signs) {
                        nones.entry(word).or_default().push(column.name.clone());
                    }
                    plan.notes.extend(alike(&column.name, &levels));
                    if told.is_none() {
                        plan.notes.extend(codes_note(&column));
                    }
                    plan.codings.insert(column.name, Arc::new(Coding::new(kind, levels)));
                }
                Decision::LeaveOut(why) => {
                    let fits = column.survey.distinct().is_some();
                    plan.left_out.push((column.name, why.if_fits(fits)));
                }
                Decision::Unclear(text) if look => {
                    plan.left_out.push((column.name, LeftOut::Unclear));
                    plan.notes.push(text);
                }
                Decision::Unclear(text) => unclear.push(text),
            }
        }
        plan.notes.extend(nones.iter().map(|(word, columns)| none_note(word, columns)));
        if unclear.is_empty() { Ok(plan) } else { Err(Error::Unclear { columns: unclear }) }
    }

    /// The plan of variables that are known, with words for missing values.
    pub(super) fn of_variables(variables: &[Variable], na: &[String]) -> Self {
        let mut plan = Self::default();
        for variable in variables.iter().filter(|variable| variable.is_discrete()) {
            let given = Some((Absent::new(na), Arc::default()));
            let coding = Coding { given, ..Coding::new(variable.kind, variable.levels.clone()) };
            plan.codings.insert(variable.name.clone(), Arc::new(coding));
        }
        plan
    }

    /// The same for the rows of a model, which needs these columns.
    pub(super) fn for_rows(self, needed: BTreeSet<String>) -> Self {
        Self { needed: Some(needed), ..self }
    }

    /// The unknown level of a column at a place.
    pub(super) fn unknown(&self, column: &str, place: usize) -> String {
        let given = self.codings.get(column).and_then(|coding| coding.given.as_ref());
        let known = given.map(|(_, all)| all.lock().unwrap_or_else(PoisonError::into_inner));
        known.and_then(|known| known.get(place).cloned()).unwrap_or_default()
    }

    /// Refuses cells that are none of the levels that were given.
    pub(super) fn check_levels(&self) -> Result<(), Error> {
        for (name, coding) in &self.codings {
            let strangers = coding.given.as_ref().map(|(_, strangers)| {
                strangers.lock().unwrap_or_else(PoisonError::into_inner).clone()
            });
            if let Some(level) = strangers.into_iter().flatten().min() {
                let column = shorten(name, 80);
                return Err(Error::UnknownLevel { column, level });
            }
        }
        Ok(())
    }

    pub(super) fn leaves_out(&self, name: &str) -> bool {
        self.left_out.iter().any(|(known, _)| known == name)
    }
}

/// Whether users say what a column is.
pub(super) fn is_told(name: &str, reading: &Reading<'_>) -> bool {
    let mut lists = [&reading.categorical, &reading.continuous].into_iter().flatten();
    lists.any(|pattern| is_meant(pattern, name))
        || reading.ordinal.iter().any(|ordinal| is_meant(&ordinal.column, name))
}

/// Whether users ask for a column by name.
pub(super) fn is_asked(name: &str, reading: &Reading<'_>) -> bool {
    is_told(name, reading) || reading.columns.iter().flatten().any(|known| known == name)
}

/// True when users say anything about kinds.
pub(super) fn are_told(reading: &Reading<'_>) -> bool {
    let chosen = reading.columns.iter().flatten().chain(&reading.drop);
    !(reading.categorical.is_empty() && reading.continuous.is_empty() && reading.ordinal.is_empty())
        || chosen.into_iter().any(|name| kind_of(name).is_some())
}

fn told<'a>(name: &str, reading: &'a Reading<'_>) -> Result<Option<Told<'a>>, Error> {
    let meant = |list: &[String]| list.iter().any(|pattern| is_meant(pattern, name));
    let mut found = Vec::new();
    if meant(&reading.continuous) {
        found.push((Kind::Continuous, Told::Continuous));
    }
    if meant(&reading.categorical) {
        found.push((Kind::Categorical, Told::Categorical));
    }
    if let Some(known) = reading.ordinal.iter().find(|known| is_meant(&known.column, name)) {
        found.push((Kind::Ordinal, Told::Ordinal(&known.levels)));
    }
    if let [(one, _), (other, _), ..] = found[..] {
        let (name, one, other) = (shorten(name, 80), one.name(), other.name());
        return Err(Error::TwoKinds { name, one, other });
    }
    Ok(found.pop().map(|(_, told)| told))
}

/// Parts may have one level of several.
fn decide(column: &Candidate, told: Option<&Told<'_>>, reading: &Reading<'_>) -> Decision {
    let (survey, part) = (&column.survey, reading.part);
    if survey.present() == 0 && survey.missing > 0 {
        return Decision::LeaveOut(LeftOut::Empty);
    }
    let names_rows = is_index(&column.name) || column.declared == Declared::RowNames;
    if names_rows && told.is_none() {
        return Decision::LeaveOut(LeftOut::RowNames);
    }
    match &column.declared {
        Declared::Other(name) => return Decision::LeaveOut(LeftOut::Type(name.clone())),
        Declared::Date => return Decision::LeaveOut(LeftOut::Date),
        Declared::Truth if told.is_none() => {
            return Decision::Levels(Kind::Binary, vec!["false".into(), "true".into()]);
        }
        Declared::Number if told.is_none() => return Decision::Continuous,
        _ => {}
    }
    match told {
        Some(Told::Continuous) if survey.texts == 0 => Decision::Continuous,
        Some(Told::Continuous) => Decision::Unclear(odd_cells(column, true, reading)),
        Some(Told::Categorical) => levels(column, Kind::Categorical, part),
        Some(Told::Ordinal(order)) => ordinal(column, order),
        None => infer(column, reading),
    }
}

/// What spreadsheets show where a formula has no value: never a level among numbers.
const SHEET_ERRORS: [&str; 6] = ["#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"];

/// The kind of a column of which nobody says anything.
fn infer(column: &Candidate, reading: &Reading<'_>) -> Decision {
    let (survey, part) = (&column.survey, reading.part);
    if let Declared::Category { levels: known, ordered } = &column.declared {
        if !ordered {
            return levels(column, Kind::Categorical, part);
        }
        let seen = || survey.levels().into_iter().map(|(name, _)| name).collect();
        let order = if known.is_empty() { seen() } else { known.clone() };
        return match order.len() {
            0..=1 => Decision::LeaveOut(LeftOut::Constant),
            _ => Decision::Levels(Kind::Ordinal, order),
        };
    }
    if survey.texts == 0 && column.declared == Declared::Cells {
        return Decision::Continuous;
    }
    let present = survey.present();
    if survey.dates * 10 >= present * 9 {
        return Decision::LeaveOut(LeftOut::Date);
    }
    if let Some(quantities) = Quantities::of(column)
        && quantities.is_measured(column)
    {
        return Decision::Unclear(quantities.text(column));
    }
    // Numbers with a few other cells among them are no category.
    let mostly_numbers = survey.numbers > survey.texts;
    let many_numbers = survey.distinct().is_none() || survey.distinct_numbers() > 12;
    let rare = survey.texts * 20 <= present;
    let broken = || survey.levels().iter().any(|(name, _)| SHEET_ERRORS.contains(&name.as_str()));
    if column.declared == Declared::Cells && mostly_numbers && (many_numbers || rare || broken()) {
        return Decision::Unclear(odd_cells(column, false, reading));
    }
    match survey.distinct() {
        Some(1) if part => levels(column, Kind::Categorical, part),
        Some(1) => Decision::LeaveOut(LeftOut::Constant),
        Some(distinct) if distinct as u64 == present => Decision::LeaveOut(LeftOut::Identifier),
        Some(2) => levels(column, Kind::Categorical, part),
        Some(distinct) if distinct as u64 * 2 > present => Decision::LeaveOut(LeftOut::Text),
        Some(_) => levels(column, Kind::Categorical, part),
        None => Decision::LeaveOut(LeftOut::Text),
    }
}

/// Levels in an order that does not depend on that of the rows.
fn levels(column: &Candidate, kind: Kind, part: bool) -> Decision {
    if column.survey.distinct().is_none() {
        let (name, most) = (shorten(&column.name, 80), column.survey.most_levels());
        let words = format!("`{name}` has more than {most} levels, too many for a category; ");
        let out = Action::leave_out(std::slice::from_ref(&name));
        return Decision::Unclear(Text::new(words).act(out));
    }
    let mut names: Vec<String> = column.survey.levels().into_iter().map(|(name, _)| name).collect();
    if let Declared::Category { levels, .. } = &column.declared {
        names.retain(|name| !levels.contains(name));
        names.extend(levels.iter().cloned());
    }
    names.sort();
    match names.len() {
        1 if !part => Decision::LeaveOut(LeftOut::Constant),
        _ => Decision::Levels(kind, names),
    }
}

fn ordinal(column: &Candidate, order: &[String]) -> Decision {
    let seen: Vec<String> = column.survey.levels().into_iter().map(|(name, _)| name).collect();
    if !order.is_empty() {
        let name = shorten(&column.name, 80);
        return match seen.iter().find(|level| !order.contains(level)) {
            None => Decision::Levels(Kind::Ordinal, order.to_vec()),
            Some(level) => {
                let level = shorten(level, 40);
                Decision::Unclear(
                    format!(
                        "`{name}` has the level `{level}`, which the order of its levels lacks"
                    )
                    .into(),
                )
            }
        };
    }
    if let Declared::Category { levels, ordered: true } = &column.declared {
        return Decision::Levels(Kind::Ordinal, levels.clone());
    }
    let Decision::Levels(_, mut names) = levels(column, Kind::Ordinal, false) else {
        return levels(column, Kind::Ordinal, false);
    };
    let number = |name: &String| words::number(name.as_bytes(), b'.');
    if names.iter().any(|name| number(name).is_none()) {
        let shown: Vec<String> = names.iter().take(6).map(|name| shorten(name, 40)).collect();
        let name = shorten(&column.name, 80);
        let words = format!("`{name}` is said to be ordinal: give the order of its levels, as in ");
        let order = Action::set("ordinal", format!("{name}={}", shown.join(",")));
        return Decision::Unclear(Text::new(words).act(order));
    }
    names.sort_by(|a, b| number(a).unwrap_or(0.0).total_cmp(&number(b).unwrap_or(0.0)));
    Decision::Levels(Kind::Ordinal, names)
}

/// Cells that are no numbers among some that are.
fn odd_cells(column: &Candidate, told: bool, reading: &Reading<'_>) -> Text {
    let (name, survey) = (shorten(&column.name, 80), &column.survey);
    let shown: Vec<String> = survey.odd.iter().map(place).collect();
    let more = if survey.texts as usize > shown.len() { ", ..." } else { "" };
    let words = format!(
        "{} of {} cells of `{name}` {} no number{}: {}{more}; ",
        survey.texts,
        survey.present(),
        if survey.texts == 1 { "is" } else { "are" },
        if survey.texts == 1 { "" } else { "s" },
        shown.join(", "),
    );
    let text = Text::new(words);
    if survey.odd.iter().all(|odd| words::has_decimal_comma(odd.text.as_bytes())) {
        return text.say("they look like decimal commas: use ").act(Action::set("decimal", ","));
    }
    let list = texts(survey.odd.iter().map(|odd| odd.text.clone()));
    let mut text = text.say("use ").act(Action::set("na", list));
    // A few such rows are left out anyhow.
    let few = reading.missing == Missing::Auto && survey.texts * 20 <= survey.present();
    if matches!(reading.missing, Missing::Error | Missing::Auto) && !few {
        text = text.say(" and ").act(Action::set("missing", "drop"));
    }
    let text = match told {
        true => text,
        false => text
            .say(" if they are missing values, ")
            .act(Action::set("categorical", texts([name.clone()]))),
    };
    text.say(", or ").act(Action::leave_out(&[name]))
}

fn texts(names: impl IntoIterator<Item = String>) -> Value {
    Value::List(names.into_iter().map(Value::Text).collect())
}

fn place(odd: &Odd) -> String {
    let file = odd.file.as_ref().map_or_else(String::new, |file| format!("{file}, "));
    match odd.line {
        Some(line) => format!("`{}` ({file}line {line})", odd.text),
        None => format!("`{}` ({file}row {})", odd.text, odd.row),
    }
}

/// Text that is numbers after all.
#[derive(Clone, Copy, PartialEq)]
enum Quantities {
    /// With a unit.
    Units,
    /// With the decimal sign that the file does not have.
    OtherSign,
    /// In a column whose type is text.
    Stored,
}

impl Quantities {
    /// What the cells of a column are, if nearly all are numbers in some spelling.
    fn of(column: &Candidate) -> Option<Self> {
        let survey = &column.survey;
        let all = survey.numbers + survey.units + survey.spelt;
        if 10 * all < 9 * survey.present() {
            return None;
        }
        let cells = column.declared == Declared::Cells;
        match () {
            () if survey.units > 0 => Some(Self::Units),
            () if survey.spelt > 0 && cells => Some(Self::OtherSign),
            () if survey.spelt > 0 && column.declared == Declared::Text => Some(Self::Stored),
            () => None,
        }
    }

    /// Whether they are measured: a few whole numbers may be codes, as in `2 doors`.
    fn is_measured(self, column: &Candidate) -> bool {
        const FEW: usize = 12;
        let survey = &column.survey;
        let few = |distinct: usize| distinct <= FEW && 2 * distinct as u64 <= survey.present();
        self == Self::OtherSign || survey.fractions > 0 || !survey.distinct().is_some_and(few)
    }

    /// What they are and what to do.
    fn text(self, column: &Candidate) -> Text {
        let (name, survey) = (shorten(&column.name, 80), &column.survey);
        let is_one = |odd: &&Odd| {
            let text = odd.text.as_bytes();
            (self == Self::Units) == words::with_unit(text).is_some()
        };
        let example = survey.odd.iter().find(is_one).or(survey.odd.first());
        let example = example.map_or_else(String::new, |odd| format!(": {}", place(odd)));
        if self == Self::OtherSign
            && survey.odd.iter().all(|odd| words::has_decimal_comma(odd.text.as_bytes()))
        {
            let words = format!(
                "{} of {} cells of `{name}` have a decimal comma{example}; use ",
                survey.spelt,
                survey.present()
            );
            return Text::new(words).act(Action::set("decimal", ","));
        }
        let (count, are, remedy) = match self {
            Self::Units => (survey.units, "are numbers with a unit", "strip the unit, use "),
            Self::OtherSign => (
                survey.spelt,
                "have another decimal sign than the file",
                "write all numbers alike, use ",
            ),
            Self::Stored => (
                survey.spelt,
                "are numbers stored as text",
                "convert the column to numbers (pandas.to_numeric, a cast in polars), use ",
            ),
        };
        let words =
            format!("{count} of {} cells of `{name}` {are}{example}; {remedy}", survey.present());
        Text::new(words)
            .act(Action::set("categorical", texts([name.clone()])))
            .say(", or ")
            .act(Action::leave_out(&[name]))
    }
}

/// One line on a category whose levels are numbers in some spelling.
fn codes_note(column: &Candidate) -> Option<Text> {
    let found = match Quantities::of(column).filter(|_| column.declared != Declared::RowNames)? {
        Quantities::Units => "numbers with a unit",
        Quantities::OtherSign => return None,
        Quantities::Stored => "numbers stored as text",
    };
    let example = column.survey.odd.first().map(|odd| format!(" (`{}`)", odd.text));
    Some(
        format!(
            "`{}` holds a few {found}{} and is read as a category; if it is a quantity, make it \
             a column of numbers",
            shorten(&column.name, 80),
            example.unwrap_or_default()
        )
        .into(),
    )
}

/// One line on columns in which a word for missing values is a level.
fn none_note(word: &str, columns: &[String]) -> Text {
    const SHOWN: usize = 8;
    let mut shown: Vec<String> =
        columns.iter().take(SHOWN).map(|name| format!("`{}`", shorten(name, 80))).collect();
    if columns.len() > SHOWN {
        shown.push(format!("and {} more", columns.len() - SHOWN));
    }
    let words = format!(
        "`{word}` is read as a level of {}; if it stands for a missing value, use ",
        shown.join(", ")
    );
    Text::new(words).act(Action::set("na", word))
}

/// Levels that people would call the same.
fn alike(column: &str, levels: &[String]) -> Option<Text> {
    let mut known: BTreeMap<String, &String> = BTreeMap::new();
    for level in levels {
        let plain = level.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(other) = known.insert(plain, level) {
            let (column, other, level) =
                (shorten(column, 80), shorten(other, 40), shorten(level, 40));
            return Some(
                format!(
                    "levels `{other}` and `{level}` of `{column}` differ in case or blanks alone, \
                     and count as two"
                )
                .into(),
            );
        }
    }
    None
}

/// One line on the columns that are left out.
pub(super) fn left_out_note(left_out: &[(String, LeftOut)]) -> Option<Text> {
    const SHOWN: usize = 12;
    if left_out.is_empty() {
        return None;
    }
    let mut shown: Vec<String> = left_out
        .iter()
        .take(SHOWN)
        .map(|(name, why)| format!("`{}` ({})", shorten(name, 80), why.word()))
        .collect();
    if left_out.len() > SHOWN {
        shown.push(format!("and {} more", left_out.len() - SHOWN));
    }
    let text = Text::new(format!("left out {}", shown.join(", ")));
    let stay: Vec<&str> =
        left_out.iter().filter(|(_, why)| why.can_stay()).map(|(name, _)| name.as_str()).collect();
    if stay.is_empty() {
        return Some(text);
    }
    let list = texts(stay.iter().take(SHOWN).map(|name| shorten(name, 80)));
    Some(text.say("; to keep as a category, use ").act(Action::set("categorical", list)))
}
