//! Equal error variances.
