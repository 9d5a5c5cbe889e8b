//! A first look at columns: what their cells are, and which levels they have.

use std::collections::BTreeMap;

use nocurl::variable::{Levels, MOST_CONDITIONS, MOST_LEVELS, Variable};
use nocurl::{Kind, MatMut, Text};
use serde::{Deserialize, Serialize};

use super::ReadOptions;
use super::collect::Collect;
use super::columns::Selection;
use super::kinds::{Candidate, Declared, LeftOut, Plan};
use super::reading::Reading;
use super::transform::transform_of;
use super::words::{self, Absent};
use crate::Error;
use crate::error::shorten;

/// Different cells that are remembered for messages.
const EXAMPLES: usize = 4;

/// A cell that is no number, where the others are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Odd {
    pub(super) text: String,
    /// Rows and lines are counted from 1; there are no lines but in text.
    pub(super) row: u64,
    pub(super) line: Option<u64>,
    /// Which of several files.
    pub(super) file: Option<Box<str>>,
}

/// What the cells of a column are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ColumnSurvey {
    pub(super) missing: u64,
    pub(super) numbers: u64,
    /// Cells that are neither missing nor numbers.
    pub(super) texts: u64,
    /// Those of them that look like dates.
    pub(super) dates: u64,
    /// Those that are a number with a unit.
    #[serde(default)]
    pub(super) units: u64,
    /// Those that are a number, but with another decimal sign or in a column of text.
    #[serde(default)]
    pub(super) spelt: u64,
    /// Those of the latter two that are no whole numbers.
    #[serde(default)]
    pub(super) fractions: u64,
    /// Different cells, as text.
    #[serde(with = "written")]
    levels: Levels,
    counts: Vec<u64>,
    /// Different numbers by their bits, where cells are not text.
    #[serde(with = "pairs")]
    values: BTreeMap<u64, u64>,
    many_values: bool,
    /// Whether its levels are the conditions of an experiment, which may be more.
    #[serde(default)]
    conditions: bool,
    pub(super) odd: Vec<Odd>,
    /// Missing cells that may be levels, as they are spelt.
    nones: BTreeMap<String, u64>,
}

impl ColumnSurvey {
    /// Nothing seen yet of a column, which may be that of the conditions.
    pub(super) fn new(conditions: bool) -> Self {
        let levels =
            if conditions { Levels::with_room(MOST_CONDITIONS) } else { Levels::default() };
        Self { levels, conditions, ..Self::default() }
    }

    /// How many levels there may be.
    pub(super) fn most_levels(&self) -> usize {
        if self.conditions { MOST_CONDITIONS } else { MOST_LEVELS }
    }

    /// Cells that hold something.
    pub(super) fn present(&self) -> u64 {
        self.numbers + self.texts
    }

    /// Takes a cell of text that is not missing; `number` says whether it is one.
    pub(super) fn text(&mut self, content: &[u8], number: bool, row: u64, line: Option<u64>) {
        if number {
            self.numbers += 1;
        } else {
            self.texts += 1;
            self.dates += u64::from(words::is_date(content));
            self.quantity(content, 1);
            if self.odd.len() < EXAMPLES {
                let text = shorten(&String::from_utf8_lossy(content), 40);
                if self.odd.iter().all(|odd| odd.text != text) {
                    self.odd.push(Odd { text, row, line, file: None });
                }
            }
        }
        if !self.levels.overflows() {
            self.level(&String::from_utf8_lossy(content), 1);
        }
    }

    /// Counts cells of text that are numbers after all, in another spelling or with a unit.
    fn quantity(&mut self, content: &[u8], count: u64) {
        if !content.iter().any(u8::is_ascii_digit) {
            return;
        }
        // Codes such as 00123 are no numbers.
        let is_code =
            content.len() > 1 && content.iter().all(u8::is_ascii_digit) && content[0] == b'0';
        let spelt = words::number(content, b'.').or_else(|| words::number(content, b','));
        let value = match spelt.filter(|_| !is_code) {
            Some(value) => {
                self.spelt += count;
                value
            }
            None => {
                let Some((value, _)) = words::with_unit(content) else { return };
                self.units += count;
                value
            }
        };
        self.fractions += if value.fract() == 0.0 { 0 } else { count };
    }

