//! Additive fits of one variable on others.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use super::design::Design;
use super::smooth::Term;
use crate::core::Mat;
use crate::math::linalg::Cholesky;

/// Rounds in which the smoothing parameters of all terms are chosen anew, each given the others.
const ROUNDS: usize = 4;

/// The penalised least-squares fit of a variable on smooth functions of its parents.
#[derive(Debug, Clone)]
pub(super) struct Additive {
    target: usize,
    parents: Vec<usize>,
    /// One smoothing parameter a parent.
    smoothing: Vec<f64>,
    /// The functions of all parents, by index into the design.
    functions: Vec<usize>,
    /// The factor of their second moments with the penalties on the diagonal.
    factor: Cholesky,
    /// The factor's inverse times the moments with the target.
    projected: Vec<f64>,
    /// The penalised residual variance: the residual variance and the penalties.
    deviance: f64,
    residual: f64,
}

/// A parent that may be added: what it brings, and its smoothing parameter then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// By how much the logarithm of the residual variance falls.
    pub(super) gain: f64,
    pub(super) lambda: f64,
}

impl Additive {
    /// The fit without parents: the variable's mean.
    pub(super) fn new(target: usize) -> Self {
        Self {
            target,
            parents: Vec::new(),
            smoothing: Vec::new(),
            functions: Vec::new(),
            factor: Cholesky::empty(),
            projected: Vec::new(),
            deviance: 1.0,
            residual: 1.0,
        }
    }

    pub(super) fn parents(&self) -> &[usize] {
        &self.parents
    }

    /// The fit with these smoothing parameters; `None` when the moments are singular.
    fn with(
        design: &Design,
        target: usize,
        parents: Vec<usize>,
        smoothing: Vec<f64>,
    ) -> Option<Self> {
        let functions: Vec<usize> = parents.iter().flat_map(|&i| design.of(i)).collect();
        let penalties = penalties(design, &parents, &smoothing);
        let mut moments = Mat::from_fn(functions.len(), functions.len(), |a, b| {
            design.moment(functions[a], functions[b])
        });
        for (a, penalty) in penalties.iter().enumerate() {
            moments[(a, a)] += penalty;
        }
        let factor = Cholesky::new(moments.as_ref())?;
        let mut solution =
            Mat::from_fn(functions.len(), 1, |a, _| design.target(functions[a], target));
        factor.solve_lower(solution.as_mut());
        let projected = solution.col_as_slice(0).to_vec();
        let deviance = 1.0 - squares(&projected);
        factor.solve_upper(solution.as_mut());
        let residual =
            (deviance - roughness(&penalties, solution.col_as_slice(0))).max(f64::EPSILON);
        Some(Self { target, parents, smoothing, functions, factor, projected, deviance, residual })
    }

    /// What `candidate` would bring as one more parent, the smoothing of the others left as it is;
    /// `None` when the parents explain it. Cost O(K^2 m) for K functions of the parents.
    pub(super) fn try_parent(&self, design: &Design, candidate: usize) -> Option<Candidate> {
        let own = design.of(candidate);
        let mut cross = Mat::from_fn(self.functions.len(), own.len(), |a, b| {
            design.moment(self.functions[a], own.start + b)
        });
        self.factor.solve_lower(cross.as_mut());
        let mut schur =
            Mat::from_fn(own.len(), own.len(), |a, b| design.moment(own.start + a, own.start + b));
        crate::math::linalg::matmul_accumulate(
            schur.as_mut(),
            cross.transpose(),
            cross.as_ref(),
            -1.0,
        );
        let rhs = (0..own.len())
            .map(|b| {
                design.target(own.start + b, self.target)
                    - dot(cross.col_as_slice(b), &self.projected)
            })
            .collect();
        let term = Term { schur, rhs, deviance: self.deviance };
        let smoothed = term.smooth(design.penalty(candidate), self.freedom(design) - 1.0)?;

        // The other coefficients move too.
        let mut others = Mat::from_fn(self.functions.len(), 1, |a, _| {
            let moved: f64 = (0..own.len()).map(|b| cross[(a, b)] * smoothed.coefficients[b]).sum();
            self.projected[a] - moved
        });
        self.factor.solve_upper(others.as_mut());
        let penalty = penalties(design, &[candidate], &[smoothed.lambda]);
        let residual = smoothed.deviance
            - roughness(&penalty, &smoothed.coefficients)
            - roughness(&penalties(design, &self.parents, &self.smoothing), others.col_as_slice(0));
        let gain = (self.residual / residual.max(f64::EPSILON)).ln();
        Some(Candidate { gain, lambda: smoothed.lambda })
    }

