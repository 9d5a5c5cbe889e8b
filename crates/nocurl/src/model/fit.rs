//! Mechanisms from moments and rows.

use std::collections::{BTreeMap, BTreeSet};

use super::mechanism::has_levels;
use super::regression::regress;
use super::{Counts, Experiment, Linear, Logistic, Mechanism, Model, Regime, Term, logistic};
use crate::core::experiments::Intervention;
use crate::core::moments::Part;
use crate::core::parallel::*;
use crate::core::{Codes, Data, Dataset, Error, Kind, Mat, Moments, Pdag, Targets, Variables};
use crate::math::levels_seen;
use crate::pipeline::{Fit, Options};

/// Linear mechanisms with more coefficients keep no covariance: files would grow with its square.
const MOST_FOR_COVARIANCE: usize = 40;

/// What a model is fitted from.
#[derive(Debug, Clone, Copy)]
pub struct Fitting<'a> {
    /// The data of the fit.
    pub data: Data<'a>,
    /// All rows, where they are available: mechanisms of categories need them. Some of the
    /// variables may be missing from them.
    pub rows: Option<&'a Dataset>,
    /// Whether the rows behind the moments were observed, so that standard errors hold; not where
    /// missing values were estimated.
    pub precise: bool,
}

impl Model {
    /// The model on exactly the edges of a fit: `class` are the graphs that are as good as its graph.
    ///
    /// Numbers follow from their parents by least squares with an intercept, whatever the options of
    /// the fit say about centring. Variables with levels follow by smoothed counts where their
    /// parents have levels too, otherwise by multinomial logistic regression. With experiments, a
    /// variable is fitted to every row of the conditions that do not act on it.
    ///
    /// Cost O(k^3) per variable with k parents, and a pass over the rows for variables with levels.
    ///
    /// # Errors
    /// Data that the fit is not of.
    pub fn fit(
        from: Fitting<'_>,
        options: &Options,
        fit: &Fit,
        class: Pdag,
    ) -> Result<Self, Error> {
        let moments = from.data.moments_for(&options.experiments)?;
        let moments = levels_seen(&moments);
        if moments.names() != fit.variables.names() || fit.dag.size() != moments.columns() {
            return Err(Error::DifferentVariables { what: "graph and data" });
        }
        let targets = options.experiments.resolve(moments.variables())?;
        let codes = from.data.codes();
        let rows = match (from.rows, from.data.rows(), codes.as_deref()) {
            (Some(rows), ..) | (None, Some(rows), _) => Some(Rows::of_dataset(rows, &moments)),
            (None, None, Some(codes)) => {
                Some(Rows::of_codes(codes, from.data.moments().variables(), &moments))
            }
            _ => None,
        };
        let fitter =
            Fitter { moments: &moments, targets: targets.as_ref(), rows, precise: from.precise };
        let parents: Vec<Vec<usize>> =
            (0..fit.dag.size()).map(|v| fit.dag.parents(v).collect()).collect();
        let mechanisms: Vec<Mechanism> = (0..parents.len())
            .into_par_iter()
            .map(|v| fitter.mechanism(v, &parents[v]))
            .collect::<Result<_, Error>>()?;
        let spreads = fitter.spreads();
        let model =
            Self::new(moments.variables().clone(), mechanisms, class)?.with_spreads(spreads);
        match &targets {
            None => Ok(model),
            Some(targets) => {
                let control = control(targets, &moments, options.experiments.control.as_deref());
                let targets = fitter.regimes(targets, &parents)?;
                model.with_experiment(Experiment {
                    condition: fitter.condition(),
                    control,
                    targets,
                })
            }
        }
    }
}

/// The control: the level that is named, else one called `control`, else the most common of those
/// that act on nothing known, else the most common of all.
fn control(targets: &Targets, moments: &Moments, named: Option<&str>) -> usize {
    let variable = &moments.variables().list()[targets.condition];
    if let Some(level) = variable.level(named.unwrap_or("control")) {
        return level;
    }
    let shares = shares(moments, targets.condition);
    let acts = |level: usize| !targets.of[level].is_empty();
    let key = |level: usize| (!acts(level), shares[level]);
    let better = |a: usize, b: usize| {
        let (a, b) = (key(a), key(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).is_gt()
    };
    (0..shares.len())
        .reduce(|best, level| if better(level, best) { level } else { best })
        .unwrap_or(0)
}

/// The share of each level of a variable.
fn shares(moments: &Moments, variable: usize) -> Vec<f64> {
    let variables = moments.variables();
    let means = &moments.mean()[variables.columns(variable)];
    let base = 1.0 - means.iter().sum::<f64>();
    std::iter::once(base.max(0.0)).chain(means.iter().copied()).collect()
}

/// Levels of rows, as positions among the levels of the fit.
struct Rows<'a> {
    source: Source<'a>,
    /// The column of each variable, where the rows have it.
    places: Vec<Option<usize>>,
    /// By variable: what each code of the source is among the levels of the fit.
    codes: Vec<Vec<usize>>,
}

