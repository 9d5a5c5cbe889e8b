//! The methods, one file or folder each, and the list that makes them available everywhere.

mod by_condition;
mod facts;
mod likelihood;
mod member;
mod method;
mod near;
mod proposal;
mod registry;
mod sweep;

pub use self::nocurl::Variant;
pub use exact::ExactScore;
pub(crate) use facts::parameters;
pub use facts::{Directions, Facts, MOST_TO_CHECK, Needs, Parameter, TakesKnowledge};
pub use fges::FgesSearch;
pub use gran_dag::GranErrors;
pub use gsges::GsgesScore;
pub use likelihood::MixedScore;
pub(crate) use member::member;
pub use method::{Method, Parameters, Task};
pub use proposal::{Proposal, RunnerUp, SearchReport};
pub use registry::Algorithm;

/// The list of methods: the file or folder, and the types in it.
macro_rules! methods {
    ($($(#[$attribute:meta])* $file:ident { $($method:ident),+ })*) => {
        $($(#[$attribute])* pub mod $file;)*
        $($(#[$attribute])* pub use self::$file::{$($method),+};)*

        /// Every method, with its published parameters.
        const METHODS: &[&[fn() -> Algorithm]] =
            &[$($(#[$attribute])* &[$(Algorithm::of::<$method>),+]),*];
    };
}

methods! {
    nocurl { NoCurl }
    notears { Notears }
    equal_variance { EqTd, EqBu }
    exact { Exact }
    fges { Fges }
    gsges { Gsges }
    order_search { OrderSearch }
    lingam { Lingam }
    mmpc { Mmpc }
    cam { Cam }
    dag_gnn { DagGnn, NoCurlGnn }
    notears_mlp { NotearsMlp, NoCurlMlp }
    nonlinear { Nonlinear }
    gran_dag { GranDag, NoCurlGran }
    sort_regress { SortNRegress, R2SortNRegress }
    #[cfg(feature = "toy")]
    toy { Toy }
}

pub use crate::math::objective::Acyclicity;
pub use crate::math::optimize::Solver;

use crate::core::Error;

/// [`Error::Parameter`] unless `holds`.
pub(crate) fn require(
    name: &'static str,
    value: impl std::fmt::Display,
    holds: bool,
    reason: &'static str,
) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(Error::Parameter { name, value: value.to_string(), reason }) }
}
