//! The module `nocurl._nocurl`: the engine for the Python package in `python/nocurl`.
//!
//! It is thin on purpose. Python turns what users pass into arrays and JSON; here the engine runs
//! on them without the interpreter's lock and returns arrays and JSON. Nothing panics through:
//! every entry goes by [`watch::run`] or [`failure::guarded`].

mod array;
mod bench;
mod exact;
mod failure;
mod fits;
mod graph;
mod hodge;
mod inspect;
mod learn;
mod model;
mod moments;
mod part;
mod picture;
mod request;
mod simulate;
mod spelling;
mod table;
mod watch;

use pyo3::prelude::*;

/// Bindings of the engine; use the package `nocurl` instead.
#[pymodule]
mod _nocurl {
    #[pymodule_export]
    use super::bench::{BenchLog, bench_grid, bench_task};
    #[pymodule_export]
    use super::fits::{FitTable, Fits};
    #[pymodule_export]
    use super::graph::{
        compare, describe_graph, format_graph, next_experiment, read_graph, write_graph,
    };
    #[pymodule_export]
    use super::hodge::{Complex, graph_of, order_energy, potential, weights_on_potential};
    #[pymodule_export]
    use super::inspect::inspect;
    #[pymodule_export]
    use super::learn::{describe_method, learn, methods};
    #[pymodule_export]
    use super::model::Answers;
    #[pymodule_export]
    use super::moments::Moments;
    #[pymodule_export]
    use super::part::{
        drawn_merged, learn_again, part, survey, surveyed_variables, surveys_merged,
    };
    #[pymodule_export]
    use super::picture::{
        differences, differences_picture, part_of_graph, picture, write_differences, write_page,
    };
    #[pymodule_export]
    use super::simulate::simulate;
    #[pymodule_export]
    use super::watch::fail;

    /// The licences of everything that the module is built from.
    #[pymodule_export]
    const LICENSES: &str = nocurl_app::LICENSES;

    /// The version of the engine, which is that of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name that Python has for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
