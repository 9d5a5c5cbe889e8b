//! What is minimised.
