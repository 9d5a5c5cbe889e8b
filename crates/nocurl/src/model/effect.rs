//! Effects of one variable on another: point values, intervals, and ranges over the class.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::class_effects::{MOST_SETS, effects_over_class};
use super::expectation::{Answer, Settings};
use super::mechanism::of_term;
use super::{Law, Linear, Mechanism, Model, Regime, effects};
use crate::core::{Error, Kind, Mat};

/// With more variables, intervals are computed for single pairs only.
const MOST_FOR_INTERVALS: usize = 500;

/// One entry of an effect: what goes with a change of the cause, in one column of the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The level that the cause changes to, from its reference level; nothing for one unit more of a
    /// number.
    pub from_level: Option<usize>,
    /// The level whose probability changes; nothing where the mean of a number does.
    pub to_level: Option<usize>,
    /// The change.
    pub value: f64,
    /// Its confidence interval, where there is one: for linear mechanisms fitted to rows.
    pub interval: Option<[f64; 2]>,
    /// Its value for each set of parents that the cause has in some graph of the class, where these
    /// differ and are known.
    pub values: Option<Vec<f64>>,
}

impl Effect {
    /// The smallest and the largest value over the graphs of the class.
    pub fn range(&self) -> Option<[f64; 2]> {
        let values = self.values.as_ref()?;
        Some(values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &value| {
            [low.min(value), high.max(value)]
        }))
    }
}

/// The effects of one variable on all others.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectsOf {
    /// The cause.
    pub cause: usize,
    /// By target: the entries, or nothing where no graph of the class has a directed path.
    pub on: Vec<Vec<Effect>>,
    /// By target: whether all graphs of the class agree on the effect.
    pub identified: Vec<bool>,
    /// Whether some effects come from [`Model::DRAWS`] simulated rows rather than a closed form.
    pub simulated: bool,
}

/// Changes of all variables with one change of the cause.
struct Change {
    from_level: Option<usize>,
    /// By variable, then by column of [`Model::answer_levels`].
    of: Vec<Vec<f64>>,
    intervals: Vec<Option<[f64; 2]>>,
    simulated: bool,
}

impl Model {
    /// The effects of one variable on all others along all directed paths: the change of a mean, or
    /// of the probability of a level, per unit of a number or for a change from the reference level
    /// to another.
    ///
    /// All numbers are on the learnt scales. Where a category on the way depends on numbers, the
    /// effect of a number is its average slope between one standard deviation below and above its
    /// mean. Intervals have the given `level`, by the delta method with t quantiles; they are there
    /// where all mechanisms on the way are linear and their precision is known.
    ///
    /// `target` asks for one effect only.
    ///
    /// # Errors
    /// Mechanisms without rows that the effect depends on.
    ///
    /// ```
    /// use nocurl::model::{Linear, Mechanism, Model, Term};
    /// use nocurl::{Dag, Pdag, Variable};
    /// let term = |variable, c| Term { variable, coefficients: vec![c] };
    /// let linear = |terms| Mechanism::Linear(Linear::new(terms, 0.0, 1.0));
    /// let mechanisms =
    ///     vec![linear(vec![]), linear(vec![term(0, 2.0)]), linear(vec![term(0, 1.0), term(1, 3.0)])];
    /// let class = Pdag::of_dag(&Dag::from_edges(3, &[(0, 1), (0, 2), (1, 2)])?);
    /// let variables = ["x", "m", "y"].map(Variable::continuous).to_vec();
    /// let model = Model::new(variables, mechanisms, class)?;
    /// assert_eq!(model.effects_of(0, None, 0.95)?.on[2][0].value, 2.0 * 3.0 + 1.0);
    /// # Ok::<(), nocurl::Error>(())
    /// ```
    ///
    /// # Panics
    /// When `cause` or `target` is not a variable.
    pub fn effects_of(
        &self,
        cause: usize,
        target: Option<usize>,
        level: f64,
    ) -> Result<EffectsOf, Error> {
        let d = self.size();
        let below = self.descendants(cause);
        let wanted = |v: usize| target.is_none_or(|target| target == v);
        let identified = self.identified(&[cause]);
        let changes = self.changes(cause, target, &below, level)?;
        let over_class = match identified.iter().enumerate().any(|(v, &known)| wanted(v) && !known)
        {
            true => self.class_values(cause),
            false => None,
        };
        let mut on = vec![Vec::new(); d];
        for v in (0..d).filter(|&v| v != cause && wanted(v)) {
            let open = !identified[v];
            let ranged = over_class.as_ref().filter(|_| open);
            let values = ranged.map(|rows| rows.iter().map(|row| row[v]).collect::<Vec<f64>>());
            let possible = values.iter().flatten().any(|&value| value != 0.0);
            if !below[v] && !possible && target.is_none() {
                continue;
            }
            for change in &changes {
                for (k, to_level) in self.answer_levels(v).into_iter().enumerate() {
                    on[v].push(Effect {
                        from_level: change.from_level,
                        to_level,
                        value: change.of[v][k],
                        interval: change.intervals[v].filter(|_| below[v]),
                        values: values.clone(),
                    });
                }
            }
        }
        let simulated = changes.iter().any(|change| change.simulated);
        Ok(EffectsOf { cause, on, identified, simulated })
    }

