//! Regression on an order.
