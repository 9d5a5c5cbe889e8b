//! Limited-memory BFGS.