    /// For each variable, whether all graphs of the class agree on the effect of setting `set`.
    pub fn identified(&self, set: &[usize]) -> Vec<bool> {
        if !self.skeleton {
            return effects::identified(&self.class, set);
        }
        let edges: Vec<(usize, usize)> = self.graph.edges().map(|(i, j, _)| (i, j)).collect();
        let open = crate::core::Pdag::new(self.size(), &[], &edges);
        open.map_or_else(|_| vec![false; self.size()], |open| effects::identified(&open, set))
    }

    /// Sets to adjust for, so that a regression gives the effect of `cause` on `effect`; nothing
    /// where the effect is 0 or depends on undetermined directions.
    pub fn adjustment(&self, cause: usize, effect: usize) -> Option<super::adjustment::Adjustment> {
        match self.skeleton {
            true => None,
            false => super::adjustment::adjustment(&self.class, cause, effect),
        }
    }

    /// Descendants of a variable in the drawn graph, without itself; of a condition, its targets and
    /// theirs as well.
    fn descendants(&self, of: usize) -> Vec<bool> {
        let mut below = vec![false; self.size()];
        let acts = |v: usize| {
            self.experiment.as_ref().is_some_and(|e| e.condition == of) && self.is_target(v)
        };
        for &v in self.graph.order() {
            let follows =
                acts(v) || self.graph.parents(v).any(|parent| parent == of || below[parent]);
            below[v] = follows && v != of;
        }
        // A target may come before the condition in the order.
        if (0..self.size()).any(acts) {
            for &v in self.graph.order() {
                below[v] |= v != of && self.graph.parents(v).any(|parent| below[parent]);
            }
        }
        below
    }

    /// The values of effects over the class, for numbers: one row per set of parents.
    fn class_values(&self, cause: usize) -> Option<Vec<Vec<f64>>> {
        if let Some(experiment) = &self.experiment {
            if cause == experiment.condition {
                return None;
            }
            // The condition is a source that stays as it is.
            let gone = experiment.condition;
            let model = self.at_control().ok()?;
            let place = |v: usize| v - usize::from(v > gone);
            let rows = model.class_values(place(cause))?;
            let back = |row: Vec<f64>| -> Vec<f64> {
                let of = |v: usize| if v == gone { 0.0 } else { row[place(v)] };
                (0..self.size()).map(of).collect()
            };
            return Some(rows.into_iter().map(back).collect());
        }
        // A skeleton leaves every direction open, also those of its colliders.
        if self.law() != Law::Gaussian || self.skeleton {
            return None;
        }
        let covariance = self.covariance()?;
        let mut rows = effects_over_class(&self.class, covariance.as_ref(), cause)?;
        debug_assert!(rows.len() <= MOST_SETS);
        // What is rounding next to the standard deviations of both ends is no effect.
        let unit = |v: usize| (covariance[(v, v)] / covariance[(cause, cause)]).sqrt();
        for row in &mut rows {
            for (v, value) in row.iter_mut().enumerate() {
                if value.abs() <= 1e-12 * unit(v) {
                    *value = 0.0;
                }
            }
        }
        Some(rows)
    }

    /// One change for a number, or one per level except the reference.
    fn changes(
        &self,
        cause: usize,
        target: Option<usize>,
        below: &[bool],
        level: f64,
    ) -> Result<Vec<Change>, Error> {
        let needed: Vec<usize> = match target {
            None => (0..self.size()).filter(|&v| below[v]).collect(),
            Some(target) => {
                let above = self.ancestors(target);
                (0..self.size()).filter(|&v| below[v] && above[v]).collect()
            }
        };
        self.check_fitted(needed.iter().copied())?;
        let is_condition =
            self.experiment.as_ref().is_some_and(|experiment| experiment.condition == cause);
        // Targets with a mechanism on the way that is not linear.
        let mut curved = vec![false; self.size()];
        for &v in self.graph.order().iter().filter(|&&v| below[v]) {
            curved[v] = is_condition
                || self.mechanisms[v].linear().is_none()
                || self.graph.parents(v).any(|parent| curved[parent]);
        }
        let straight: Vec<usize> = needed.iter().copied().filter(|&v| !curved[v]).collect();
        let any_curved = needed.iter().any(|&v| curved[v]);
        let reference = self.reference(cause);
        let list = self.answer_levels(cause);
        list.into_iter()
            .map(|to| {
                let mut change = self.linear_change(cause, to, &straight, level, target);
                if any_curved {
                    let other = self.difference(cause, to, reference)?;
                    change.simulated = other.simulated;
                    let all = change.of.iter_mut().zip(other.of).zip(&curved);
                    for ((own, other), _) in all.filter(|(_, curved)| **curved) {
                        *own = other;
                    }
                }
                Ok(change)
            })
            .collect()
    }

