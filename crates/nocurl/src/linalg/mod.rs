//! The only module that touches the internals of the linear algebra backend (faer).
//!
//! Everything here is deterministic: products that use several threads are cut into blocks whose
//! borders do not depend on the number of threads, and each block is computed sequentially.

mod cholesky;
mod product;

pub use cholesky::Cholesky;
pub(crate) use cholesky::FactorSpace;
pub use product::{gram_accumulate, matmul, matmul_accumulate};
