//! Matrix products.

use faer::linalg::matmul::{self as dense, triangular};

use crate::core::parallel::*;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Columns of one block of a threaded product; fixed, so that results do not depend on threads.
const BLOCK: usize = 128;

/// From this size on a product is worth cutting over threads.
const THREADED: usize = 192;

/// `out = a * b`.
pub fn matmul(out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    blocked(out, Accum::Replace, a, b, 1.0);
}

/// `out += alpha * a * b`.
pub fn matmul_accumulate(out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>, alpha: f64) {
    blocked(out, Accum::Add, a, b, alpha);
}

fn blocked(out: MatMut<'_, f64>, accum: Accum, a: MatRef<'_, f64>, b: MatRef<'_, f64>, alpha: f64) {
    if out.ncols() < THREADED || a.nrows() < THREADED {
        dense::matmul(out, accum, a, b, alpha, Par::Seq);
        return;
    }
    column_groups(out, BLOCK).into_par_iter().enumerate().for_each(|(index, block)| {
        let start = index * BLOCK;
        let columns = b.subcols(start, block.ncols());
        dense::matmul(block, accum, a, columns, alpha, Par::Seq);
    });
}

/// Adds `x' x` to the lower triangle of `out`; the upper triangle is left alone.
pub fn gram_accumulate(out: &mut Mat<f64>, x: MatRef<'_, f64>) {
    triangular::matmul(
        out.as_mut(),
        triangular::BlockStructure::TriangularLower,
        Accum::Add,
        x.transpose(),
        triangular::BlockStructure::Rectangular,
        x,
        triangular::BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}
