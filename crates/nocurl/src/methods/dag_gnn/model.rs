//! The loss of a batch and its gradient.

use faer::MatRef;

use super::autoencoder::Autoencoder;
use super::network;
use crate::core::parallel::join;
use crate::math::objective::{Acyclicity, Penalty};
use crate::math::optimize::Multiplier;

/// The matrix of the model is `sinh(3 A)`, so that entries grow fast once they are not small.
const AMPLIFICATION: f64 = 3.0;

/// Factor of the squared diagonal.
const DIAGONAL: f64 = 100.0;

/// From this many variables on parts of a step are worth a thread of their own.
const THREADED: usize = 40;

/// Where the parts of all parameters lie: encoder, decoder, offset, matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) hidden: usize,
    pub(super) variables: usize,
}

impl Layout {
    pub(super) fn network(self) -> usize {
        network::size(self.hidden)
    }

    /// Where the matrix begins, column by column.
    pub(super) fn matrix(self) -> usize {
        2 * self.network() + 1
    }

    pub(super) fn size(self) -> usize {
        self.matrix() + self.variables * self.variables
    }
}

/// Rows of a batch. Its values are sorted once and for all, whatever row and variable they are of:
/// networks take them in one sweep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch<'a> {
    pub(super) rows: usize,
    /// All values, ascending.
    pub(super) values: &'a [f64],
    /// Where each belongs in the matrix of rows and variables, stored by columns.
    pub(super) places: &'a [u32],
}

/// The parts of the loss of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loss {
    /// Divergence of the latent variables from the prior.
    pub(super) divergence: f64,
    /// Half the squared error of the reconstruction.
    pub(super) reconstruction: f64,
    /// h of the matrix, where it is penalised.
    pub(super) cycles: f64,
    /// All together.
    pub(super) total: f64,
}

impl Loss {
    /// What the evidence lower bound is the negative of, up to a constant.
    pub(super) fn evidence(&self) -> f64 {
        self.divergence + self.reconstruction
    }
}

/// The loss of DAG-GNN with its work space; nothing is allocated after it is made.
#[derive(Debug, Clone)]
pub(super) struct Model {
    layout: Layout,
    /// Factor of each entry of the matrix; 0 pins it.
    scale: Vec<f64>,
    /// `scale∘sinh(3 W)` and its derivative in W.
    matrix: Vec<f64>,
    slope: Vec<f64>,
    penalty: Penalty,
    autoencoder: Autoencoder,
    gradient: Vec<f64>,
    arch: pulp::Arch,
}

impl Model {
    /// A model for batches of at most `rows` rows whose matrix is `scale∘sinh(3 W)`.
    pub(super) fn new(layout: Layout, rows: usize, scale: Vec<f64>) -> Self {
        let d = layout.variables;
        assert_eq!(scale.len(), d * d, "one factor for each entry");
        Self {
            layout,
            matrix: vec![0.0; d * d],
            slope: vec![0.0; d * d],
            scale,
            penalty: Penalty::new(Acyclicity::Polynomial, d),
            autoencoder: Autoencoder::new(layout, rows),
            gradient: vec![0.0; layout.size()],
            arch: pulp::Arch::new(),
        }
    }

    /// The matrix at the last point evaluated, by columns.
    pub(super) fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// The matrix at a point, by columns.
    pub(super) fn matrix_at(&mut self, parameters: &[f64]) -> &[f64] {
        self.amplify(&parameters[self.layout.matrix()..]);
        &self.matrix
    }

