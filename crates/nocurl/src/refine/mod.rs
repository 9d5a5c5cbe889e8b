//! Search over orders.
