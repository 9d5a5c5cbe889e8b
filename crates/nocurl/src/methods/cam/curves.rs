//! Sums of curves as regressions: the parents of a variable among many candidates, by BIC.

use super::design::Design;
use super::fit::Additive;
use super::select::{Rule, boost, shrink};
use super::{Cam, most_parents};
use crate::core::memory::{Memory, Size};
use crate::core::{Dataset, Error, Run};
use crate::math::Price;
use crate::methods::Method;

/// Splines a variable is expanded into: enough for a cosine over five standard deviations of a
/// variable that is a sum of many.
const BASIS: usize = 20;

/// Boosting steps at most. A term is taken in to nine tenths by 22 of them.
const STEPS: usize = 1500;

/// Boosting steps where all that may help is looked for.
const LOOK: usize = 300;

/// Parents at most.
const MOST: usize = 60;

/// Fits a variable by sums of curves of others. Once made, no fit looks at the rows.
pub(crate) struct Curves {
    design: Design,
    shrunken: Vec<f64>,
}

/// The parents that a fit keeps, in rising order, and what the variable costs with them.
pub(crate) struct Chosen {
    pub(crate) parents: Vec<usize>,
    pub(crate) score: f64,
    target: usize,
    fit: Additive,
}

impl Curves {
    /// Expands the columns of a table.
    pub(crate) fn new(rows: &Dataset, run: &Run<'_>) -> Result<Self, Error> {
        let design = Design::new(rows, BASIS, run)?;
        let shrunken = (0..design.variables()).flat_map(|i| shrink(design.penalty(i))).collect();
        Ok(Self { design, shrunken })
    }

    /// Memory for the splines of all columns: once for all rows, once for some of them.
    pub(crate) fn memory(size: &Size) -> Memory {
        let cam = Method::memory(&Cam { basis: BASIS, ..Cam::default() }, size);
        cam.plus(Memory::matrices(8.0 * (BASIS * BASIS) as f64))
    }

    /// What a parent costs while the graph is sought: the extended BIC.
    pub(crate) fn strict(&self) -> Price {
        Price::extended(self.design.rows(), self.design.variables())
    }

    /// What it costs once the order is known: each degree of freedom as by AIC, and enough for an
    /// edge that among all pairs hardly one is taken in by chance.
    pub(crate) fn lenient(&self) -> Price {
        let d = self.design.variables() as f64;
        Price { parameter: 2.0, edge: 4.0 * libm::log(d) }
    }

    /// The candidates that boosting chooses in some steps, worthwhile or not, those it chooses most
    /// often first.
    pub(crate) fn strongest(&self, target: usize, candidates: &[usize]) -> Vec<usize> {
        self.boosted(target, candidates, Rule { steps: LOOK, least: 0.0 })
    }

    /// What a fit leaves of its variable in the rows that all this was made from, in units of the
    /// variable's deviation.
    pub(crate) fn residuals(&self, rows: &Dataset, chosen: &Chosen) -> Vec<f64> {
        let own = self.design.functions(chosen.target, rows.column(chosen.target));
        let mut left = own.col_as_slice(0).to_vec();
        let coefficients = chosen.fit.coefficients(&self.design);
        for (&parent, weights) in chosen.fit.parents().iter().zip(&coefficients) {
            let functions = self.design.functions(parent, rows.column(parent));
            for (k, weight) in weights.iter().enumerate() {
                let values = functions.col_as_slice(k).iter();
                left.iter_mut().zip(values).for_each(|(left, value)| *left -= weight * value);
            }
        }
        left
    }

    fn boosted(&self, target: usize, candidates: &[usize], rule: Rule) -> Vec<usize> {
        let mut among = vec![false; self.design.variables()];
        candidates.iter().for_each(|&i| among[i] = true);
        let mut chosen = boost(&self.design, &self.shrunken, target, |i| among[i], rule);
        chosen.retain(|choice| choice.count > 0);
        chosen.sort_by_key(|choice| (std::cmp::Reverse(choice.count), choice.variable));
        chosen.into_iter().map(|choice| choice.variable).collect()
    }

