//! Limited-memory BFGS with pinned coordinates and lower bounds.

use crate::core::error::SIMILAR_UNITS;
use crate::core::{Error, Progress, Run, Termination};

/// Parameters of [`minimize`]; the defaults are those of SciPy's L-BFGS-B with the relative
/// tolerance of the published NoCurl experiments.
///
/// | Name | Default | Meaning | Range |
/// |---|---|---|---|
/// | `memory` | 10 | pairs of steps and gradient changes kept | at least 1 |
/// | `max_iterations` | 15000 | iterations before giving up | any |
/// | `relative_tolerance` | 1e-8 | stop when `f_k - f_{k+1} <= tolerance * max(abs f_k, abs f_{k+1}, 1)` | finite, >= 0 |
/// | `min_iterations` | 0 | iterations before that is looked at | any |
/// | `gradient_tolerance` | 1e-5 | stop when no entry of the projected gradient is larger | finite, >= 0 |
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct LbfgsParams {
    /// Pairs of steps and gradient changes kept.
    pub memory: usize,
    /// Iterations before giving up.
    pub max_iterations: u64,
    /// Relative decrease of the objective in one iteration under which the search ends.
    pub relative_tolerance: f64,
    /// Iterations before the decrease is looked at. The first steps go downhill without a model of
    /// the curvature; where that differs much between directions they are small anywhere.
    pub min_iterations: u64,
    /// Largest entry of the projected gradient under which the search ends.
    pub gradient_tolerance: f64,
}

impl Default for LbfgsParams {
    fn default() -> Self {
        Self {
            memory: 10,
            max_iterations: 15_000,
            relative_tolerance: 1e-8,
            min_iterations: 0,
            gradient_tolerance: 1e-5,
        }
    }
}

impl LbfgsParams {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`Error::Parameter`] names the first parameter outside its range.
    pub fn validate(&self) -> Result<(), Error> {
        if self.memory == 0 {
            let reason = "the memory must hold at least one step";
            return Err(Error::Parameter { name: "memory", value: "0".into(), reason });
        }
        for (name, value) in [
            ("relative_tolerance", self.relative_tolerance),
            ("gradient_tolerance", self.gradient_tolerance),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                let reason = "a tolerance must be finite and not negative";
                return Err(Error::Parameter { name, value: value.to_string(), reason });
            }
        }
        Ok(())
    }
}

/// Where the coordinates may go; the default leaves them free.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Coordinates that keep their start value, marked `true`.
    pub pinned: Option<&'a [bool]>,
    /// The smallest value of each coordinate; minus infinity where there is none.
    pub lower: Option<&'a [f64]>,
}

impl Limits<'_> {
    fn is_pinned(&self, i: usize) -> bool {
        self.pinned.is_some_and(|pinned| pinned[i])
    }

    fn lower(&self, i: usize) -> f64 {
        self.lower.map_or(f64::NEG_INFINITY, |lower| lower[i])
    }
}

/// What [`minimize`] did.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LbfgsInfo {
    /// The objective at the start.
    pub initial: f64,
    /// The objective at the point returned.
    pub objective: f64,
    /// Iterations, that is, accepted steps.
    pub iterations: u64,
    /// Evaluations of the objective and its gradient.
    pub evaluations: u64,
    /// How the search ended.
    pub termination: Termination,
}

/// Sufficient decrease and curvature constants of the strong Wolfe conditions.
const DECREASE: f64 = 1e-3;
const CURVATURE: f64 = 0.9;

/// Evaluations in one line search; the last ones bisect, so 2^-30 of the first step is reached.
const MAX_TRIALS: usize = 40;
const INTERPOLATIONS: usize = 10;

/// Relative difference under which two values of the objective cannot be told apart.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Distance to a bound within which a coordinate that pushes towards it is taken out of the
/// quasi-Newton step (Bertsekas, 1982).
const NEAR_BOUND: f64 = 1e-3;

