//! The tests of the engine, a file for each part of it, in one program.

mod acyclicity;
mod cam;
mod cpdag;
mod dag;
mod diagnose;
mod equal_variance;
mod exact;
mod fges;
mod hodge;
mod lbfgs;
mod learn;
mod metrics;
mod missing;
mod mmpc;
mod moments;
mod never_panics;
mod nocurl;
mod notears;
mod prune;
mod reachability;
mod refine;
mod regress;
mod simulate;
mod sort_regress;
