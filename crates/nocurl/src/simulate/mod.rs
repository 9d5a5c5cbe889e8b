//! Random graphs and data drawn from them.