    /// Takes a cell of text that stands for a missing value.
    pub(super) fn absent(&mut self, content: &[u8], absent: &Absent) {
        self.absent_times(content, 1, absent);
    }

    fn absent_times(&mut self, content: &[u8], count: u64, absent: &Absent) {
        self.missing += count;
        if absent.may_be_level(content) {
            *self.nones.entry(String::from_utf8_lossy(content).into_owned()).or_default() += count;
        }
    }

    /// Takes `None` and `-` for levels where the others are words; returns those there are.
    pub(super) fn keep_nones(&mut self) -> Vec<String> {
        let quantities = self.numbers + self.dates + self.units + self.spelt;
        let words = self.texts > 0 && quantities == 0;
        let truths = self.levels.names().iter().all(|name| words::is_truth(name));
        let nones = std::mem::take(&mut self.nones);
        if !words || truths {
            return Vec::new();
        }
        for (name, count) in &nones {
            self.texts += count;
            self.missing = self.missing.saturating_sub(*count);
            self.level(name, *count);
        }
        nones.into_keys().collect()
    }

    /// Takes so many cells of the same text.
    pub(super) fn repeat(&mut self, content: &[u8], count: u64, absent: &Absent) {
        if count == 0 {
            return;
        }
        if absent.has(content) {
            return self.absent_times(content, count, absent);
        }
        let number = words::number(content, b'.').is_some();
        self.text(content, number, 1, None);
        *(if number { &mut self.numbers } else { &mut self.texts }) += count - 1;
        if !number && words::is_date(content) {
            self.dates += count - 1;
        }
        if !number {
            self.quantity(content, count - 1);
        }
        if let Some(code) = self.levels.code(&String::from_utf8_lossy(content)) {
            self.counts[code] += count - 1;
        }
    }

    /// Says in which file the cells are that are no numbers.
    pub(super) fn in_file(&mut self, label: &str) {
        self.odd.iter_mut().for_each(|odd| odd.file = Some(label.into()));
    }

    /// Counts lines from so many further up.
    pub(super) fn raise(&mut self, lines: u64) {
        let all = self.odd.iter_mut().filter_map(|odd| odd.line.as_mut());
        all.for_each(|line| *line = line.saturating_sub(lines));
    }

    /// Makes a level known that may not be seen, so that levels have the order of a dictionary.
    pub(super) fn know(&mut self, name: &str) {
        self.level(name, 0);
    }

    fn level(&mut self, name: &str, count: u64) {
        if let Some(code) = self.levels.code(name) {
            self.counts.resize(self.levels.names().len(), 0);
            self.counts[code] += count;
        }
    }

    /// Takes numbers, of which NaN is missing.
    pub(super) fn numbers(&mut self, values: &[f64]) {
        for &value in values {
            if value.is_nan() {
                self.missing += 1;
                continue;
            }
            self.numbers += 1;
            if !self.many_values {
                // One zero.
                *self.values.entry((value + 0.0).to_bits()).or_default() += 1;
                self.many_values = self.values.len() > self.most_levels();
            }
        }
    }

    /// Adds what was seen in later rows.
    pub(super) fn append(&mut self, later: Self, rows: u64, lines: u64) {
        self.missing += later.missing;
        self.numbers += later.numbers;
        self.texts += later.texts;
        self.dates += later.dates;
        self.units += later.units;
        self.spelt += later.spelt;
        self.fractions += later.fractions;
        // What came over the wire has forgotten how many conditions there may be.
        self.levels.widen(self.most_levels().max(self.levels.names().len()));
        let places = self.levels.absorb(&later.levels);
        self.counts.resize(self.levels.names().len(), 0);
        for (place, count) in places.into_iter().zip(later.counts) {
            self.counts[place] += count;
        }
        for (value, count) in later.values {
            *self.values.entry(value).or_default() += count;
        }
        self.many_values |= later.many_values || self.values.len() > self.most_levels();
        for (name, count) in later.nones {
            *self.nones.entry(name).or_default() += count;
        }
        for odd in later.odd {
            if self.odd.len() < EXAMPLES && self.odd.iter().all(|known| known.text != odd.text) {
                let line = odd.line.map(|line| line + lines);
                self.odd.push(Odd { row: odd.row + rows, line, ..odd });
            }
        }
    }

