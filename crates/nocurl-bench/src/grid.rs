//! What is run: scenarios, sizes, contenders and the number of trials.

use std::collections::BTreeSet;

use nocurl::error::closest;
use nocurl::moments::mix;
use nocurl::simulate::Simulation;
use nocurl::{Algorithm, Options};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::{Error, preset};

/// Everything that is to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// The preset's name, or the one in the file.
    pub name: String,
    /// Trials of each cell.
    pub trials: u32,
    /// Numbers of variables.
    pub sizes: Vec<usize>,
    /// Where the data come from.
    pub scenarios: Vec<Scenario>,
    /// Methods that run on the same data.
    pub contenders: Vec<Contender>,
}

/// A source of data of any size.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// The name in tables; the paper's scenarios have the paper's names.
    pub name: String,
    /// How data are drawn, at any number of variables.
    pub simulation: Simulation,
    /// The scenario with whose seeds data are drawn, where it is not this one: its graphs and its
    /// noise, treated in another way.
    pub same_draws_as: Option<String>,
}

/// A method as a row of a table: options under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// The name in tables; the paper's methods have the paper's names.
    pub name: String,
    /// How it learns. The seed in it is not used: every trial has its own.
    pub options: Options,
    /// Runs with different seeds in a trial, whose figures are averaged; for random starts.
    pub repeats: u32,
    /// The largest number of variables it is asked to learn.
    pub max_size: Option<usize>,
    /// The largest number of trials, for slow methods.
    pub max_trials: Option<u32>,
}

impl Scenario {
    /// The scenario at one size.
    pub fn at(&self, size: usize) -> Simulation {
        Simulation { variables: size, ..self.simulation.clone() }
    }

    /// The seed of one trial's data. It depends on nothing but the arguments and the scenario's
    /// name, so that a trial keeps its data whatever else is in the grid.
    pub fn seed(&self, base: u64, size: usize, trial: u32) -> u64 {
        let name = self.drawn_as();
        // FNV-1a of the name; SplitMix64 to mix in the rest.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        [size as u64, u64::from(trial), base].iter().fold(hash, |hash, part| mix(hash ^ mix(*part)))
    }

    /// The scenario whose draws these are.
    pub(crate) fn drawn_as(&self) -> &str {
        self.same_draws_as.as_ref().unwrap_or(&self.name)
    }

    /// What makes results comparable: rows under one name must have one definition.
    pub fn definition(&self) -> Value {
        json!({ "simulation": self.at(0), "same_draws_as": self.same_draws_as })
    }
}

impl Contender {
    /// A method with options under a name.
    pub fn new(name: impl Into<String>, options: Options) -> Self {
        Self { name: name.into(), options, repeats: 1, max_size: None, max_trials: None }
    }

    /// What makes results comparable: rows under one name must have one definition.
    pub fn definition(&self) -> Value {
        json!({ "options": self.options, "repeats": self.repeats })
    }

    /// Trials of this method at a size, of `trials` in the grid.
    pub fn trials(&self, trials: u32, size: usize) -> u32 {
        match self.max_size {
            Some(limit) if size > limit => 0,
            _ => trials.min(self.max_trials.unwrap_or(u32::MAX)),
        }
    }
}

impl Grid {
    /// The preset of this name.
    ///
    /// ```
    /// use nocurl_bench::Grid;
    /// assert_eq!(Grid::preset("paper")?, Grid::preset("paper-linear")?);
    /// let error = Grid::preset("paper-lienar").unwrap_err().to_string();
    /// assert!(error.starts_with("unknown preset `paper-lienar`: did you mean `paper-linear`?"));
    /// # Ok::<(), nocurl_bench::Error>(())
    /// ```
    ///
    /// # Errors
    /// An unknown name, with the closest known one.
    pub fn preset(name: &str) -> Result<Self, Error> {
        preset::find(name).ok_or_else(|| {
            let grids = preset::NAMES.iter().map(|&(name, _)| name);
            unknown("preset", name, grids.chain(preset::STUDIES), " or a .toml file")
        })
    }