    /// Adds a parent and chooses the smoothing of all terms anew; false, with nothing changed,
    /// when the moments are singular.
    pub(super) fn add(&mut self, design: &Design, parent: usize, lambda: f64) -> bool {
        let (mut parents, mut smoothing) = (self.parents.clone(), self.smoothing.clone());
        parents.push(parent);
        smoothing.push(lambda);
        let Some(fit) = Self::with(design, self.target, parents, smoothing) else { return false };
        *self = fit;
        for _ in 0..ROUNDS {
            if !self.smooth(design) {
                break;
            }
        }
        true
    }

    /// The fit on at most `most` of these parents, those that bring most first; parents that the
    /// others explain are left out.
    pub(super) fn greedy(design: &Design, target: usize, parents: &[usize], most: usize) -> Self {
        let mut fit = Self::new(target);
        let mut left = parents.to_vec();
        while fit.parents.len() < most {
            let tried = left.iter().enumerate().filter_map(|(at, &parent)| {
                fit.try_parent(design, parent).map(|candidate| (at, candidate))
            });
            let best =
                tried.reduce(|best, next| if next.1.gain > best.1.gain { next } else { best });
            let Some((at, candidate)) = best else { break };
            let parent = left.remove(at);
            fit.add(design, parent, candidate.lambda);
        }
        fit
    }

    /// The fit on all of these parents, with smoothing that suits them; `None` when some of them
    /// explain another.
    pub(super) fn on(design: &Design, target: usize, parents: Vec<usize>) -> Option<Self> {
        let smoothing = vec![1.0; parents.len()];
        let mut fit = Self::with(design, target, parents, smoothing)?;
        for _ in 0..ROUNDS {
            if !fit.smooth(design) {
                break;
            }
        }
        Some(fit)
    }

    /// The residual variance, in units of the variable's own.
    pub(super) fn residual(&self) -> f64 {
        self.residual
    }

    /// Coefficients of the functions of each parent.
    pub(super) fn coefficients(&self, design: &Design) -> Vec<Vec<f64>> {
        self.blocks(design).into_iter().map(|block| block.coefficients).collect()
    }

    /// Of each parent, the share by which the residual variance would grow without it, about, and
    /// the degrees of freedom of its term.
    pub(super) fn shares(&self, design: &Design) -> Vec<(f64, f64)> {
        self.blocks(design)
            .iter()
            .zip(self.parents.iter().zip(&self.smoothing))
            .map(|(block, (&parent, &lambda))| {
                let (statistic, trace, _) = block.test(design.penalty(parent), lambda);
                (statistic / self.residual, trace)
            })
            .collect()
    }

    /// Chooses the smoothing parameter of each term given the others; false when none changes.
    fn smooth(&mut self, design: &Design) -> bool {
        let freedom = self.freedom(design);
        let smoothing: Vec<f64> = self
            .terms(design)
            .into_iter()
            .zip(self.parents.iter().zip(&self.smoothing))
            .map(|(term, (&parent, &old))| {
                let smoothed = term.and_then(|term| term.smooth(design.penalty(parent), freedom));
                smoothed.map_or(old, |smoothed| smoothed.lambda)
            })
            .collect();
        if smoothing == self.smoothing {
            return false;
        }
        match Self::with(design, self.target, self.parents.clone(), smoothing) {
            Some(fit) => *self = fit,
            None => return false,
        }
        true
    }

