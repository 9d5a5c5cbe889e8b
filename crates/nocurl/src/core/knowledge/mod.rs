//! What is known before any data is seen: required and forbidden edges, tiers, sources, sinks.
//!
//! [`KnowledgeSpec`] holds statements by name, as users write them; [`KnowledgeSpec::resolve`]
//! checks them against the variables of a table and against each other, and gives [`Knowledge`],
//! which answers the questions that methods ask. What a method or the pipeline does with it:
//!
//! - orders keep to [`Knowledge::must_precede`], with the help of [`Knowledge::repair`];
//! - parents of a variable are within [`Knowledge::allowed_parents`] and hold
//!   [`Knowledge::required_parents`];
//! - every result is checked by [`Knowledge::is_satisfied_by`] before it is returned.
//!
//! ```
//! use nocurl::knowledge::{KnowledgeSpec, Tier};
//! let names = ["age", "dose", "health"].map(String::from);
//! let spec = KnowledgeSpec {
//!     tiers: vec![Tier::new(["age"]), Tier::new(["dose", "health"])],
//!     required: vec![("dose".into(), "health".into())],
//!     ..KnowledgeSpec::default()
//! };
//! let knowledge = spec.resolve(&names)?;
//! assert!(knowledge.requires(1, 2) && !knowledge.allows(2, 1));
//! assert!(knowledge.must_precede(0, 2) && knowledge.allows(0, 2));
//!
//! let against = KnowledgeSpec { forbidden: spec.required.clone(), ..spec };
//! let error = against.resolve(&names).unwrap_err();
//! assert_eq!(error.to_string(), "prior knowledge: `dose` -> `health` is required and forbidden");
//! # Ok::<(), nocurl::Error>(())
//! ```

mod resolve;
mod resolved;
mod spec;

pub use resolved::Knowledge;
pub use spec::{KnowledgeSpec, Tier};