    /// How many different cells there are, unless they are more than a variable may have levels.
    pub(super) fn distinct(&self) -> Option<usize> {
        let texts = self.levels.names().len();
        let all = texts + self.values.len();
        let fits = !self.levels.overflows() && !self.many_values && all <= self.most_levels();
        fits.then_some(all)
    }

    /// The different cells, with how often they were seen.
    pub(super) fn levels(&self) -> Vec<(String, u64)> {
        let numbers = self.values.iter().map(|(&bits, &count)| (f64::from_bits(bits), count));
        let numbers = numbers.map(|(value, count)| (value.to_string(), count));
        let texts = self.levels.names().iter().cloned().zip(self.counts.iter().copied());
        numbers.chain(texts).collect()
    }

    /// Different numbers among few different cells.
    pub(super) fn distinct_numbers(&self) -> usize {
        let names = self.levels.names().iter();
        let numeric = names.filter(|name| words::number(name.as_bytes(), b'.').is_some());
        numeric.count() + self.values.len()
    }
}

/// Looks at cells and keeps none of them.
#[derive(Debug)]
pub(super) struct Survey {
    pub(super) columns: Vec<ColumnSurvey>,
    /// Slots whose cells are looked at as text, by the reader of the format.
    texts: Vec<bool>,
}

impl Collect for Survey {
    const SURVEYS: bool = true;

    fn start(selection: &Selection) -> Self {
        let slots = 0..selection.names.len();
        let columns = slots.map(|slot| ColumnSurvey::new(selection.condition == Some(slot)));
        let columns = columns.collect();
        Self { columns, texts: selection.texts.clone() }
    }

    fn push(&mut self, _: MatMut<'_, f64>) {}

    fn append(&mut self, later: Self, rows: u64, lines: u64) {
        for (column, later) in self.columns.iter_mut().zip(later.columns) {
            column.append(later, rows, lines);
        }
    }

    fn observe(&mut self, block: &MatMut<'_, f64>) {
        for (j, column) in self.columns.iter_mut().enumerate().filter(|(j, _)| !self.texts[*j]) {
            let values = block.as_ref().col(j).try_as_col_major();
            column.numbers(values.expect("columns of a block are contiguous").as_slice());
        }
    }

    fn surveyed(&mut self) -> &mut [ColumnSurvey] {
        &mut self.columns
    }
}

/// What was seen of the columns of a table, or of a part of it; of several parts, put together.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TableSurvey {
    pub(super) columns: Vec<Candidate>,
    pub(super) rows: u64,
}

/// What the columns of a table turned out to be.
#[derive(Debug, Clone)]
pub struct Surveyed {
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Columns that are none, and why.
    pub left_out: Vec<(String, LeftOut)>,
    /// What else there is to say.
    pub notes: Vec<Text>,
}

impl TableSurvey {
    /// Adds what was seen of a later part.
    ///
    /// # Errors
    /// When the parts have other columns, or one of another type.
    pub fn append(&mut self, later: Self) -> Result<(), Error> {
        let rows = self.rows;
        self.rows += later.rows;
        let mut others: BTreeMap<String, Candidate> =
            later.columns.into_iter().map(|column| (column.name.clone(), column)).collect();
        let differ = |name: &str, one: &str, other: &str| Error::PartsDiffer {
            column: shorten(name, 80),
            one: one.into(),
            other: other.into(),
        };
        for column in &mut self.columns {
            let Some(other) = others.remove(&column.name) else {
                return Err(differ(&column.name, "there", "missing"));
            };
            column
                .join(other, rows)
                .map_err(|(one, other)| differ(&column.name, one.word(), other.word()))?;
        }
        match others.into_keys().next() {
            Some(name) => Err(differ(&name, "missing", "there")),
            None => Ok(()),
        }
    }