    /// The gradient at the last point evaluated.
    pub(super) fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// The loss of a batch: `KL + NLL`, and with a multiplier `alpha h + rho h^2 / 2` and the
    /// diagonal.
    pub(super) fn evaluate(
        &mut self,
        parameters: &[f64],
        batch: Batch<'_>,
        multiplier: Option<Multiplier>,
    ) -> Loss {
        let d = self.layout.variables;
        let start = self.layout.matrix();
        self.amplify(&parameters[start..]);
        let (of_networks, of_matrix) = self.gradient.split_at_mut(start);
        let matrix = MatRef::from_column_major_slice(&self.matrix, d, d);
        let (autoencoder, penalty) = (&mut self.autoencoder, &mut self.penalty);
        let mut fit = || {
            autoencoder.evaluate(&parameters[..start], matrix, batch, of_networks, &mut *of_matrix)
        };
        let count = || penalty.evaluate(matrix);
        let ((divergence, reconstruction), cycles) = match multiplier {
            Some(_) => beside(d, fit, count),
            None => (fit(), 0.0),
        };
        let mut total = divergence + reconstruction;
        if let Some(Multiplier { linear, quadratic }) = multiplier {
            total += (linear + 0.5 * quadratic * cycles) * cycles;
            let factor = 2.0 * (linear + quadratic * cycles);
            let walks = self.penalty.walks();
            for j in 0..d {
                for i in 0..d {
                    of_matrix[i + j * d] += factor * walks[(j, i)] * self.matrix[i + j * d];
                }
                let own = self.matrix[j + j * d];
                total += DIAGONAL * own * own;
                of_matrix[j + j * d] += 2.0 * DIAGONAL * own;
            }
        }
        for (gradient, slope) in of_matrix.iter_mut().zip(&self.slope) {
            *gradient *= slope;
        }
        Loss { divergence, reconstruction, cycles, total }
    }

    fn amplify(&mut self, weights: &[f64]) {
        let near = weights.iter().all(|w| w.abs() <= NEAR / AMPLIFICATION);
        let (matrix, slope) = (&mut self.matrix, &mut self.slope);
        let entries = Amplify { weights, scale: &self.scale, matrix, slope };
        if near {
            self.arch.dispatch(entries);
        } else {
            entries.by(|x| (libm::sinh(x), libm::cosh(x)));
        }
    }
}

/// The matrix `scale∘sinh(3 W)` and its derivative in W.
struct Amplify<'a> {
    weights: &'a [f64],
    scale: &'a [f64],
    matrix: &'a mut [f64],
    slope: &'a mut [f64],
}

impl Amplify<'_> {
    #[inline(always)]
    fn by(self, hyperbolic: impl Fn(f64) -> (f64, f64)) {
        let factors = self.weights.iter().zip(self.scale);
        let entries = self.matrix.iter_mut().zip(self.slope);
        for ((&w, &scale), (entry, slope)) in factors.zip(entries) {
            let (sinh, cosh) = hyperbolic(AMPLIFICATION * w);
            *entry = scale * sinh;
            *slope = AMPLIFICATION * scale * cosh;
        }
    }
}

/// Compiled for each set of vector instructions; the bits are the same with all of them.
impl pulp::NullaryFnOnce for Amplify<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.by(hyperbolic);
    }
}

/// Both results, on two threads where there are enough variables. Neither depends on the other, so
/// the bits are the same either way.
pub(super) fn beside<A: Send, B: Send>(
    variables: usize,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if variables < THREADED { (one(), other()) } else { join(one, other) }
}

/// The largest size of x for which the series of [`hyperbolic`] is exact to rounding.
const NEAR: f64 = 8.0;

/// `sinh x` and `cosh x` for x in `-NEAR..NEAR`: the series at x / 8, where terms beyond those here
/// are below rounding, then three times from the angle to its double.
#[inline(always)]
fn hyperbolic(x: f64) -> (f64, f64) {
    // 1 / (2k + 1)! and 1 / (2k)!.
    const ODD: [f64; 9] = reciprocal_factorials(1);
    const EVEN: [f64; 9] = reciprocal_factorials(0);
    let y = 0.125 * x;
    let square = y * y;
    let series = |terms: [f64; 9]| terms.iter().rev().fold(0.0, |sum, term| sum * square + term);
    let (mut sinh, mut cosh) = (y * series(ODD), series(EVEN));
    for _ in 0..3 {
        (sinh, cosh) = (2.0 * sinh * cosh, 1.0 + 2.0 * sinh * sinh);
    }
    (sinh, cosh)
}

/// `1 / k!` for every second k from `first` on.
const fn reciprocal_factorials(first: u32) -> [f64; 9] {
    let mut terms = [0.0; 9];
    let (mut factorial, mut k) = (1.0, 0);
    while k < 18 + first {
        if k % 2 == first && k / 2 < 9 {
            terms[(k / 2) as usize] = 1.0 / factorial;
        }
        k += 1;
        factorial *= k as f64;
    }
    terms
}

#[cfg(test)]
mod tests;