    /// Each term given all others.
    fn terms(&self, design: &Design) -> Vec<Option<Term>> {
        self.blocks(design)
            .into_iter()
            .zip(self.parents.iter().zip(&self.smoothing))
            .map(|(block, (&parent, &lambda))| {
                let mut schur = Cholesky::new(block.covariance.as_ref())?.inverse();
                let rhs: Vec<f64> = (0..schur.ncols())
                    .map(|a| dot(schur.col_as_slice(a), &block.coefficients))
                    .collect();
                let deviance = self.deviance + dot(&rhs, &block.coefficients);
                for (a, penalty) in design.penalty(parent).iter().enumerate() {
                    schur[(a, a)] -= lambda * penalty;
                }
                Some(Term { schur, rhs, deviance })
            })
            .collect()
    }

    /// Coefficients of each term, and its block of the inverse of the penalised moments.
    fn blocks(&self, design: &Design) -> Vec<Block> {
        let inverse = self.factor.inverse();
        let mut solution = Mat::from_fn(self.projected.len(), 1, |a, _| self.projected[a]);
        self.factor.solve_upper(solution.as_mut());
        let mut start = 0;
        self.parents
            .iter()
            .map(|&parent| {
                let length = design.of(parent).len();
                let block = Block {
                    coefficients: solution.col_as_slice(0)[start..start + length].to_vec(),
                    covariance: inverse.submatrix(start, start, length, length).to_owned(),
                };
                start += length;
                block
            })
            .collect()
    }

    /// Rows less the coefficients that are not penalised: intercept and slopes.
    fn freedom(&self, design: &Design) -> f64 {
        (design.rows() - 1.0 - self.parents.len() as f64).max(1.0)
    }

    /// The p-value of each parent: of the hypothesis that its term is zero.
    ///
    /// The statistic is what the term takes off the penalised residual variance, over the noise
    /// variance. If the term is zero this is a sum of squares of normal variables whose weights
    /// are the eigenvalues of the term's smoother `S`, and is compared with an F distribution of
    /// the same mean and variance: `tr(S)^2 / tr(S^2)` degrees of freedom.
    pub(super) fn p_values(&self, design: &Design) -> Vec<f64> {
        let n = design.rows();
        let tested: Vec<(f64, f64, f64)> = self
            .blocks(design)
            .iter()
            .zip(self.parents.iter().zip(&self.smoothing))
            .map(|(block, (&parent, &lambda))| block.test(design.penalty(parent), lambda))
            .collect();
        let used: f64 = 1.0 + tested.iter().map(|&(_, trace, _)| trace).sum::<f64>();
        let left = n - used;
        if left < 1.0 {
            return vec![1.0; tested.len()];
        }
        let noise = self.residual / left;
        tested
            .into_iter()
            .map(|(statistic, trace, freedom)| {
                FisherSnedecor::new(freedom, left)
                    .map_or(1.0, |law| law.sf(statistic / (noise * trace)))
            })
            .collect()
    }
}

/// One term within a fit.
struct Block {
    coefficients: Vec<f64>,
    /// Its block of the inverse of the penalised second moments.
    covariance: Mat<f64>,
}

impl Block {
    /// What the term takes off the penalised residual variance, the trace of its smoother, and the
    /// degrees of freedom of the test.
    fn test(&self, penalty: &[f64], lambda: f64) -> (f64, f64, f64) {
        let m = penalty.len();
        let smoother = Mat::from_fn(m, m, |a, b| {
            f64::from(u8::from(a == b)) - lambda * penalty[a] * self.covariance[(a, b)]
        });
        let trace: f64 = (0..m).map(|a| smoother[(a, a)]).sum();
        let second: f64 =
            (0..m).map(|a| (0..m).map(|b| smoother[(a, b)] * smoother[(b, a)]).sum::<f64>()).sum();
        let statistic = Cholesky::new(self.covariance.as_ref()).map_or(0.0, |factor| {
            let mut whitened = Mat::from_fn(m, 1, |a, _| self.coefficients[a]);
            factor.solve_lower(whitened.as_mut());
            squares(whitened.col_as_slice(0))
        });
        (statistic, trace, trace * trace / second)
    }
}