    /// What the columns are.
    ///
    /// # Errors
    /// Columns of which that cannot be decided.
    pub fn variables(&self, options: &ReadOptions) -> Result<Surveyed, Error> {
        let plan = Plan::new(self.columns.clone(), &Reading::new::<Survey>(options), false)?;
        let mut variables = Vec::new();
        for column in self.columns.iter().filter(|column| !plan.leaves_out(&column.name)) {
            let Some(coding) = plan.codings.get(&column.name) else {
                let transforms = transform_of(&options.transform, None, &column.name);
                let transforms = transforms.into_iter().collect();
                variables.push(Variable { transforms, ..Variable::continuous(&column.name) });
                continue;
            };
            let (name, kind, levels) = (column.name.clone(), coding.kind, coding.levels.clone());
            if kind == Kind::Binary && levels == ["false", "true"] {
                variables.push(Variable::with_levels(name, kind, levels));
                continue;
            }
            // As the plan has it: a word for missing values may be a level.
            let mut survey = column.survey.clone();
            survey.keep_nones();
            let seen: BTreeMap<String, u64> = survey.levels().into_iter().collect();
            let counts: Vec<u64> =
                levels.iter().map(|level| seen.get(level).copied().unwrap_or(0)).collect();
            variables.push(Variable::of_levels(name, kind, &levels, &counts).0);
        }
        Ok(Surveyed { variables, left_out: plan.left_out, notes: plan.notes })
    }
}

impl Candidate {
    /// Adds what was seen of the column in a later part of the table, which comes after so many rows;
    /// else the types that do not fit. One rule for files read together and for parts put together.
    pub(super) fn join(&mut self, later: Self, rows: u64) -> Result<(), (Declared, Declared)> {
        let empty = |column: &Self| column.survey.present() == 0;
        let joint = self.declared.joined(&later.declared);
        self.declared = match (joint, empty(self), empty(&later)) {
            (Some(joint), ..) => joint,
            (None, true, _) => later.declared.clone(),
            (None, _, true) => self.declared.clone(),
            _ => return Err((self.declared.clone(), later.declared)),
        };
        self.survey.append(later.survey, rows, 0);
        Ok(())
    }
}

impl Declared {
    /// What a column is whose type is this in one part and another in the next, where that fits.
    fn joined(&self, other: &Self) -> Option<Self> {
        use Declared::{Category, Cells, Number, RowNames, Text, Truth};
        match (self, other) {
            (one, other) if one == other => Some(one.clone()),
            (Category { levels, ordered: false }, Category { levels: more, ordered: false }) => {
                let new = more.iter().filter(|level| !levels.contains(level));
                let levels = levels.iter().chain(new).cloned().collect();
                Some(Category { levels, ordered: false })
            }
            (Text, Category { ordered: false, .. }) | (Category { ordered: false, .. }, Text) => {
                Some(Text)
            }
            (Number | Cells | RowNames, Number | Cells | RowNames)
            | (Text, Cells)
            | (Cells, Text) => Some(Cells),
            (Truth, Number) | (Number, Truth) => Some(Number),
            _ => None,
        }
    }

    fn word(&self) -> &str {
        match self {
            Self::Cells | Self::RowNames | Self::Text => "text",
            Self::Number => "of numbers",
            Self::Truth => "of truth values",
            Self::Category { ordered: true, .. } => "ordinal, with its own order,",
            Self::Category { .. } => "a category",
            Self::Date => "of dates",
            Self::Other(name) => name,
        }
    }
}

/// Levels as a list of names, and whether there were more.
mod written {
    use nocurl::variable::Levels;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(levels: &Levels, to: S) -> Result<S::Ok, S::Error> {
        (levels.names(), levels.overflows()).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Levels, D::Error> {
        let (names, overflows) = <(Vec<String>, bool)>::deserialize(from)?;
        let mut levels = Levels::new(&names);
        if overflows {
            levels.overflow();
        }
        Ok(levels)
    }
}

/// A map as a list of pairs: JSON has no keys but text.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        map: &BTreeMap<u64, u64>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        map.iter().collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<u64, u64>, D::Error> {
        Ok(Vec::<(u64, u64)>::deserialize(from)?.into_iter().collect())
    }
}
