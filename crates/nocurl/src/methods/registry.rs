//! Every method, once: the command line, Python and the bench take them from here.

use serde::{Deserialize, Serialize};

use super::equal_variance::{self, Direction};
use super::sort_regress::{self, SortBy};
use super::{
    CamParams, DagGnnParams, ExactParams, ExactScore, FgesParams, MmpcParams, NoCurlGnnParams,
    NoCurlMlpParams, NoCurlParams, NotearsMlpParams, NotearsParams, OrderSearchParams, Problem,
    Proposal, cam, dag_gnn, exact, fges, mmpc, nocurl, notears, notears_mlp, order_search,
};
use crate::core::advice::Action;
use crate::core::error::closest;
use crate::core::{Claim, Dataset, Error, Observer};

/// A method with its parameters.
///
/// Serialised as one object with the method's name under `method` and its parameters beside it.
///
/// ```
/// use nocurl::Algorithm;
/// assert_eq!(Algorithm::from_name("eq-td")?.name(), "eq-td");
/// let error = Algorithm::from_name("nocurll").unwrap_err();
/// assert_eq!(error.to_string(), "unknown method `nocurll`: did you mean `nocurl`?");
/// # Ok::<(), nocurl::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Algorithm {
    /// DAG-NoCurl (Yu et al., 2021).
    #[serde(rename = "nocurl")]
    NoCurl(NoCurlParams),
    /// NOTEARS (Zheng et al., 2018).
    Notears(NotearsParams),
    /// Equal error variances, top-down (Chen, Drton and Wang, 2019).
    EqTd {},
    /// Equal error variances, bottom-up (Chen, Drton and Wang, 2019).
    EqBu {},
    /// The best order of all, by dynamic programming.
    Exact(ExactParams),
    /// Fast greedy equivalence search (Chickering, 2002; Ramsey et al., 2017).
    Fges(FgesParams),
    /// Search over orders by BIC (Friedman and Koller, 2003; Wienöbst et al., 2025).
    OrderSearch(OrderSearchParams),
    /// Max-min parents and children (Tsamardinos, Brown and Aliferis, 2006).
    Mmpc(MmpcParams),
    /// Causal additive models (Bühlmann, Peters and Ernest, 2014).
    Cam(CamParams),
    /// DAG-GNN (Yu, Chen, Gao and Yu, 2019).
    DagGnn(DagGnnParams),
    /// DAG-GNN with NoCurl (Yu et al., 2021, Algorithm 2).
    #[serde(rename = "nocurl-gnn")]
    NoCurlGnn(NoCurlGnnParams),
    /// NOTEARS with networks (Zheng et al., 2020).
    NotearsMlp(NotearsMlpParams),
    /// DAG-NoCurl with the networks of NOTEARS-MLP.
    #[serde(rename = "nocurl-mlp")]
    NoCurlMlp(NoCurlMlpParams),
    /// Order by variance (Reisach, Seiler and Weichwald, 2021).
    #[serde(rename = "sortnregress")]
    SortNRegress {},
    /// Order by the share of variance the other variables explain (Reisach et al., 2023).
    #[serde(rename = "r2-sortnregress")]
    R2SortNRegress {},
}

/// The search over orders: it does not depend on units, and on no kind of data that was tried does
/// a trivial baseline beat it (`nocurl bench default`).
impl Default for Algorithm {
    fn default() -> Self {
        Self::OrderSearch(OrderSearchParams::default())
    }
}

impl Algorithm {
    /// All methods with their published parameters.
    pub fn all() -> Vec<Self> {
        vec![
            Self::NoCurl(NoCurlParams::default()),
            Self::Notears(NotearsParams::default()),
            Self::EqTd {},
            Self::EqBu {},
            Self::Exact(ExactParams::default()),
            Self::Fges(FgesParams::default()),
            Self::OrderSearch(OrderSearchParams::default()),
            Self::Mmpc(MmpcParams::default()),
            Self::Cam(CamParams::default()),
            Self::DagGnn(DagGnnParams::default()),
            Self::NoCurlGnn(NoCurlGnnParams::default()),
            Self::NotearsMlp(NotearsMlpParams::default()),
            Self::NoCurlMlp(NoCurlMlpParams::default()),
            Self::SortNRegress {},
            Self::R2SortNRegress {},
        ]
    }