fn penalties(design: &Design, parents: &[usize], smoothing: &[f64]) -> Vec<f64> {
    parents
        .iter()
        .zip(smoothing)
        .flat_map(|(&i, lambda)| design.penalty(i).iter().map(move |penalty| lambda * penalty))
        .collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn squares(values: &[f64]) -> f64 {
    dot(values, values)
}

fn roughness(penalties: &[f64], coefficients: &[f64]) -> f64 {
    penalties.iter().zip(coefficients).map(|(penalty, c)| penalty * c * c).sum()
}

#[cfg(test)]
mod tests {
    use super::super::smooth::STRAIGHT;
    use super::*;
    use crate::core::Run;
    use crate::core::simulate::{Mechanism, Simulation, simulate};
    use crate::core::{Dataset, MatRef};

    fn data() -> Dataset {
        let simulation = Simulation {
            variables: 5,
            rows: 150,
            mechanism: Mechanism::Nonlinear2,
            ..Simulation::default()
        };
        simulate(&simulation, 8).unwrap().data
    }

    /// The functions of one column by the basis itself.
    fn functions(data: &Dataset, variable: usize) -> Mat<f64> {
        let values: Vec<f64> = data.values().col(variable).iter().copied().collect();
        let basis = super::super::basis::Basis::new(&values, 10);
        let mut z = Mat::zeros(values.len(), basis.len());
        basis.evaluate(&values, z.as_mut());
        z
    }

    /// Residual variance and coefficients from the rows, with the penalties as rows of their own:
    /// ordinary least squares on the augmented table.
    fn from_rows(z: MatRef<'_, f64>, y: &[f64], penalties: &[f64]) -> (f64, Vec<f64>) {
        use faer::linalg::solvers::SolveLstsq;
        let (n, k) = (z.nrows(), z.ncols());
        let table = Mat::from_fn(n + k, k, |i, j| match i.checked_sub(n) {
            None => z[(i, j)],
            Some(row) if row == j => (n as f64 * penalties[j]).sqrt(),
            Some(_) => 0.0,
        });
        let mut rhs = Mat::from_fn(n + k, 1, |i, _| if i < n { y[i] } else { 0.0 });
        table.qr().solve_lstsq_in_place(rhs.as_mut());
        let beta = rhs.col_as_slice(0)[..k].to_vec();
        let squares: f64 = (0..n)
            .map(|i| y[i] - (0..k).map(|j| z[(i, j)] * beta[j]).sum::<f64>())
            .map(|residual| residual * residual)
            .sum();
        (squares / n as f64, beta)
    }

    /// The functions of several parents side by side, and the standardised target.
    fn table(data: &Dataset, parents: &[usize], target: usize) -> (Mat<f64>, Vec<f64>) {
        let parts: Vec<Mat<f64>> = parents.iter().map(|&i| functions(data, i)).collect();
        let columns: Vec<(usize, usize)> =
            (0..parts.len()).flat_map(|p| (0..parts[p].ncols()).map(move |k| (p, k))).collect();
        let z = Mat::from_fn(parts[0].nrows(), columns.len(), |i, j| {
            parts[columns[j].0][(i, columns[j].1)]
        });
        (z, functions(data, target).col_as_slice(0).to_vec())
    }

    #[test]
    fn the_fit_from_moments_is_the_fit_from_rows() {
        let data = data();
        let design = Design::new(&data, 10, &Run::default()).unwrap();
        let (parents, smoothing) = (vec![3, 0, 2], vec![0.01, 1.0, 30.0]);
        let penalties = penalties(&design, &parents, &smoothing);
        let (z, y) = table(&data, &parents, 1);
        let (residual, beta) = from_rows(z.as_ref(), &y, &penalties);
        let fit = Additive::with(&design, 1, parents, smoothing).unwrap();
        assert!((fit.residual - residual).abs() < 1e-10, "{} {residual}", fit.residual);
        assert!((fit.deviance - residual - roughness(&penalties, &beta)).abs() < 1e-10);
        let own: Vec<f64> = fit.blocks(&design).into_iter().flat_map(|b| b.coefficients).collect();
        for (own, expected) in own.iter().zip(&beta) {
            assert!((own - expected).abs() < 1e-8, "{own} {expected}");
        }
    }

    #[test]
    fn a_tried_parent_brings_what_it_brings_when_added() {
        let data = data();
        let design = Design::new(&data, 10, &Run::default()).unwrap();
        let fit = Additive::with(&design, 1, vec![0, 2], vec![0.1, 3.0]).unwrap();
        let tried = fit.try_parent(&design, 4).unwrap();
        let added =
            Additive::with(&design, 1, vec![0, 2, 4], vec![0.1, 3.0, tried.lambda]).unwrap();
        let gain = (fit.residual / added.residual).ln();
        assert!((tried.gain - gain).abs() < 1e-9, "{} {gain}", tried.gain);
        assert!(gain > 0.0);
    }

    #[test]
    fn a_term_given_the_others_is_the_term_that_would_be_added() {
        let data = data();
        let design = Design::new(&data, 10, &Run::default()).unwrap();
        let fit = Additive::with(&design, 1, vec![0, 2, 4], vec![0.1, 3.0, 10.0]).unwrap();
        let last = fit.terms(&design).pop().unwrap().unwrap();
        let without = Additive::with(&design, 1, vec![0, 2], vec![0.1, 3.0]).unwrap();
        assert!((last.deviance - without.deviance).abs() < 1e-9);
        let freedom = without.freedom(&design) - 1.0;
        let lambda = last.smooth(design.penalty(4), freedom).unwrap().lambda;
        assert_eq!(lambda, without.try_parent(&design, 4).unwrap().lambda);
    }

    #[test]
    fn freedom_goes_from_all_functions_to_a_straight_line() {
        let data = data();
        let design = Design::new(&data, 10, &Run::default()).unwrap();
        let trace = |lambda: f64| {
            let fit = Additive::with(&design, 1, vec![0], vec![lambda]).unwrap();
            fit.blocks(&design)[0].test(design.penalty(0), lambda).1
        };
        assert!((trace(1e-12) - 9.0).abs() < 1e-6);
        assert!((trace(STRAIGHT) - 1.0).abs() < 1e-4);
        assert!(trace(1.0) < trace(0.1) && trace(1.0) > 1.5);
    }

    /// A straight term is tested as in a linear regression: F is the square of Student's t.
    #[test]
    fn a_straight_term_is_tested_as_in_linear_regression() {
        let data = data();
        let design = Design::new(&data, 10, &Run::default()).unwrap();
        let (parents, smoothing) = (vec![0, 3], vec![1e9, 1e9]);
        let fit = Additive::with(&design, 4, parents, smoothing).unwrap();
        let (x, y) = table(&data, &[0, 3], 4);
        let straight = Mat::from_fn(150, 2, |i, k| x[(i, if k == 0 { 0 } else { 9 })]);
        let (residual, beta) = from_rows(straight.as_ref(), &y, &[0.0, 0.0]);
        let correlation: f64 = (0..150).map(|i| x[(i, 0)] * x[(i, 9)]).sum::<f64>() / 150.0;
        for (k, p) in fit.p_values(&design).into_iter().enumerate() {
            let variance = residual / 147.0 / (1.0 - correlation * correlation);
            let t = beta[k].abs() / variance.sqrt();
            let law = statrs::distribution::StudentsT::new(0.0, 1.0, 147.0).unwrap();
            let expected = 2.0 * law.sf(t);
            assert!((p - expected).abs() < 1e-5 + 1e-3 * expected, "{p} {expected}");
        }
    }
}