    /// Ancestors of a variable, itself included.
    fn ancestors(&self, of: usize) -> Vec<bool> {
        let mut above = vec![false; self.size()];
        above[of] = true;
        for &v in self.graph.order().iter().rev() {
            if above[v] {
                self.graph.parents(v).for_each(|parent| above[parent] = true);
            }
        }
        above
    }

    /// Changes along linear mechanisms: sums over paths of products of coefficients.
    fn linear_change(
        &self,
        cause: usize,
        to: Option<usize>,
        below: &[usize],
        level: f64,
        target: Option<usize>,
    ) -> Change {
        let d = self.size();
        let mut moved = vec![0.0; d];
        let mut is_below = vec![false; d];
        below.iter().for_each(|&v| is_below[v] = true);
        for &v in self.graph.order().iter().filter(|&&v| is_below[v]) {
            if let Mechanism::Linear(linear) = &self.mechanisms[v] {
                moved[v] = self.pulls(linear, cause, to, &moved).iter().sum();
            }
        }
        let mut intervals = vec![None; d];
        if target.is_some() || below.len() <= MOST_FOR_INTERVALS {
            self.linear_intervals(cause, to, &is_below, &moved, level, target, &mut intervals);
        }
        let of = (0..d).map(|v| vec![moved[v]; self.answer_levels(v).len()]).collect();
        Change { from_level: to, of, intervals, simulated: false }
    }

    /// The change of each column of the parents times its coefficient.
    fn pulls(&self, linear: &Linear, cause: usize, to: Option<usize>, moved: &[f64]) -> Vec<f64> {
        self.column_changes(linear, cause, to, moved)
            .into_iter()
            .zip(linear.terms.iter().flat_map(|term| &term.coefficients))
            .map(|(change, coefficient)| change * coefficient)
            .collect()
    }

    /// The change of each column of the parents.
    fn column_changes(
        &self,
        linear: &Linear,
        cause: usize,
        to: Option<usize>,
        moved: &[f64],
    ) -> Vec<f64> {
        let reference = self.reference(cause);
        let mut changes = Vec::with_capacity(linear.width());
        for term in &linear.terms {
            if term.variable != cause {
                let own = if term.coefficients.len() == 1 { moved[term.variable] } else { 0.0 };
                changes.extend(term.coefficients.iter().map(|_| own));
                continue;
            }
            match to {
                None => changes.push(1.0),
                Some(to) => {
                    // Each column alone: what a unit coefficient there would change.
                    for k in 0..term.coefficients.len() {
                        let mut unit = vec![0.0; term.coefficients.len()];
                        unit[k] = 1.0;
                        let unit = super::Term { variable: cause, coefficients: unit };
                        let at = |level: usize| of_term(&unit, &self.variables, level as f64);
                        changes.push(at(to) - at(reference));
                    }
                }
            }
        }
        changes
    }

