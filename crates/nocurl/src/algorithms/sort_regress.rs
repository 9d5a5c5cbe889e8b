//! Trivial baselines.
