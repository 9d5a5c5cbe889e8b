//! The networks and the matrix, without penalties.

use faer::{MatMut, MatRef};

use super::model::{Batch, Layout, beside};
use super::network::{Network, Sums};
use crate::math::linalg;

/// The loss `KL + NLL` of a batch and its gradient.
///
/// Row by row, with e the encoded values and an offset `a`, the latent mean is
/// `z = (I - A')(e + a) - a`. The decoder of the published code first computes
/// `(I - A')^-1 (z + a) - a`, which is e again: the reconstruction is the decoder network at e and
/// does not depend on A. So there is no inverse here, and A only acts through `|z|^2 / 2`.
#[derive(Debug, Clone)]
pub(super) struct Autoencoder {
    layout: Layout,
    encoder: Network,
    sums: Sums,
    /// What the encoder makes of the sorted values.
    encoded: Vec<f64>,
    reconstruction: Reconstruction,
    divergence: Divergence,
}

impl Autoencoder {
    /// Work space for batches of at most `rows` rows.
    pub(super) fn new(layout: Layout, rows: usize) -> Self {
        let cells = rows * layout.variables;
        Self {
            layout,
            encoder: Network::new(layout.hidden),
            sums: Sums::new(layout.hidden),
            encoded: vec![0.0; cells],
            reconstruction: Reconstruction::new(layout.hidden, cells),
            divergence: Divergence::new(cells),
        }
    }

    /// Divergence and reconstruction of a batch, with their gradients in the networks and in the
    /// matrix.
    pub(super) fn evaluate(
        &mut self,
        parameters: &[f64],
        matrix: MatRef<'_, f64>,
        batch: Batch<'_>,
        of_networks: &mut [f64],
        of_matrix: &mut [f64],
    ) -> (f64, f64) {
        let size = self.layout.network();
        let (encoder, rest) = parameters.split_at(size);
        let (decoder, offset) = (&rest[..size], rest[size]);
        let (of_encoder, rest) = of_networks.split_at_mut(size);
        let (of_decoder, of_offset) = rest.split_at_mut(size);
        self.encode(encoder, batch);
        let encoded = &self.encoded[..batch.values.len()];
        let (reconstruction, divergence) = (&mut self.reconstruction, &mut self.divergence);
        let (error, distance) = beside(
            self.layout.variables,
            || reconstruction.evaluate(decoder, encoded, batch, of_decoder),
            || divergence.evaluate(offset, encoded, matrix, batch, &mut of_offset[0], of_matrix),
        );
        self.propagate(batch);
        self.encoder.gradient(encoder, &self.sums, of_encoder);
        (distance, error)
    }

    fn encode(&mut self, weights: &[f64], batch: Batch<'_>) {
        self.encoder.prepare(weights);
        let (encoder, encoded) = (&self.encoder, &mut self.encoded);
        encoder.sorted_runs(batch.values, |segment, range| {
            let (slope, intercept) = encoder.line(segment);
            let values = &batch.values[range.clone()];
            for (encoded, x) in encoded[range].iter_mut().zip(values) {
                *encoded = slope * x + intercept;
            }
        });
    }

    /// The sums of the encoder, from the derivatives of both parts in the encoded values.
    fn propagate(&mut self, batch: Batch<'_>) {
        let (sums, slopes) = (&mut self.sums, &self.reconstruction.slopes);
        let of_cells = &self.divergence.product;
        sums.clear();
        self.encoder.sorted_runs(batch.values, |segment, range| {
            let (mut sum, mut weighted) = (0.0, 0.0);
            let values = batch.values[range.clone()].iter().zip(&batch.places[range.clone()]);
            for ((x, &place), slope) in values.zip(&slopes[range]) {
                let g = slope + of_cells[place as usize];
                sum += g;
                weighted += g * x;
            }
            sums.add(segment, sum, weighted);
        });
    }
}

/// Half the squared error of the decoder network at the encoded values.
#[derive(Debug, Clone)]
struct Reconstruction {
    decoder: Network,
    sums: Sums,
    /// The derivatives in the encoded values, in their order.
    slopes: Vec<f64>,
}

impl Reconstruction {
    fn new(hidden: usize, cells: usize) -> Self {
        let (decoder, sums) = (Network::new(hidden), Sums::new(hidden));
        Self { decoder, sums, slopes: vec![0.0; cells] }
    }

    fn evaluate(
        &mut self,
        weights: &[f64],
        encoded: &[f64],
        batch: Batch<'_>,
        gradient: &mut [f64],
    ) -> f64 {
        self.decoder.prepare(weights);
        self.sums.clear();
        let share = 1.0 / batch.rows as f64;
        let (decoder, sums, slopes) = (&self.decoder, &mut self.sums, &mut self.slopes);
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
        self.decoder.gradient(weights, &self.sums, gradient);
        0.5 * share * squares
    }
}

/// Half the squared length of the latent means. All is stored by columns, rows and variables.
#[derive(Debug, Clone)]
struct Divergence {
    /// Encoded values with the offset.
    shifted: Vec<f64>,
    /// Latent means over the number of rows.
    latent: Vec<f64>,
    /// In the end the derivatives in the encoded values.
    product: Vec<f64>,
}

impl Divergence {
    fn new(cells: usize) -> Self {
        let zeros = || vec![0.0; cells];
        Self { shifted: zeros(), latent: zeros(), product: zeros() }
    }

    fn evaluate(
        &mut self,
        offset: f64,
        encoded: &[f64],
        matrix: MatRef<'_, f64>,
        batch: Batch<'_>,
        of_offset: &mut f64,
        of_matrix: &mut [f64],
    ) -> f64 {
        let (n, d, cells) = (batch.rows, matrix.ncols(), encoded.len());
        for (&place, encoded) in batch.places.iter().zip(encoded) {
            self.shifted[place as usize] = encoded + offset;
        }
        let shifted = MatRef::from_column_major_slice(&self.shifted[..cells], n, d);
        // z' = (e + a)' - a - (e + a)' A.
        let latent = &mut self.latent[..cells];
        linalg::matmul(MatMut::from_column_major_slice_mut(latent, n, d), shifted, matrix);
        let share = 1.0 / n as f64;
        let mut squares = 0.0;
        for (latent, shifted) in latent.iter_mut().zip(&self.shifted) {
            let z = shifted - offset - *latent;
            squares += z * z;
            *latent = share * z;
        }
        let latent = MatRef::from_column_major_slice(&self.latent[..cells], n, d);
        let product = &mut self.product[..cells];
        beside(
            d,
            || {
                // The derivative in A is -(e + a) z'.
                let out = MatMut::from_column_major_slice_mut(of_matrix, d, d);
                linalg::matmul(out, shifted.transpose(), latent);
                of_matrix.iter_mut().for_each(|gradient| *gradient = -*gradient);
            },
            || {
                // In e it is (I - A) z, in the offset the sum of -A z.
                let out = MatMut::from_column_major_slice_mut(product, n, d);
                linalg::matmul(out, latent, matrix.transpose());
                *of_offset = 0.0;
                for (product, latent) in product.iter_mut().zip(&self.latent) {
                    *of_offset -= *product;
                    *product = latent - *product;
                }
            },
        );
        0.5 * share * squares
    }
}
