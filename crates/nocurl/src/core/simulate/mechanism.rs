//! How a variable depends on its parents.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::smooth::Smooth;
use crate::core::{Dag, Mat};

/// The function of the parents to which the noise is added. In the formulae, `a'x` is the weighted
/// sum over the parents of a variable; a variable without parents has `a'x = 0`, and keeps the
/// constant that is then left.
///
/// The first four follow the text of *DAGs with No Curl*. The code of DAG-GNN (Yu, Chen, Gao and
/// Yu, 2019), which the paper refers to for its first two nonlinear cases, computes something else
/// under these names; its variants have names of their own.
///
/// The last four have functions drawn at random and no weights; in them a variable without parents
/// is its noise alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Mechanism {
    /// `a'x`.
    Linear,
    /// Nonlinear case 1: `cos(a'x + 1)`.
    #[cfg_attr(feature = "serde", serde(rename = "nonlinear-1"))]
    Nonlinear1,
    /// Nonlinear case 2: `2 sin(a'x + 0.5) + (a'x + 0.5)`.
    #[cfg_attr(feature = "serde", serde(rename = "nonlinear-2"))]
    Nonlinear2,
    /// Nonlinear case 3, in the paper on scale-free graphs: `a' cos(x + 1)`.
    #[cfg_attr(feature = "serde", serde(rename = "nonlinear-3"))]
    Nonlinear3,
    /// DAG-GNN's first: `a' cos(x + 1)`, the same function as case 3.
    #[cfg_attr(feature = "serde", serde(rename = "dag-gnn-1"))]
    DagGnn1,
    /// DAG-GNN's second, with the shift inside the sum: `2 sin(a'(x + 0.5)) + a'(x + 0.5)`.
    #[cfg_attr(feature = "serde", serde(rename = "dag-gnn-2"))]
    DagGnn2,
    /// One function of all parents together, drawn from a Gaussian process with the kernel
    /// `exp(-|x - y|^2 / 2)`.
    Gp,
    /// A sum of such functions, one of each parent.
    GpAdditive,
    /// A product of such functions, one of each parent.
    Multiplicative,
    /// The function of `gp` and the noise together go through `u + u^3 / 3`.
    PostNonlinear,
}

impl Mechanism {
    /// True when functions are drawn at random.
    fn is_drawn(self) -> bool {
        matches!(self, Self::Gp | Self::GpAdditive | Self::Multiplicative | Self::PostNonlinear)
    }

    /// Turns columns of noise into columns of data, parents before children. Functions that are
    /// drawn come from a stream for each variable.
    pub(super) fn apply(
        self,
        dag: &Dag,
        values: &mut Mat<f64>,
        stream: impl FnMut() -> Xoshiro256PlusPlus,
    ) {
        if self.is_drawn() {
            return self.apply_drawn(dag, values, stream);
        }
        let mut sum = vec![0.0; values.nrows()];
        for &j in dag.order() {
            sum.fill(0.0);
            for i in dag.parents(j) {
                let weight = dag.weight(i, j);
                for (total, &x) in sum.iter_mut().zip(values.col(i).iter()) {
                    *total += weight * self.inner(x);
                }
            }
            for (value, &total) in values.col_mut(j).iter_mut().zip(&sum) {
                *value += self.outer(total);
            }
        }
    }

    fn apply_drawn(
        self,
        dag: &Dag,
        values: &mut Mat<f64>,
        mut stream: impl FnMut() -> Xoshiro256PlusPlus,
    ) {
        let mut streams: Vec<Xoshiro256PlusPlus> = (0..dag.size()).map(|_| stream()).collect();
        for &j in dag.order() {
            let parents: Vec<usize> = dag.parents(j).collect();
            if parents.is_empty() {
                continue;
            }
            let apart = matches!(self, Self::GpAdditive | Self::Multiplicative);
            let groups: Vec<&[usize]> =
                if apart { parents.chunks(1).collect() } else { vec![&parents[..]] };
            let functions: Vec<Smooth> =
                groups.iter().map(|group| Smooth::new(group.len(), &mut streams[j])).collect();
            let mut point = Vec::new();
            for row in 0..values.nrows() {
                let mut value = |(group, function): (&&[usize], &Smooth)| {
                    point.clear();
                    point.extend(group.iter().map(|&i| values[(row, i)]));
                    function.at(&point)
                };
                let each = groups.iter().zip(&functions);
                let effect: f64 = match self {
                    Self::Multiplicative => each.map(&mut value).product(),
                    _ => each.map(&mut value).sum(),
                };
                let sum = effect + values[(row, j)];
                values[(row, j)] =
                    if self == Self::PostNonlinear { sum + sum * sum * sum / 3.0 } else { sum };
            }
        }
    }