enum Source<'a> {
    Dataset(&'a Dataset),
    Codes(&'a Codes),
}

impl<'a> Rows<'a> {
    fn of_dataset(rows: &'a Dataset, moments: &Moments) -> Self {
        Self::new(Source::Dataset(rows), rows.variables(), moments)
    }

    fn of_codes(codes: &'a Codes, variables: &Variables, moments: &Moments) -> Self {
        Self::new(Source::Codes(codes), variables, moments)
    }

    fn new(source: Source<'a>, own: &Variables, moments: &Moments) -> Self {
        let list = moments.variables().list();
        let places: Vec<Option<usize>> = list
            .iter()
            .map(|variable| own.names().iter().position(|name| *name == variable.name))
            .collect();
        let codes = list.iter().zip(&places).map(|(variable, place)| match place {
            None => Vec::new(),
            Some(place) => {
                let levels = own.list()[*place].levels.iter();
                levels.map(|level| variable.level(level).unwrap_or(0)).collect()
            }
        });
        Self { source, codes: codes.collect(), places }
    }

    fn has(&self, variables: impl IntoIterator<Item = usize>) -> bool {
        variables.into_iter().all(|v| self.places[v].is_some())
    }

    fn count(&self) -> usize {
        match &self.source {
            Source::Dataset(rows) => rows.values().nrows(),
            Source::Codes(codes) => codes.rows(),
        }
    }

    /// How often a row counts.
    fn times(&self, i: usize) -> f64 {
        match &self.source {
            Source::Codes(codes) => codes.counts().map_or(1.0, |counts| f64::from(counts[i])),
            Source::Dataset(_) => 1.0,
        }
    }

    /// A value: a number, or the position of a level.
    fn value(&self, i: usize, v: usize) -> f64 {
        let Some(place) = self.places[v] else { return f64::NAN };
        let value = match &self.source {
            Source::Dataset(rows) => rows.values()[(i, place)],
            Source::Codes(codes) => f64::from(codes.column(place)[i]),
        };
        match self.codes[v].get(value as usize) {
            Some(&level) => level as f64,
            None => value,
        }
    }
}

struct Fitter<'a> {
    moments: &'a Moments,
    targets: Option<&'a Targets>,
    rows: Option<Rows<'a>>,
    precise: bool,
}

