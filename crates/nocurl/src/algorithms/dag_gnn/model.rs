//! The loss of a batch and its gradient.

use faer::{MatMut, MatRef};

use super::network::{self, Network, Sums};
use crate::linalg;
use crate::objective::{Acyclicity, Penalty};
use crate::optimize::Multiplier;

/// The matrix of the model is `sinh(3 A)`, so that entries grow fast once they are not small.
const AMPLIFICATION: f64 = 3.0;

/// Factor of the squared diagonal.
const DIAGONAL: f64 = 100.0;

/// From this many variables on the penalty is computed beside the rest, on another thread.
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
    /// `sinh(3 scale∘W)` and its derivative in W.
    matrix: Vec<f64>,
    slope: Vec<f64>,
    penalty: Penalty,
    autoencoder: Autoencoder,
    gradient: Vec<f64>,
}

impl Model {
    /// A model for batches of at most `rows` rows whose matrix is `sinh(3 scale∘W)`.
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
        let mut count = || multiplier.map_or(0.0, |_| penalty.evaluate(matrix));
        let ((divergence, reconstruction), cycles) = if multiplier.is_some() && d >= THREADED {
            rayon::join(fit, count)
        } else {
            (fit(), count())
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
        let entries = self.matrix.iter_mut().zip(&mut self.slope);
        for ((&w, &scale), (entry, slope)) in weights.iter().zip(&self.scale).zip(entries) {
            let (sinh, cosh) = hyperbolic(AMPLIFICATION * scale * w);
            *entry = sinh;
            *slope = AMPLIFICATION * scale * cosh;
        }
    }
}

/// `sinh x` and `cosh x`, with the same bits on every machine.
fn hyperbolic(x: f64) -> (f64, f64) {
    let sinh = libm::sinh(x);
    (sinh, sinh.hypot(1.0))
}

/// The networks and the matrix without penalties.
///
/// Row by row, with e the encoded values and an offset `a`, the latent mean is
/// `z = (I - A')(e + a) - a`. The decoder of the published code first computes
/// `(I - A')^-1 (z + a) - a`, which is e again: the reconstruction is the decoder network at e and
/// does not depend on A. So there is no inverse here, and A only acts through `|z|^2 / 2`.
#[derive(Debug, Clone)]
struct Autoencoder {
    layout: Layout,
    encoder: Network,
    decoder: Network,
    encoder_sums: Sums,
    decoder_sums: Sums,
    /// In the order of the sorted values: what the encoder makes of them, and the derivative of the
    /// reconstruction in that.
    encoded: Vec<f64>,
    slopes: Vec<f64>,
    /// By rows and variables, stored by columns: encoded values with the offset, latent means over
    /// the number of rows, and a product.
    shifted: Vec<f64>,
    latent: Vec<f64>,
    product: Vec<f64>,
}

impl Autoencoder {
    fn new(layout: Layout, rows: usize) -> Self {
        let zeros = || vec![0.0; rows * layout.variables];
        Self {
            layout,
            encoder: Network::new(layout.hidden),
            decoder: Network::new(layout.hidden),
            encoder_sums: Sums::new(layout.hidden),
            decoder_sums: Sums::new(layout.hidden),
            encoded: zeros(),
            slopes: zeros(),
            shifted: zeros(),
            latent: zeros(),
            product: zeros(),
        }
    }