/// Minimises a smooth function from `x`, which is overwritten with the best point found.
///
/// `objective` fills in the gradient and returns the value; where that is infinite or not a
/// number the step is shortened. The search direction comes from the two-loop recursion
/// (Nocedal, 1980), the step from a bracketing search for the strong Wolfe conditions (Nocedal and
/// Wright, 2006, algorithms 3.5 and 3.6). With lower bounds the search runs along the projection
/// of the line onto the feasible set, and coordinates held by their bound stay out of the
/// recursion (two-metric projection: Bertsekas, SIAM J. Control Optim. 20, 1982).
///
/// Cost per iteration: `O(memory * n)` and, nearly always, one evaluation. Work space is made once.
///
/// # Errors
/// A parameter out of range, limits of another length than `x`, an objective that is not finite
/// at the start, or a request to stop.
///
/// ```
/// use nocurl::Run;
/// use nocurl::internals::optimize::lbfgs::{LbfgsParams, Limits, minimize};
/// let mut bowl = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * (x[0] - 3.0);
///     gradient[1] = 2.0 * (x[1] + 1.0);
///     (x[0] - 3.0).powi(2) + (x[1] + 1.0).powi(2)
/// };
/// let mut x = [1.0, 1.0];
/// let limits = Limits { lower: Some(&[0.0, 0.0]), ..Limits::default() };
/// minimize(&mut x, &mut bowl, limits, &LbfgsParams::default(), &Run::default(), "example")?;
/// assert!((x[0] - 3.0).abs() < 1e-5 && x[1] == 0.0);
/// # Ok::<(), nocurl::Error>(())
/// ```
pub fn minimize(
    x: &mut [f64],
    objective: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
    limits: Limits<'_>,
    params: &LbfgsParams,
    run: &Run<'_>,
    stage: &'static str,
) -> Result<LbfgsInfo, Error> {
    params.validate()?;
    let n = x.len();
    limits.project(x)?;
    let mut path = Path::new(objective, limits, n);
    let mut history = History::new(params.memory, n);
    let mut gradient = vec![0.0; n];
    let mut free = vec![1.0; n];

    let mut value = path.evaluate_start(x, &mut gradient);
    if !value.is_finite() || gradient.iter().any(|g| !g.is_finite()) {
        return Err(Error::OutOfRange { stage, advice: SIMILAR_UNITS });
    }
    let initial = value;
    let mut iterations = 0;
    let termination = loop {
        let progress = Progress { stage, done: iterations, total: None, objective: Some(value) };
        run.step(progress)?;
        let steepness = projected_norm(x, &gradient, limits);
        if steepness <= params.gradient_tolerance {
            break Termination::Converged;
        }
        if iterations == params.max_iterations {
            break Termination::MaxIterations;
        }
        mark_free(&mut free, x, &gradient, limits, steepness.min(NEAR_BOUND));
        history.direction(&gradient, &free, &mut path.direction);
        let found = match path.search(x, value, &gradient) {
            None if history.is_empty() => None,
            None => {
                // The quadratic model misled the search: forget it and go downhill once.
                history.clear();
                history.direction(&gradient, &free, &mut path.direction);
                path.search(x, value, &gradient)
            }
            found => found,
        };
        let Some(next) = found else { break Termination::Stalled };
        history.push(x, &path.x, &gradient, &path.gradient);
        x.copy_from_slice(&path.x);
        gradient.copy_from_slice(&path.gradient);
        iterations += 1;
        let scale = value.abs().max(next.abs()).max(1.0);
        let decrease = value - next;
        value = next;
        let small = decrease <= params.relative_tolerance * scale;
        if small && iterations >= params.min_iterations {
            break Termination::Converged;
        }
    };
    let evaluations = path.evaluations;
    Ok(LbfgsInfo { initial, objective: value, iterations, evaluations, termination })
}

impl Limits<'_> {
    /// Brings a point within the limits.
    fn project(&self, x: &mut [f64]) -> Result<(), Error> {
        let expected = x.len();
        for given in [self.pinned.map(<[_]>::len), self.lower.map(<[_]>::len)] {
            if let Some(found) = given.filter(|&length| length != expected) {
                return Err(Error::Lengths { what: "limits", found, of: "coordinates", expected });
            }
        }
        for (i, value) in x.iter_mut().enumerate() {
            if !self.is_pinned(i) {
                *value = value.max(self.lower(i));
            }
        }
        Ok(())
    }
}

/// Largest entry of `x - P(x - g)`, with P the projection onto the feasible set.
fn projected_norm(x: &[f64], gradient: &[f64], limits: Limits<'_>) -> f64 {
    let entry = |i: usize| (gradient[i].min(x[i] - limits.lower(i))).abs();
    (0..x.len()).filter(|&i| !limits.is_pinned(i)).map(entry).fold(0.0, f64::max)
}