impl Fitter<'_> {
    fn variables(&self) -> &Variables {
        self.moments.variables()
    }

    fn condition(&self) -> usize {
        self.targets.map_or(usize::MAX, |targets| targets.condition)
    }

    /// Whether a variable has probabilities of levels. Conditions always have.
    fn has_levels(&self, v: usize) -> bool {
        v == self.condition() || has_levels(self.variables(), v)
    }

    /// The conditions that act on a variable.
    fn acting(&self, v: usize) -> Vec<(usize, Intervention)> {
        self.targets.map_or_else(Vec::new, |targets| targets.acting_on(v).collect())
    }

    fn spreads(&self) -> Vec<Option<f64>> {
        let variances = self.moments.variances();
        let of = |v: usize| match self.variables().list()[v].kind {
            Kind::Categorical => None,
            _ => Some(variances[self.variables().columns(v).start].sqrt()),
        };
        (0..self.variables().size()).map(of).collect()
    }

    /// The mechanism by the rows of the conditions that do not act on a variable.
    fn mechanism(&self, v: usize, parents: &[usize]) -> Result<Mechanism, Error> {
        let acting: BTreeSet<usize> = self.acting(v).into_iter().map(|(level, _)| level).collect();
        let free = move |level: usize| !acting.contains(&level);
        match self.has_levels(v) {
            true => self.levels(v, parents, &free),
            false => Ok(Mechanism::Linear(self.linear(v, parents, &free))),
        }
    }

    /// Mechanisms in the conditions that act on variables.
    fn regimes(
        &self,
        targets: &Targets,
        parents: &[Vec<usize>],
    ) -> Result<BTreeMap<(usize, usize), Regime>, Error> {
        let mut found = BTreeMap::new();
        let present = self.moments.conditions().map(|all| all.rows()).unwrap_or_default();
        for (level, of) in targets.of.iter().enumerate() {
            if present.get(level).is_none_or(|&rows| rows == 0) {
                continue;
            }
            for &(v, kind) in of {
                let set = kind == Intervention::Perfect;
                let own: Vec<usize> = match set {
                    true => Vec::new(),
                    false => {
                        let others = parents[v].iter().copied();
                        others.filter(|&parent| parent != targets.condition).collect()
                    }
                };
                let only = |other: usize| other == level;
                let mechanism = match self.has_levels(v) {
                    true => self.levels(v, &own, &only)?,
                    false => Mechanism::Linear(self.linear(v, &own, &only)),
                };
                found.insert((level, v), Regime { mechanism, set });
            }
        }
        Ok(found)
    }

    /// Least squares over the rows of some conditions.
    fn linear(&self, v: usize, parents: &[usize], free: &dyn Fn(usize) -> bool) -> Linear {
        let part = self.moments_of(v, parents, free);
        let variables = part.variables();
        let places: Vec<usize> = (0..parents.len()).collect();
        let columns: Vec<usize> = places.iter().flat_map(|&p| variables.columns(p)).collect();
        let own = variables.columns(parents.len()).start;
        let used: Vec<usize> = columns.iter().copied().chain([own]).collect();
        let whole = part.second_moments(true);
        let s = Mat::from_fn(used.len(), used.len(), |a, b| whole[(used[a], used[b])]);
        let found = regress(s.as_ref());
        let mean = part.mean();
        let explained: f64 =
            columns.iter().zip(&found.coefficients).map(|(&c, b)| mean[c] * b).sum();
        let mut at = 0;
        let terms = places.iter().map(|&p| {
            let width = variables.columns(p).len();
            let coefficients = found.coefficients[at..at + width].to_vec();
            at += width;
            Term { variable: parents[p], coefficients }
        });
        let terms: Vec<Term> = terms.collect();
        let n = part.weight();
        let width = columns.len();
        let freedom = n - width as f64 - 1.0;
        // A variable that is constant where nothing acts on it keeps what rounding can see.
        let floor = f64::EPSILON * (mean[own] * mean[own]).max(f64::MIN_POSITIVE);
        let variance = found.residual.max(floor).max(f64::MIN_POSITIVE);
        let known = self.precise && width <= MOST_FOR_COVARIANCE && freedom > 0.0;
        let scale = variance / freedom;
        let covariance = match known {
            true => (0..width)
                .flat_map(|a| (0..=a).map(move |b| (a, b)))
                .map(|(a, b)| found.inverse[(a, b)] * scale)
                .collect(),
            false => Vec::new(),
        };
        let rows = if self.precise { n } else { 0.0 };
        Linear { terms, intercept: mean[own] - explained, variance, rows, covariance }
    }

    /// Moments of the parents and, last, the variable, over the rows of some conditions.
    fn moments_of(&self, v: usize, parents: &[usize], free: &dyn Fn(usize) -> bool) -> Moments {
        let mut chosen: Vec<usize> = parents.to_vec();
        chosen.push(v);
        let Some(all) = self.moments.conditions() else { return self.moments.select(&chosen) };
        let levels = all.rows().len();
        if (0..levels).all(free) {
            return self.moments.select(&chosen);
        }
        let condition = self.condition();
        if !chosen.contains(&condition) {
            chosen.push(condition);
        }
        let Some(mut part) = all.select(self.variables(), &chosen) else {
            return self.moments.select(&chosen);
        };
        let variables = self.variables().select(&chosen);
        let width = variables.width() - self.variables().columns(condition).len();
        for level in (0..levels).filter(|&level| !free(level)) {
            part.set(level, Part::new(width));
        }
        Moments::of_conditions(variables, part)
    }

    /// A mechanism of levels.
    fn levels(
        &self,
        v: usize,
        parents: &[usize],
        free: &dyn Fn(usize) -> bool,
    ) -> Result<Mechanism, Error> {
        let counted = parents.iter().all(|&p| self.has_levels(p));
        let needed = parents.iter().copied().chain([v]);
        let rows = self.rows.as_ref().filter(|rows| {
            let condition = self.targets.map(|targets| targets.condition);
            rows.has(needed) && rows.has(condition)
        });
        match rows {
            None if counted && parents.len() <= 1 => {
                Ok(Mechanism::Counts(self.counts_by_moments(v, parents, free)))
            }
            None => Ok(Mechanism::Unfitted(parents.to_vec())),
            Some(rows) if counted => Ok(Mechanism::Counts(self.counts(rows, v, parents, free))),
            Some(rows) => self.logistic(rows, v, parents, free).map(Mechanism::Logistic),
        }
    }

    fn is_used(&self, rows: &Rows<'_>, i: usize, free: &dyn Fn(usize) -> bool) -> bool {
        match self.targets {
            None => true,
            Some(targets) => free(rows.value(i, targets.condition) as usize),
        }
    }

    fn counts(
        &self,
        rows: &Rows<'_>,
        v: usize,
        parents: &[usize],
        free: &dyn Fn(usize) -> bool,
    ) -> Counts {
        let levels = self.variables().list()[v].levels.len();
        let mut counts = Counts {
            parents: parents.to_vec(),
            overall: vec![0.0; levels],
            table: BTreeMap::new(),
        };
        let mut given = vec![0; parents.len()];
        for i in (0..rows.count()).filter(|&i| self.is_used(rows, i, free)) {
            let (own, times) = (rows.value(i, v) as usize, rows.times(i));
            counts.overall[own] += times;
            if parents.is_empty() {
                continue;
            }
            given.iter_mut().zip(parents).for_each(|(to, &p)| *to = rows.value(i, p) as usize);
            match counts.table.get_mut(&given) {
                Some(row) => row[own] += times,
                None => {
                    let mut row = vec![0.0; levels];
                    row[own] += times;
                    counts.table.insert(given.clone(), row);
                }
            }
        }
        counts
    }

    /// The same for at most one parent: products of indicators are joint counts.
    fn counts_by_moments(
        &self,
        v: usize,
        parents: &[usize],
        free: &dyn Fn(usize) -> bool,
    ) -> Counts {
        let part = self.moments_of(v, parents, free);
        let (variables, n) = (part.variables(), part.weight());
        let own = parents.len();
        let count = |share: f64| (share * n).round().max(0.0);
        let overall: Vec<f64> = shares(&part, own).into_iter().map(count).collect();
        let mut table = BTreeMap::new();
        if let [_] = parents {
            let s = part.second_moments(false);
            let of_parent = shares(&part, 0);
            let (rows, columns) = (variables.columns(0), variables.columns(own));
            let both = |a: usize, b: usize| s[(rows.start + a - 1, columns.start + b - 1)];
            let (of_own, last) = (shares(&part, own), columns.len());
            for a in 0..of_parent.len() {
                let mut shares = vec![0.0; last + 1];
                for (b, share) in shares.iter_mut().enumerate().skip(1) {
                    *share = match a {
                        0 => of_own[b] - (1..of_parent.len()).map(|a| both(a, b)).sum::<f64>(),
                        a => both(a, b),
                    };
                }
                shares[0] = of_parent[a] - shares[1..].iter().sum::<f64>();
                table.insert(vec![a], shares.into_iter().map(count).collect());
            }
        }
        Counts { parents: parents.to_vec(), overall, table }
    }

    fn logistic(
        &self,
        rows: &Rows<'_>,
        v: usize,
        parents: &[usize],
        free: &dyn Fn(usize) -> bool,
    ) -> Result<Logistic, Error> {
        let list = self.variables().list();
        let levels = list[v].levels.len();
        let used: Vec<usize> = (0..rows.count()).filter(|&i| self.is_used(rows, i, free)).collect();
        let widths: Vec<usize> =
            parents.iter().map(|&p| self.variables().columns(p).len()).collect();
        let mut columns = Mat::zeros(used.len(), widths.iter().sum());
        let mut at = 0;
        for (&p, &width) in parents.iter().zip(&widths) {
            for offset in 0..width {
                let column = columns.col_as_slice_mut(at + offset);
                for (to, &i) in column.iter_mut().zip(&used) {
                    let value = rows.value(i, p);
                    *to = match list[p].kind {
                        Kind::Categorical => f64::from(u8::from(value == (offset + 1) as f64)),
                        _ => value,
                    };
                }
            }
            at += width;
        }
        let labels: Vec<usize> = used.iter().map(|&i| rows.value(i, v) as usize).collect();
        let fitted = logistic::fit(columns.as_ref(), &labels, levels)?;
        let terms = |coefficients: Vec<f64>| -> Vec<Term> {
            let mut rest = coefficients.into_iter();
            let of = |(&variable, &width): (&usize, &usize)| Term {
                variable,
                coefficients: rest.by_ref().take(width).collect(),
            };
            parents.iter().zip(&widths).map(of).collect()
        };
        Ok(Logistic {
            parents: parents.to_vec(),
            intercepts: fitted.intercepts,
            levels: fitted.coefficients.into_iter().map(terms).collect(),
        })
    }
}