    /// Intervals by the delta method. Coefficients of different mechanisms are estimated
    /// independently, so the variance of an effect is the sum over the mechanisms on the way of the
    /// variance that enters there times the squared effect from there on; degrees of freedom by
    /// Welch and Satterthwaite.
    #[allow(clippy::too_many_arguments, reason = "one place calls it")]
    fn linear_intervals(
        &self,
        cause: usize,
        to: Option<usize>,
        is_below: &[bool],
        moved: &[f64],
        level: f64,
        target: Option<usize>,
        intervals: &mut [Option<[f64; 2]>],
    ) {
        let d = self.size();
        // Variance that enters at each variable, with its degrees of freedom.
        let mut entering: Vec<Option<(f64, f64)>> = vec![None; d];
        for v in (0..d).filter(|&v| is_below[v]) {
            let Mechanism::Linear(linear) = &self.mechanisms[v] else { continue };
            let Some(freedom) = linear.freedom() else { continue };
            let changes = self.column_changes(linear, cause, to, moved);
            let mut variance = 0.0;
            let mut known = true;
            for (a, x) in changes.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                for (b, y) in changes.iter().enumerate().filter(|(_, y)| **y != 0.0) {
                    match linear.covariance_of(a, b) {
                        Some(covariance) => variance += x * y * covariance,
                        None => known = false,
                    }
                }
            }
            entering[v] = known.then_some((variance.max(0.0), freedom));
        }
        let order: Vec<usize> =
            self.graph.order().iter().copied().filter(|&v| is_below[v]).collect();
        for (end, &y) in order.iter().enumerate() {
            if target.is_some_and(|target| target != y) {
                continue;
            }
            // The effect of each variable on the way on y.
            let mut on_y = vec![0.0; d];
            on_y[y] = 1.0;
            for &v in order[..=end].iter().rev() {
                let Mechanism::Linear(linear) = &self.mechanisms[v] else { continue };
                if on_y[v] == 0.0 {
                    continue;
                }
                for term in linear.terms.iter().filter(|term| is_below[term.variable]) {
                    on_y[term.variable] += on_y[v] * term.coefficients[0];
                }
            }
            let (mut variance, mut by_freedom, mut known) = (0.0, 0.0, true);
            for &v in order[..=end].iter().filter(|&&v| on_y[v] != 0.0) {
                match entering[v] {
                    Some((own, freedom)) => {
                        let share = own * on_y[v] * on_y[v];
                        variance += share;
                        by_freedom += share * share / freedom;
                    }
                    None => known = false,
                }
            }
            if !known || variance.is_nan() || variance <= 0.0 || by_freedom <= 0.0 {
                continue;
            }
            let Ok(law) = StudentsT::new(0.0, 1.0, variance * variance / by_freedom) else {
                continue;
            };
            let reach = law.inverse_cdf(0.5 + 0.5 * level) * variance.sqrt();
            intervals[y] = Some([moved[y] - reach, moved[y] + reach]);
        }
    }

    /// Changes as the difference of two expectations.
    fn difference(
        &self,
        cause: usize,
        to: Option<usize>,
        reference: usize,
    ) -> Result<Change, Error> {
        let (low, high, unit) = match to {
            Some(to) => (reference as f64, to as f64, 1.0),
            None => {
                let (mean, spread) = self.middle(cause)?;
                (mean - spread, mean + spread, 2.0 * spread)
            }
        };
        let at = |value: f64| self.expect(&Settings::from([(cause, value)]));
        let ((before, _), (after, simulated)) = (at(low)?, at(high)?);
        let column = |answer: &Answer, level: Option<usize>| answer.column(level);
        let of = (0..self.size())
            .map(|v| {
                let levels = self.answer_levels(v).into_iter();
                levels
                    .map(|level| (column(&after[v], level) - column(&before[v], level)) / unit)
                    .collect()
            })
            .collect();
        let intervals = vec![None; self.size()];
        Ok(Change { from_level: to, of, intervals, simulated })
    }

    /// The mean and the standard deviation of a number, on the learnt scale.
    fn middle(&self, variable: usize) -> Result<(f64, f64), Error> {
        let (answers, _) = self.expect(&Settings::new())?;
        let spread = self.spreads[variable].filter(|spread| *spread > 0.0);
        let own = self.mechanisms[variable].linear().map(|linear| linear.variance.sqrt());
        let spread = spread.or(own).unwrap_or(1.0);
        let discrete = self.variables.list()[variable].kind != Kind::Continuous;
        // Levels in order: one step.
        Ok((answers[variable].mean(), if discrete { 0.5 } else { spread }))
    }

    /// The confidence interval of one coefficient of a linear mechanism.
    pub fn coefficient_interval(
        &self,
        variable: usize,
        place: usize,
        level: f64,
    ) -> Option<[f64; 2]> {
        let linear = self.mechanisms[variable].linear()?;
        let value = linear.terms.iter().flat_map(|term| &term.coefficients).nth(place)?;
        let variance = linear.covariance_of(place, place).filter(|variance| *variance > 0.0)?;
        let law = StudentsT::new(0.0, 1.0, linear.freedom()?).ok()?;
        let reach = law.inverse_cdf(0.5 + 0.5 * level) * variance.sqrt();
        Some([value - reach, value + reach])
    }

    /// The total effects between numbers, on the learnt scales: entry `(i, j)` is the effect of `i`
    /// on `j`. Nothing for models with levels.
    pub fn total_effects(&self) -> Option<Mat<f64>> {
        Some(effects::total(&self.weighted()?))
    }

    /// What a condition does to a variable.
    pub fn regime_of(&self, condition: usize, variable: usize) -> Option<&Regime> {
        self.regime(variable, Some(condition))
    }
}