    /// The parents of `target` among those that boosting chooses from the candidates: what is left
    /// after backward elimination at this price, a term having its effective degrees of freedom as
    /// parameters. Parents with `required` stay.
    pub(crate) fn fit(
        &self,
        target: usize,
        candidates: &[usize],
        required: impl Fn(usize) -> bool,
        each: Price,
    ) -> Chosen {
        let rule = Rule { steps: STEPS, least: each.single() / self.design.rows() };
        let mut left = self.boosted(target, candidates, rule);
        left.truncate(MOST.min(most_parents(self.design.rows() as usize)));
        left.extend(candidates.iter().copied().filter(|&i| required(i)));
        left.sort_unstable();
        left.dedup();
        let n = self.design.rows();
        loop {
            let fit = Additive::on(&self.design, target, left.clone())
                .unwrap_or_else(|| Additive::greedy(&self.design, target, &left, left.len()));
            let (mut kept, mut weak, mut price) = (Vec::new(), Vec::new(), 0.0);
            for (&parent, (share, freedom)) in fit.parents().iter().zip(fit.shares(&self.design)) {
                let own = freedom * each.parameter + each.edge;
                let gain = n * libm::log1p(share);
                if gain >= own || required(parent) {
                    kept.push(parent);
                    price += own;
                } else {
                    weak.push((gain / own, parent));
                }
            }
            if weak.is_empty() {
                kept.sort_unstable();
                let score = n * libm::log(fit.residual()) + price;
                return Chosen { parents: kept, score, target, fit };
            }
            weak.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            kept.extend(weak[weak.len().div_ceil(2)..].iter().map(|&(_, parent)| parent));
            kept.sort_unstable();
            left = kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Mat;
    use crate::core::simulate::{Simulation, simulate};

    /// Independent columns, the last of which is a sum of cosines of the first `parents`.
    fn hub(parents: usize, columns: usize) -> Dataset {
        let independent =
            Simulation { variables: columns, rows: 1500, degree: 0.0, ..Simulation::default() };
        let mut x = simulate(&independent, 3).unwrap().data.values().to_owned();
        for row in 0..x.nrows() {
            let sum: f64 = (0..parents).map(|j| (2.0 * x[(row, j)] + 1.0).cos()).sum();
            x[(row, columns - 1)] += sum;
        }
        Dataset::new(Dataset::default_names(columns), x).unwrap()
    }

    fn among(columns: usize) -> Vec<usize> {
        (0..columns - 1).collect()
    }

    #[test]
    fn all_parents_of_a_hub_are_found_and_no_others() {
        let data = hub(25, 36);
        let curves = Curves::new(&data, &Run::default()).unwrap();
        let chosen = curves.fit(35, &among(36), |_| false, curves.strict());
        assert_eq!(chosen.parents, (0..25).collect::<Vec<_>>());
        // Fewer candidates cost more; none cost nothing.
        let half = curves.fit(35, &among(14), |_| false, curves.strict());
        assert_eq!(half.parents, (0..13).collect::<Vec<_>>());
        assert!(chosen.score < half.score && half.score < 0.0);
        let none = curves.fit(35, &[], |_| false, curves.strict());
        assert_eq!((none.parents.len(), none.score), (0, 0.0));
        assert!(curves.strongest(35, &among(36))[..25].iter().all(|&i| i < 25));
    }

    #[test]
    fn required_parents_stay_and_copies_do_no_harm() {
        let data = hub(2, 5);
        let x = data.values();
        let copied = Mat::from_fn(x.nrows(), 6, |i, j| if j == 5 { x[(i, 0)] } else { x[(i, j)] });
        let data = Dataset::new(Dataset::default_names(6), copied).unwrap();
        let curves = Curves::new(&data, &Run::default()).unwrap();
        let chosen = curves.fit(4, &[0, 1, 2, 3, 5], |i| i == 3, curves.strict());
        assert!(chosen.parents.contains(&1) && chosen.parents.contains(&3));
        assert!(chosen.parents.contains(&0) || chosen.parents.contains(&5));
        assert!(chosen.score.is_finite());
    }
}
