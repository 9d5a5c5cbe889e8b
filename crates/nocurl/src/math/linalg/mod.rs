//! Linear algebra on the backend (faer), behind few functions.
//!
//! Everything here is deterministic: products that use several threads are cut into blocks whose
//! borders do not depend on the number of threads, and each block is computed sequentially.

mod cholesky;
mod collinear;
mod eigen;
mod lanes;
mod pivoted;

pub use cholesky::Cholesky;
pub(crate) use cholesky::{FactorSpace, pivot_floor};
pub use collinear::{collinear_set, condition_number, extreme_eigenvalues};
pub(crate) use eigen::eigen;
pub(crate) use lanes::Lanes;
pub(crate) use pivoted::semidefinite_factor;
pub use pivoted::{PivotedCholesky, smallest_pivot_first, smallest_pivot_first_within};

pub use crate::core::{gram_accumulate, matmul, matmul_accumulate};