    /// Names of the presets, with what they are.
    pub fn presets() -> &'static [(&'static str, &'static str)] {
        preset::NAMES
    }

    /// A grid from the text of a TOML file:
    ///
    /// ```
    /// use nocurl_bench::Grid;
    /// let grid = Grid::from_toml(r#"
    ///     name = "chains"
    ///     trials = 10
    ///     sizes = [10, 20]
    ///
    ///     [[scenario]]          # `nocurl simulate` has the same settings
    ///     name = "chain"
    ///     graph = "chain"
    ///     rows = 500
    ///
    ///     [[method]]            # `nocurl methods` lists methods and parameters
    ///     name = "NoCurl-1"
    ///     method = "nocurl"
    ///     lambdas = [100]
    ///     center = false
    ///
    ///     [[method]]
    ///     method = "eq-td"
    ///     prune = "ebic"
    ///     threshold = 0.3
    ///     max_size = 1000
    /// "#)?;
    /// assert_eq!(grid.contenders[1].name, "eq-td");
    /// # Ok::<(), nocurl_bench::Error>(())
    /// ```
    ///
    /// # Errors
    /// Text that is no TOML, or a setting that is unknown, missing or out of range, by its name.
    pub fn from_toml(text: &str) -> Result<Self, Error> {
        let table: Map<String, Value> = toml::from_str(text).map_err(|error| {
            let before = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count() + 1;
            Error::Input(format!("line {line}: {}", error.message().replace('\n', " ")))
        })?;
        let mut fields = Fields::new("the grid", table);
        let list = |value: Option<Value>, what: &str| match value {
            Some(Value::Array(entries)) if !entries.is_empty() => Ok(entries),
            _ => Err(Error::Input(format!("there is no [[{what}]] in the grid"))),
        };
        let scenarios = list(fields.take("scenario"), "scenario")?;
        let methods = list(fields.take("method"), "method")?;
        let grid = Self {
            name: fields.required("name")?,
            trials: fields.optional("trials")?.unwrap_or(preset::TRIALS),
            sizes: fields.required("sizes")?,
            scenarios: scenarios.into_iter().map(scenario).collect::<Result<_, _>>()?,
            contenders: methods.into_iter().map(contender).collect::<Result<_, _>>()?,
        };
        fields.finish(["name", "trials", "sizes", "scenario", "method"])?;
        grid.validate()?;
        Ok(grid)
    }

    /// Only the scenarios of these names; all without any.
    ///
    /// # Errors
    /// A name that is not in the grid, with the closest one that is.
    pub fn with_scenarios(mut self, names: &[String]) -> Result<Self, Error> {
        self.scenarios = chosen("scenario", self.scenarios, names, |scenario| &scenario.name)?;
        Ok(self)
    }

    /// Only the contenders of these names; all without any.
    ///
    /// # Errors
    /// A name that is not in the grid, with the closest one that is.
    pub fn with_methods(mut self, names: &[String]) -> Result<Self, Error> {
        self.contenders = chosen("method", self.contenders, names, |contender| &contender.name)?;
        Ok(self)
    }

    /// Checks what no single field can say.
    ///
    /// # Errors
    /// A name that occurs twice or cannot be written, or nothing to run.
    pub fn validate(&self) -> Result<(), Error> {
        let input = |message: &str| Err(Error::Input(message.into()));
        if self.trials == 0 {
            return input("`trials` is 0: at least 1 is needed");
        }
        if self.sizes.is_empty() || self.sizes.iter().any(|&size| size < 2) {
            return input("`sizes` must be numbers of variables, from 2 upwards");
        }
        // The folder for results is named after the grid.
        if self.name.is_empty() || self.name.len() > 100 || self.name.contains(['/', '\\']) {
            return input(&format!(
                "`name` is `{}`: it must be fit for a folder, without slashes and of 1 to 100 \
                 characters",
                self.name.escape_debug()
            ));
        }
        let mut seen = BTreeSet::new();
        let scenarios = self.scenarios.iter().map(|scenario| ("scenario", &scenario.name));
        let contenders = self.contenders.iter().map(|contender| ("method", &contender.name));
        let names = scenarios.clone().chain(contenders.clone());
        if let Some((_, name)) = names
            .chain([("grid", &self.name)])
            .find(|(_, name)| name.chars().any(|c| c.is_control() || is_bidirectional(c)))
        {
            let name = name.escape_debug();
            return input(&format!("the name `{name}` holds characters that cannot be shown"));
        }
        match scenarios.chain(contenders).find(|entry| !seen.insert(*entry)) {
            Some((kind, name)) => input(&format!(
                "two entries of [[{kind}]] are named `{name}`: give each a `name` of its own"
            )),
            None => Ok(()),
        }
    }
}

/// Characters that change the direction of the text after them.
fn is_bidirectional(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn chosen<T>(
    kind: &str,
    all: Vec<T>,
    names: &[String],
    name: impl Fn(&T) -> &String,
) -> Result<Vec<T>, Error> {
    if let Some(stranger) = names.iter().find(|wanted| !all.iter().any(|one| name(one) == *wanted))
    {
        return Err(unknown(kind, stranger, all.iter().map(|one| name(one).as_str()), ""));
    }
    Ok(all.into_iter().filter(|one| names.is_empty() || names.contains(name(one))).collect())
}

fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    or: &str,
) -> Error {
    let like = closest(name, known.clone())
        .map_or_else(String::new, |like| format!(": did you mean `{like}`?"));
    let known: Vec<&str> = known.collect();
    Error::Input(format!("unknown {kind} `{name}`{like} (there are {}{or})", known.join(", ")))
}

