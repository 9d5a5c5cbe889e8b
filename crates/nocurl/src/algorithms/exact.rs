//! Exact minimisation over all orders.
/// Parameters.
#[derive(Debug, Clone)]
pub struct ExactParams {}
/// Score.
#[derive(Debug, Clone)]
pub enum ExactScore {}