    /// Divergence and reconstruction of a batch, with their gradients in the networks and in the
    /// matrix.
    fn evaluate(
        &mut self,
        parameters: &[f64],
        matrix: MatRef<'_, f64>,
        batch: Batch<'_>,
        of_networks: &mut [f64],
        of_matrix: &mut [f64],
    ) -> (f64, f64) {
        let (d, size) = (self.layout.variables, self.layout.network());
        let (of_encoder, rest) = parameters.split_at(size);
        let (of_decoder, offset) = (&rest[..size], rest[size]);
        self.encoder.prepare(of_encoder);
        self.decoder.prepare(of_decoder);
        self.encode(batch, offset);
        let reconstruction = self.reconstruct(batch);

        let cells = batch.rows * d;
        let share = 1.0 / batch.rows as f64;
        let by_columns = |cells| MatRef::from_column_major_slice(cells, batch.rows, d);
        let shifted = &self.shifted[..cells];
        let (latent, product) = (&mut self.latent[..cells], &mut self.product[..cells]);
        // z = (e + a) - a - (e + a) A, rows as rows.
        let out = MatMut::from_column_major_slice_mut(latent, batch.rows, d);
        linalg::matmul(out, by_columns(shifted), matrix);
        let mut divergence = 0.0;
        for (latent, &shifted) in latent.iter_mut().zip(shifted) {
            let z = shifted - offset - *latent;
            divergence += z * z;
            *latent = share * z;
        }
        divergence *= 0.5 * share;
        // The derivatives in A, in e and in the offset.
        let out = MatMut::from_column_major_slice_mut(of_matrix, d, d);
        linalg::matmul(out, by_columns(shifted).transpose(), by_columns(latent));
        of_matrix.iter_mut().for_each(|gradient| *gradient = -*gradient);
        let out = MatMut::from_column_major_slice_mut(product, batch.rows, d);
        linalg::matmul(out, by_columns(latent), matrix.transpose());
        let mut of_offset = 0.0;
        for (product, latent) in product.iter_mut().zip(latent) {
            of_offset -= *product;
            *product = *latent - *product;
        }
        self.propagate(batch);

        let (to_encoder, rest) = of_networks.split_at_mut(size);
        let (to_decoder, to_offset) = rest.split_at_mut(size);
        self.encoder.gradient(of_encoder, &self.encoder_sums, to_encoder);
        self.decoder.gradient(of_decoder, &self.decoder_sums, to_decoder);
        to_offset[0] = of_offset;
        (divergence, reconstruction)
    }

    fn encode(&mut self, batch: Batch<'_>, offset: f64) {
        let (encoder, encoded) = (&self.encoder, &mut self.encoded);
        encoder.runs(batch.values, |segment, range| {
            let (slope, intercept) = encoder.line(segment);
            let values = &batch.values[range.clone()];
            for (encoded, x) in encoded[range].iter_mut().zip(values) {
                *encoded = slope * x + intercept;
            }
        });
        for (&place, encoded) in batch.places.iter().zip(encoded) {
            self.shifted[place as usize] = *encoded + offset;
        }
    }

    /// Half the squared error of a row on average, with its derivatives in what the decoder takes
    /// in and their sums.
    fn reconstruct(&mut self, batch: Batch<'_>) -> f64 {
        let share = 1.0 / batch.rows as f64;
        let (decoder, sums, slopes) = (&self.decoder, &mut self.decoder_sums, &mut self.slopes);
        let encoded = &self.encoded[..batch.values.len()];
        sums.clear();
        let mut squares = 0.0;
        decoder.runs(encoded, |segment, range| {
            let (slope, intercept) = decoder.line(segment);
            let (mut sum, mut weighted) = (0.0, 0.0);
            let pairs = batch.values[range.clone()].iter().zip(&encoded[range.clone()]);
            for (to, (x, e)) in slopes[range].iter_mut().zip(pairs) {
                let error = slope * e + intercept - x;
                squares += error * error;
                sum += error;
                weighted += error * e;
                *to = share * error * slope;
            }
            sums.add(segment, share * sum, share * weighted);
        });
        0.5 * share * squares
    }

    /// The sums of the encoder: what the reconstruction and, in `product`, the divergence would
    /// have of each encoded value.
    fn propagate(&mut self, batch: Batch<'_>) {
        let (encoder, sums) = (&self.encoder, &mut self.encoder_sums);
        sums.clear();
        encoder.runs(batch.values, |segment, range| {
            let (mut sum, mut weighted) = (0.0, 0.0);
            let values = batch.values[range.clone()].iter().zip(&batch.places[range.clone()]);
            for ((x, &place), slope) in values.zip(&self.slopes[range]) {
                let g = slope + self.product[place as usize];
                sum += g;
                weighted += g * x;
            }
            sums.add(segment, sum, weighted);
        });
    }
}

#[cfg(test)]
mod tests;