    /// What is done to each parent before the weighted sum.
    fn inner(self, x: f64) -> f64 {
        match self {
            Self::Linear | Self::Nonlinear1 | Self::Nonlinear2 => x,
            Self::Nonlinear3 | Self::DagGnn1 => libm::cos(x + 1.0),
            Self::DagGnn2 => x + 0.5,
            Self::Gp | Self::GpAdditive | Self::Multiplicative | Self::PostNonlinear => x,
        }
    }

    /// What is done to the weighted sum.
    fn outer(self, sum: f64) -> f64 {
        match self {
            Self::Linear | Self::Nonlinear3 | Self::DagGnn1 => sum,
            Self::Nonlinear1 => libm::cos(sum + 1.0),
            Self::Nonlinear2 => 2.0 * libm::sin(sum + 0.5) + (sum + 0.5),
            Self::DagGnn2 => 2.0 * libm::sin(sum) + sum,
            Self::Gp | Self::GpAdditive | Self::Multiplicative | Self::PostNonlinear => sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn stream() -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(1)
    }

    /// A child of two: what it is without noise.
    fn effects(mechanism: Mechanism, points: &[[f64; 2]], noise: f64) -> Vec<f64> {
        let dag = Dag::from_edges(3, &[(0, 2), (1, 2)]).unwrap();
        let mut values =
            Mat::from_fn(points.len(), 3, |i, j| if j < 2 { points[i][j] } else { noise });
        mechanism.apply(&dag, &mut values, stream);
        assert!((0..points.len()).all(|i| values[(i, 0)] == points[i][0]));
        (0..points.len()).map(|i| values[(i, 2)]).collect()
    }

    #[test]
    fn drawn_functions_are_put_together_as_they_say() {
        let square = [[0.2, -1.0], [0.2, 0.7], [1.4, -1.0], [1.4, 0.7]];
        // A sum of functions has no interaction, a product of them has proportional columns.
        let sum = effects(Mechanism::GpAdditive, &square, 0.0);
        assert!((sum[0] - sum[1] - sum[2] + sum[3]).abs() < 1e-12);
        let product = effects(Mechanism::Multiplicative, &square, 0.0);
        assert!((product[0] * product[3] - product[1] * product[2]).abs() < 1e-12);
        let joint = effects(Mechanism::Gp, &square, 0.0);
        assert!((joint[0] - joint[1] - joint[2] + joint[3]).abs() > 1e-3);
        assert!((joint[0] * joint[3] - joint[1] * joint[2]).abs() > 1e-3);
        let (noisy, through) =
            (effects(Mechanism::Gp, &square, 0.5), effects(Mechanism::PostNonlinear, &square, 0.5));
        for ((joint, noisy), through) in joint.iter().zip(noisy).zip(through) {
            assert!((joint + 0.5 - noisy).abs() < 1e-12);
            assert!((noisy + noisy.powi(3) / 3.0 - through).abs() < 1e-12);
        }
    }

    #[test]
    fn mechanisms_follow_their_formulae() {
        let mut weights = Mat::zeros(3, 3);
        (weights[(0, 2)], weights[(1, 2)]) = (0.75, -1.5);
        let dag = Dag::new(weights).unwrap();
        let (x, y, z): (f64, f64, f64) = (0.3, -1.1, 0.2);
        let constant = |mechanism: Mechanism| mechanism.outer(0.0);
        let child = |mechanism: Mechanism| {
            let root = constant(mechanism);
            let mut values = Mat::zeros(1, 3);
            (values[(0, 0)], values[(0, 1)], values[(0, 2)]) = (x - root, y - root, z);
            mechanism.apply(&dag, &mut values, stream);
            assert!((values[(0, 0)] - x).abs() < 1e-15, "a root is its constant plus its noise");
            values[(0, 2)] - z
        };
        let linear = 0.75 * x - 1.5 * y;
        let shifted = 0.75 * (x + 0.5) - 1.5 * (y + 0.5);
        let cosines = 0.75 * (x + 1.0).cos() - 1.5 * (y + 1.0).cos();
        for (mechanism, expected) in [
            (Mechanism::Linear, linear),
            (Mechanism::Nonlinear1, (linear + 1.0).cos()),
            (Mechanism::Nonlinear2, 2.0 * (linear + 0.5).sin() + linear + 0.5),
            (Mechanism::Nonlinear3, cosines),
            (Mechanism::DagGnn1, cosines),
            (Mechanism::DagGnn2, 2.0 * shifted.sin() + shifted),
        ] {
            assert!((child(mechanism) - expected).abs() < 1e-14, "{mechanism:?}");
        }
        assert_eq!(constant(Mechanism::Linear), 0.0);
        assert!((constant(Mechanism::Nonlinear1) - 1f64.cos()).abs() < 1e-15);
    }
}