/// Marks with 1 the coordinates of the quasi-Newton step, with 0 those held by a limit.
fn mark_free(free: &mut [f64], x: &[f64], gradient: &[f64], limits: Limits<'_>, margin: f64) {
    for i in 0..x.len() {
        let held = x[i] <= limits.lower(i) + margin && gradient[i] > 0.0;
        free[i] = f64::from(u8::from(!(held || limits.is_pinned(i))));
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The last steps and gradient changes, in ring buffers made once.
struct History {
    steps: Vec<Vec<f64>>,
    changes: Vec<Vec<f64>>,
    /// Of each pair, restricted to the free coordinates: 1 / (step . change), 0 to pass it over.
    inverse_curvatures: Vec<f64>,
    coefficients: Vec<f64>,
    newest: usize,
    filled: usize,
}

impl History {
    fn new(memory: usize, n: usize) -> Self {
        Self {
            steps: vec![vec![0.0; n]; memory],
            changes: vec![vec![0.0; n]; memory],
            inverse_curvatures: vec![0.0; memory],
            coefficients: vec![0.0; memory],
            newest: 0,
            filled: 0,
        }
    }

    fn is_empty(&self) -> bool {
        self.filled == 0
    }

    fn clear(&mut self) {
        self.filled = 0;
    }

    /// Keeps the pair of this step unless its curvature is lost in rounding.
    fn push(&mut self, from: &[f64], to: &[f64], before: &[f64], after: &[f64]) {
        let memory = self.steps.len();
        let slot = if self.is_empty() { 0 } else { (self.newest + 1) % memory };
        let (step, change) = (&mut self.steps[slot], &mut self.changes[slot]);
        for i in 0..from.len() {
            step[i] = to[i] - from[i];
            change[i] = after[i] - before[i];
        }
        if dot(step, change) > f64::EPSILON * dot(change, change) {
            self.newest = slot;
            self.filled = memory.min(self.filled + 1);
        } else if self.filled == memory {
            // The slot held the oldest pair, now overwritten.
            self.filled -= 1;
        }
    }

    /// The direction `-H g` on the free coordinates, `-gamma g` on the others.
    fn direction(&mut self, gradient: &[f64], free: &[f64], direction: &mut [f64]) {
        let memory = self.steps.len();
        for ((d, g), f) in direction.iter_mut().zip(gradient).zip(free) {
            *d = -g * f;
        }
        // Without a model the first trial moves by at most one unit.
        let mut gamma = None;
        for age in 0..self.filled {
            let k = (self.newest + memory - age) % memory;
            let (step, change) = (&self.steps[k], &self.changes[k]);
            let (mut curvature, mut square) = (0.0, 0.0);
            for i in 0..free.len() {
                curvature += free[i] * step[i] * change[i];
                square += free[i] * change[i] * change[i];
            }
            if curvature <= f64::EPSILON * square {
                self.inverse_curvatures[k] = 0.0;
                continue;
            }
            gamma.get_or_insert(curvature / square);
            self.inverse_curvatures[k] = 1.0 / curvature;
            self.coefficients[k] = dot(step, direction) / curvature;
            for i in 0..free.len() {
                direction[i] -= self.coefficients[k] * free[i] * change[i];
            }
        }
        let gamma = gamma.unwrap_or_else(|| 1.0 / dot(gradient, gradient).sqrt().max(1.0));
        direction.iter_mut().for_each(|d| *d *= gamma);
        for age in (0..self.filled).rev() {
            let k = (self.newest + memory - age) % memory;
            if self.inverse_curvatures[k] > 0.0 {
                let (step, change) = (&self.steps[k], &self.changes[k]);
                let correction =
                    self.coefficients[k] - self.inverse_curvatures[k] * dot(change, direction);
                for i in 0..free.len() {
                    direction[i] += correction * free[i] * step[i];
                }
            }
        }
        for i in 0..free.len() {
            if free[i] == 0.0 {
                direction[i] = -gamma * gradient[i];
            }
        }
    }
}

/// A trial of the line search: step length, value and slope along the path.
#[derive(Clone, Copy)]
pub(super) struct Trial {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// The objective along `P(x + step * direction)`.
struct Path<'a> {
    objective: &'a mut dyn FnMut(&[f64], &mut [f64]) -> f64,
    limits: Limits<'a>,
    evaluations: u64,
    direction: Vec<f64>,
    /// The last point tried and its gradient.
    x: Vec<f64>,
    gradient: Vec<f64>,
}

impl<'a> Path<'a> {
    fn new(
        objective: &'a mut dyn FnMut(&[f64], &mut [f64]) -> f64,
        limits: Limits<'a>,
        n: usize,
    ) -> Self {
        let (direction, x, gradient) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        Self { objective, limits, evaluations: 0, direction, x, gradient }
    }

    /// The value at `x`; pinned coordinates have no gradient.
    fn evaluate_start(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.evaluations += 1;
        let value = (self.objective)(x, gradient);
        clear_pinned(gradient, self.limits);
        value
    }

    /// Goes to `step` from `start`; the second value is `g . (x - start)` with the start's gradient.
    fn go(&mut self, start: &[f64], start_gradient: &[f64], step: f64) -> (Trial, f64) {
        let mut linear = 0.0;
        for i in 0..start.len() {
            let target = start[i] + step * self.direction[i];
            self.x[i] =
                if self.limits.is_pinned(i) { start[i] } else { target.max(self.limits.lower(i)) };
            linear += start_gradient[i] * (self.x[i] - start[i]);
        }
        self.evaluations += 1;
        let value = (self.objective)(&self.x, &mut self.gradient);
        clear_pinned(&mut self.gradient, self.limits);
        let slope = (0..start.len())
            .filter(|&i| start[i] + step * self.direction[i] >= self.limits.lower(i))
            .map(|i| self.gradient[i] * self.direction[i])
            .sum::<f64>();
        let value = if slope.is_finite() { value } else { f64::INFINITY };
        (Trial { step, value, slope }, linear)
    }

    /// Finds a step that meets the strong Wolfe conditions, or at least lowers the objective
    /// enough; leaves the point in `self.x`. `None` when no step lowers the objective.
    fn search(&mut self, start: &[f64], value: f64, gradient: &[f64]) -> Option<f64> {
        for (i, direction) in self.direction.iter_mut().enumerate() {
            // A coordinate on its bound cannot go further down.
            if start[i] <= self.limits.lower(i) && *direction < 0.0 {
                *direction = 0.0;
            }
        }
        let origin = Trial { step: 0.0, value, slope: dot(gradient, &self.direction) };
        if !origin.slope.is_finite() || origin.slope >= 0.0 {
            return None;
        }
        // `low` is the best step so far; a good one lies between it and `high`, once that is known.
        let (mut low, mut high) = (origin, None::<Trial>);
        let rounding = ROUNDING * value.abs();
        let mut step = 1.0;
        for trial in 1..=MAX_TRIALS {
            let (here, linear) = self.go(start, gradient, step);
            let enough = here.value <= value + DECREASE * linear.min(0.0) && here.value < value;
            let flat = here.slope.abs() <= -CURVATURE * origin.slope;
            // Where values differ by rounding alone, the slope decides (Hager and Zhang, 2005).
            if flat && (here.value - value).abs() <= rounding {
                return Some(here.value);
            }
            if !here.value.is_finite() || !enough || here.value >= low.value {
                high = Some(here);
            } else {
                if flat {
                    return Some(here.value);
                }
                let towards_high = high.map_or(1.0, |high| high.step - here.step);
                if here.slope * towards_high >= 0.0 {
                    high = Some(low);
                }
                low = here;
            }
            if low.step > 0.0 && trial >= INTERPOLATIONS {
                break;
            }
            step = next_step(low, high, trial);
            if step == low.step {
                break;
            }
        }
        if low.step == 0.0 {
            return None;
        }
        // The Wolfe conditions were out of reach (a kink at a bound, or rounding).
        let (best, _) = self.go(start, gradient, low.step);
        Some(best.value)
    }
}

fn clear_pinned(gradient: &mut [f64], limits: Limits<'_>) {
    if let Some(pinned) = limits.pinned {
        for (g, _) in gradient.iter_mut().zip(pinned).filter(|&(_, &pinned)| pinned) {
            *g = 0.0;
        }
    }
}

/// The next step to try: beyond `low` while nothing bounds it, else inside the bracket.
fn next_step(low: Trial, high: Option<Trial>, trial: usize) -> f64 {
    let Some(high) = high else { return 4.0 * low.step };
    let width = high.step - low.step;
    if !high.value.is_finite() {
        return low.step + 0.25 * width;
    }
    let share = if trial < INTERPOLATIONS { cubic_share(low, high) } else { 0.5 };
    low.step + share.clamp(0.1, 0.9) * width
}

/// The minimiser of the cubic through values and slopes at both ends, as a share of the bracket.
pub(super) fn cubic_share(low: Trial, high: Trial) -> f64 {
    let width = high.step - low.step;
    let (left, right) = (low.slope * width, high.slope * width);
    let mean = 3.0 * (low.value - high.value) + left + right;
    let root = (mean * mean - left * right).max(0.0).sqrt();
    let share = 1.0 - (right + root - mean) / (right - left + 2.0 * root);
    if share.is_finite() { share } else { 0.5 }
}