fn scenario(value: Value) -> Result<Scenario, Error> {
    let mut fields = Fields::entry("scenario", value)?;
    let same_draws_as = fields.optional("same_draws_as")?;
    let name: String = fields.required("name")?;
    let simulation = fields.rest(
        serde_json::from_value,
        &Simulation::default(),
        &["name", "same_draws_as"],
        &["variables"],
    )?;
    Ok(Scenario { name, simulation, same_draws_as })
}

fn contender(value: Value) -> Result<Contender, Error> {
    const OWN: [&str; 9] = [
        "name",
        "method",
        "center",
        "refine",
        "prune",
        "threshold",
        "repeats",
        "max_size",
        "max_trials",
    ];
    let mut fields = Fields::entry("method", value)?;
    let method: String = fields.required("method")?;
    let defaults = Algorithm::from_name(&method).map_err(|error| fields.told(&error))?;
    let options = Options {
        center: fields.optional("center")?.unwrap_or(true),
        refine: fields.optional("refine")?,
        prune: match fields.take("prune") {
            // Rules without parameters go by their name alone.
            Some(Value::String(rule)) => fields.read("prune", json!({ "rule": rule })).map(Some)?,
            Some(rule) => fields.read("prune", rule).map(Some)?,
            None => None,
        },
        threshold: fields.optional("threshold")?,
        ..Options::default()
    };
    let mut contender = Contender {
        name: fields.optional("name")?.unwrap_or_else(|| method.clone()),
        options,
        repeats: fields.optional("repeats")?.unwrap_or(1).max(1),
        max_size: fields.optional("max_size")?,
        max_trials: fields.optional("max_trials")?,
    };
    let tagged = |settings: Value| {
        let mut settings = settings;
        settings["method"] = Value::String(method.clone());
        serde_json::from_value(settings)
    };
    contender.options.algorithm = fields.rest(tagged, &defaults, &OWN, &["method"])?;
    Ok(contender)
}

/// The fields of a table, taken out one by one so that what is left over is unknown.
struct Fields {
    place: String,
    fields: Map<String, Value>,
}

impl Fields {
    fn new(place: &str, fields: Map<String, Value>) -> Self {
        Self { place: place.into(), fields }
    }

    /// An entry of `[[kind]]`, called by its name where it has one.
    fn entry(kind: &str, value: Value) -> Result<Self, Error> {
        let Value::Object(fields) = value else {
            return Err(Error::Input(format!("`{kind}` must be a list of tables: [[{kind}]]")));
        };
        let name = fields.get("name").or(fields.get("method")).and_then(Value::as_str);
        let place = format!("{kind} `{}`", name.unwrap_or("without a name"));
        Ok(Self { place, fields })
    }

    fn told(&self, error: &dyn std::fmt::Display) -> Error {
        Error::Input(format!("{}: {error}", self.place))
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.fields.remove(name)
    }

    fn read<T: DeserializeOwned>(&self, name: &str, value: Value) -> Result<T, Error> {
        serde_json::from_value(value)
            .map_err(|error| Error::Input(format!("{}: `{name}`: {error}", self.place)))
    }

    fn optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Error> {
        self.take(name).map(|value| self.read(name, value)).transpose()
    }

    fn required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Error> {
        self.optional(name)?.ok_or_else(|| self.told(&format!("`{name}` is missing")))
    }

    /// What is left, laid over the defaults of an engine type whose fields are its settings.
    /// `own` are the fields taken before, `inner` those of the type that are not settings.
    fn rest<T: serde::Serialize + DeserializeOwned>(
        self,
        build: impl Fn(Value) -> serde_json::Result<T>,
        defaults: &T,
        own: &[&str],
        inner: &[&str],
    ) -> Result<T, Error> {
        let mut settings = match serde_json::to_value(defaults) {
            Ok(Value::Object(settings)) => settings,
            _ => Map::new(),
        };
        inner.iter().for_each(|name| drop(settings.remove(*name)));
        if let Some(name) = self.fields.keys().find(|name| !settings.contains_key(*name)) {
            let known = own.iter().copied().chain(settings.keys().map(String::as_str));
            return Err(self.told(&unknown("field", name, known, "")));
        }
        for (name, value) in &self.fields {
            let mut one = settings.clone();
            one.insert(name.clone(), value.clone());
            // One by one, since the engine's errors do not all name the field.
            build(Value::Object(one.clone()))
                .map_err(|error| Error::Input(format!("{}: `{name}`: {error}", self.place)))?;
            settings = one;
        }
        build(Value::Object(settings)).map_err(|error| self.told(&error))
    }

    fn finish<const N: usize>(self, known: [&str; N]) -> Result<(), Error> {
        match self.fields.keys().next() {
            Some(name) => Err(self.told(&unknown("field", name, known.into_iter(), ""))),
            None => Ok(()),
        }
    }
}
