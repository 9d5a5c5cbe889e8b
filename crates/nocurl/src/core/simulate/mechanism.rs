//! How a variable depends on its parents.

use crate::core::{Dag, Mat};

/// The function of the parents to which the noise is added. In the formulae, `a'x` is the weighted
/// sum over the parents of a variable; a variable without parents has `a'x = 0`, and keeps the
/// constant that is then left.
///
/// The first four follow the text of *DAGs with No Curl*. The code of DAG-GNN (Yu, Chen, Gao and
/// Yu, 2019), which the paper refers to for its first two nonlinear cases, computes something else
/// under these names; its variants have names of their own.
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
}

impl Mechanism {
    /// Turns columns of noise into columns of data, parents before children.
    pub(super) fn apply(self, dag: &Dag, values: &mut Mat<f64>) {
        let mut sum = vec![0.0; values.nrows()];
        for &j in dag.order() {
            sum.fill(0.0);
            for i in dag.parents(j) {
                let weight = dag.weights()[(i, j)];
                for (total, &x) in sum.iter_mut().zip(values.col(i).iter()) {
                    *total += weight * self.inner(x);
                }
            }
            for (value, &total) in values.col_mut(j).iter_mut().zip(&sum) {
                *value += self.outer(total);
            }
        }
    }

    /// What is done to each parent before the weighted sum.
    fn inner(self, x: f64) -> f64 {
        match self {
            Self::Linear | Self::Nonlinear1 | Self::Nonlinear2 => x,
            Self::Nonlinear3 | Self::DagGnn1 => libm::cos(x + 1.0),
            Self::DagGnn2 => x + 0.5,
        }
    }

    /// What is done to the weighted sum.
    fn outer(self, sum: f64) -> f64 {
        match self {
            Self::Linear | Self::Nonlinear3 | Self::DagGnn1 => sum,
            Self::Nonlinear1 => libm::cos(sum + 1.0),
            Self::Nonlinear2 => 2.0 * libm::sin(sum + 0.5) + (sum + 0.5),
            Self::DagGnn2 => 2.0 * libm::sin(sum) + sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            mechanism.apply(&dag, &mut values);
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
