//! How far an estimate is from the truth.
