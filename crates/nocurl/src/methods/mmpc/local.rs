//! Tests of independence by any likelihood that is a product over variables.

use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

use super::{Chosen, MOST_SETS, Mmpc};
use crate::core::Error;
use crate::core::progress::Counter;
use crate::math::local::Local;

/// Rows for each parameter below which a test has no power and is left out, as in the published
/// algorithm.
const ROWS_PER_PARAMETER: f64 = 5.0;

/// Likelihood ratio tests: the deviance that a variable gains against its parameters.
pub(super) struct RatioTests<'a> {
    local: &'a dyn Local,
    normal: Normal,
    /// The normal quantile from which two variables count as dependent.
    critical: f64,
    most: usize,
}

impl<'a> RatioTests<'a> {
    pub(super) fn new(local: &'a dyn Local, params: &Mmpc) -> Self {
        let normal = Normal::standard();
        let critical = normal.inverse_cdf(1.0 - params.alpha);
        Self { local, normal, critical, most: params.max_condition.unwrap_or(usize::MAX) }
    }

    /// The normal quantile with the p value of the test that `x` tells nothing of the target given
    /// some others; none where there are too few rows to test.
    fn quantile(&self, target: usize, x: usize, given: &[usize]) -> Option<f64> {
        let more: Vec<usize> = given.iter().copied().chain([x]).collect();
        if self.local.freedom(target, &more) * ROWS_PER_PARAMETER > self.local.rows() {
            return None;
        }
        let (without, with) = (self.local.fit(target, given), self.local.fit(target, &more));
        let (statistic, freedom) =
            ((without.deviance - with.deviance).max(0.0), with.freedom - without.freedom);
        if freedom < 1.0 {
            // The others determine it.
            return Some(f64::NEG_INFINITY);
        }
        let p = ChiSquared::new(freedom).expect("freedom is positive").sf(statistic);
        if p > 1e-290 {
            return Some(-self.normal.inverse_cdf(p));
        }
        // Beyond the range of p values: Wilson and Hilferty (1931).
        let spread = 2.0 / (9.0 * freedom);
        Some(((statistic / freedom).cbrt() - 1.0 + spread) / spread.sqrt())
    }

    /// The variables that no set of the others chosen makes independent of the target.
    pub(super) fn around(&self, target: usize, progress: &Counter<'_>) -> Result<Chosen, Error> {
        let mut found = Chosen { variables: Vec::new(), tests: 0, limited: false };
        let mut open: Vec<(usize, f64)> = (0..self.local.size())
            .filter(|&x| x != target)
            .map(|x| (x, self.quantile(target, x, &[]).unwrap_or(f64::NEG_INFINITY)))
            .collect();
        found.tests += open.len() as u64;
        loop {
            open.retain(|&(_, weakest)| weakest >= self.critical);
            // The first of equals, so that the answer does not depend on chance.
            let best = open.iter().enumerate().rev().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
            let Some((at, _)) = best else { break };
            let (best, _) = open.remove(at);
            // Sets without the newcomer have been tried before.
            if self.most > 0 {
                let known = found.variables.clone();
                let limited = subsets(&known, self.most - 1, &mut |set| {
                    let given: Vec<usize> = set.iter().copied().chain([best]).collect();
                    for (x, weakest) in &mut open {
                        if *weakest >= self.critical
                            && let Some(value) = self.quantile(target, *x, &given)
                        {
                            *weakest = weakest.min(value);
                            found.tests += 1;
                        }
                    }
                });
                found.limited |= limited;
            }
            found.variables.push(best);
            progress.add(0)?;
        }
        self.test_again(&mut found, target);
        Ok(found)
    }

    /// Drops each variable chosen that some set of the others makes independent after all.
    fn test_again(&self, found: &mut Chosen, target: usize) {
        let mut k = 0;
        while k < found.variables.len() {
            let mut others = found.variables.clone();
            let x = others.remove(k);
            let mut independent = false;
            let (tests, limited) = (&mut found.tests, &mut found.limited);
            *limited |= subsets(&others, self.most, &mut |set| {
                if !independent && let Some(value) = self.quantile(target, x, set) {
                    *tests += 1;
                    independent = value < self.critical;
                }
            });
            if independent {
                found.variables.remove(k);
            } else {
                k += 1;
            }
        }
    }
}

/// Sees every subset of at most `most` members, the empty one first, up to [`MOST_SETS`] of them;
/// true when there were more.
fn subsets(list: &[usize], most: usize, see: &mut impl FnMut(&[usize])) -> bool {
    fn walk(
        list: &[usize],
        most: usize,
        set: &mut Vec<usize>,
        left: &mut usize,
        see: &mut impl FnMut(&[usize]),
    ) -> bool {
        if *left == 0 {
            return true;
        }
        *left -= 1;
        see(set);
        let mut limited = false;
        if set.len() < most {
            for (k, &z) in list.iter().enumerate() {
                set.push(z);
                limited |= walk(&list[k + 1..], most, set, left, see);
                set.pop();
            }
        }
        limited
    }
    walk(list, most, &mut Vec::new(), &mut { MOST_SETS }, see)
}