    /// The method of this name with its published parameters.
    ///
    /// # Errors
    /// [`Error::UnknownMethod`] with the closest known name.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        let all = Self::all();
        all.iter().find(|method| method.name() == name).cloned().ok_or_else(|| {
            Error::UnknownMethod {
                name: name.into(),
                suggestion: closest(name, all.iter().map(Self::name)).map(Into::into),
            }
        })
    }

    /// The name under which users know the method.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoCurl(_) => "nocurl",
            Self::Notears(_) => "notears",
            Self::EqTd {} => "eq-td",
            Self::EqBu {} => "eq-bu",
            Self::Exact(_) => "exact",
            Self::Fges(_) => "fges",
            Self::OrderSearch(_) => "order-search",
            Self::Mmpc(_) => "mmpc",
            Self::Cam(_) => "cam",
            Self::DagGnn(_) => "dag-gnn",
            Self::NoCurlGnn(_) => "nocurl-gnn",
            Self::NotearsMlp(_) => "notears-mlp",
            Self::NoCurlMlp(_) => "nocurl-mlp",
            Self::SortNRegress {} => "sortnregress",
            Self::R2SortNRegress {} => "r2-sortnregress",
        }
    }

    /// What the method does, in one line.
    pub fn summary(&self) -> &'static str {
        match self {
            Self::NoCurl(_) => {
                "penalised estimate, Hodge projection to an order, regression on it (DAG-NoCurl)"
            }
            Self::Notears(_) => "least squares under a smooth acyclicity constraint (NOTEARS)",
            Self::EqTd {} => "equal error variances: sources first, by conditional variance",
            Self::EqBu {} => "equal error variances: sinks first, by the precision matrix",
            Self::Exact(_) => "the best order of all by dynamic programming, for few variables",
            Self::Fges(_) => "greedy search over equivalence classes by BIC (FGES)",
            Self::OrderSearch(_) => {
                "search over orders by BIC with restarts; does not depend on units"
            }
            Self::Mmpc(_) => "skeleton by tests of independence (max-min parents and children)",
            Self::Cam(_) => "nonlinear: additive splines, greedy order search, significance (CAM)",
            Self::DagGnn(_) => "nonlinear: autoencoder under an acyclicity constraint (DAG-GNN)",
            Self::NoCurlGnn(_) => {
                "nonlinear: autoencoder, Hodge projection to an order, autoencoder on it (DAG-GNN)"
            }
            Self::NotearsMlp(_) => {
                "nonlinear: networks under a smooth acyclicity constraint (NOTEARS-MLP)"
            }
            Self::NoCurlMlp(_) => {
                "nonlinear: networks, Hodge projection to an order, networks on it"
            }
            Self::SortNRegress {} => "baseline: order by variance; depends on units",
            Self::R2SortNRegress {} => "baseline: order by R2 on all other variables",
        }
    }

    /// What the answer rests on, in one line for the user.
    pub fn assumption(&self) -> &'static str {
        match self {
            Self::Fges(_)
            | Self::OrderSearch(_)
            | Self::Exact(ExactParams { score: ExactScore::Bic, .. }) => {
                "directions that the equivalence class leaves open are a guess"
            }
            Self::Mmpc(_) => "only adjacencies are tested for: directions are arbitrary",
            Self::NoCurl(_)
            | Self::Notears(_)
            | Self::EqTd {}
            | Self::EqBu {}
            | Self::Exact(_)
            | Self::NotearsMlp(_)
            | Self::NoCurlMlp(_) => {
                "directions rest on error variances of similar size in the units given"
            }
            Self::Cam(_) => "directions rest on nonlinear effects with additive Gaussian errors",
            Self::DagGnn(_) | Self::NoCurlGnn(_) => {
                "directions rest on similar error variances after one transformation of all columns"
            }
            Self::SortNRegress {} => "directions rest on variances alone: a baseline, not evidence",
            Self::R2SortNRegress {} => "directions rest on R2 alone: a baseline, not evidence",
        }
    }

    /// True when the method chooses edges by a score of its own, so that no threshold is needed.
    pub fn chooses_edges(&self) -> bool {
        match self {
            Self::Fges(_) | Self::OrderSearch(_) | Self::Mmpc(_) | Self::Cam(_) => true,
            Self::DagGnn(_) | Self::NoCurlGnn(_) => true,
            Self::NotearsMlp(_) | Self::NoCurlMlp(_) => true,
            Self::Exact(params) => params.score == ExactScore::Bic,
            _ => false,
        }
    }

    /// How much of the graph the method means.
    pub fn claim(&self) -> Claim {
        match self {
            Self::Fges(_)
            | Self::OrderSearch(_)
            | Self::Exact(ExactParams { score: ExactScore::Bic, .. }) => Claim::Class,
            Self::Mmpc(_) => Claim::Skeleton,
            _ => Claim::Dag,
        }
    }

    /// True when directions rest on error variances of similar size in the units given.
    pub fn assumes_equal_variances(&self) -> bool {
        match self {
            Self::NoCurl(_)
            | Self::Notears(_)
            | Self::EqTd {}
            | Self::EqBu {}
            | Self::NotearsMlp(_)
            | Self::NoCurlMlp(_) => true,
            Self::Exact(params) => params.score == ExactScore::LeastSquares,
            _ => false,
        }
    }

    /// True when what the method claims can change with the units of the columns.
    pub fn depends_on_units(&self) -> bool {
        self.assumes_equal_variances() || self.trains() || matches!(self, Self::SortNRegress {})
    }

    /// True when moments are not enough: the method must be given a [`Dataset`].
    pub fn needs_rows(&self) -> bool {
        matches!(self, Self::Cam(_)) || self.trains()
    }

    /// True when the method trains networks, and its state can be kept ([`crate::Keeper`]).
    pub fn trains(&self) -> bool {
        matches!(
            self,
            Self::DagGnn(_) | Self::NoCurlGnn(_) | Self::NotearsMlp(_) | Self::NoCurlMlp(_)
        )
    }

    /// Whether the method can honour prior knowledge.
    ///
    /// # Errors
    /// [`Error::TakesNoKnowledge`] with what to use instead.
    pub fn takes_knowledge(&self) -> Result<(), Error> {
        let instead = match self {
            Self::Fges(_) | Self::Mmpc(_) => "order-search",
            _ => return Ok(()),
        };
        Err(Error::TakesNoKnowledge { method: self.name(), instead })
    }

    /// True when the weights of the graph are the whole of the effects, not their linear parts.
    pub fn is_linear(&self) -> bool {
        !matches!(
            self,
            Self::Cam(_)
                | Self::DagGnn(_)
                | Self::NoCurlGnn(_)
                | Self::NotearsMlp(_)
                | Self::NoCurlMlp(_)
        )
    }

    pub(crate) fn propose(
        &self,
        problem: &Problem,
        rows: Option<&Dataset>,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Proposal, Error> {
        let needed = || rows.ok_or(Error::NeedsRows { what: Action::method(self.name()) });
        match self {
            Self::NoCurl(params) => nocurl::propose(problem, params, seed, observer),
            Self::Notears(params) => notears::propose(problem, params, observer),
            Self::EqTd {} => equal_variance::propose(problem, Direction::TopDown, observer),
            Self::EqBu {} => equal_variance::propose(problem, Direction::BottomUp, observer),
            Self::Exact(params) => exact::propose(problem, params, observer),
            Self::Fges(params) => fges::propose(problem, params, observer),
            Self::OrderSearch(params) => order_search::propose(problem, params, seed, observer),
            Self::Mmpc(params) => mmpc::propose(problem, params, observer),
            Self::Cam(params) => cam::propose(problem, needed()?, params, observer),
            Self::DagGnn(params) => dag_gnn::propose(problem, needed()?, params, seed, observer),
            Self::NoCurlGnn(params) => {
                dag_gnn::propose_with_nocurl(problem, needed()?, params, seed, observer)
            }
            Self::NotearsMlp(params) => {
                notears_mlp::propose(problem, needed()?, params, seed, observer)
            }
            Self::NoCurlMlp(params) => {
                notears_mlp::nocurl::propose(problem, needed()?, params, seed, observer)
            }
            Self::SortNRegress {} => sort_regress::propose(problem, SortBy::Variance, observer),
            Self::R2SortNRegress {} => sort_regress::propose(problem, SortBy::R2, observer),
        }
    }
}
