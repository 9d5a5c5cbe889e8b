//! Every error has a message of one line without the words of a front end.

use super::*;

/// One error of each kind. The match has no other use than to fail to compile when one is added.
fn all() -> Vec<Error> {
    use Error as E;
    let (name, names) = (|| "x".to_string(), || vec!["x".to_string(), "y".to_string()]);
    let errors = vec![
        E::UnknownMethod { name: name(), suggestion: Some("fges".into()) },
        E::UnknownRefinement { name: name(), suggestion: None, known: vec!["bic"] },
        E::Parameter { name: "penalty", value: "0".into(), reason: "it must be above 0" },
        E::UnknownParameter {
            name: name(),
            method: "fges",
            suggestion: Some("penalty".into()),
            known: names(),
            elsewhere: vec!["exact", "cam"],
        },
        E::ParameterType { name: name(), reason: "give a number".into() },
        E::TooFewRows { rows: 1, needed: 2 },
        E::TooFewRowsToInvert { rows: 5, columns: 9 },
        E::TooFewColumns { columns: 1 },
        E::TooManyColumns {
            method: "exact",
            limit: 20,
            columns: 30,
            advice: Text::new("use ").act(Action::method("order-search")),
        },
        E::ConstantColumns { names: names() },
        E::Collinear { names: names() },
        E::NeedsRows { what: Action::method("cam") },
        E::Lengths { what: "names", found: 2, of: "columns", expected: 3 },
        E::DifferentSizes { truth: 2, estimate: 3 },
        E::DifferentVariables { what: "moments to merge" },
        E::DifferentRows { what: "rows to train on" },
        E::Unmergeable { reason: "one of them alone has `x`".into() },
        E::InvalidEdge { from: 1, to: 1, variables: 3 },
        E::NoAcyclicMember,
        E::Intervention { reason: "variable 1 is set twice; give one value".into() },
        E::ForeignCheckpoint,
        E::ForeignFits,
        E::NotFinite { column: name(), row: 3 },
        E::NoValues { column: name() },
        E::NotALevel { column: name(), row: 3, value: 0.5 },
        E::TooManyLevels { column: name() },
        E::ColumnsNotTaken {
            method: "nocurl",
            kind: "categorical",
            names: names(),
            instead: "order-search",
        },
        E::NotForCategories { what: Action::setting("prune"), names: names() },
        E::IncompleteSingular,
        E::ExtremeScale { column: name(), deviation: 1e200 },
        E::OutOfRange { stage: "the method", advice: SIMILAR_UNITS },
        E::Diverged { epoch: 3, loss: 1e9, learning_rate: 0.1, set: 0.2 },
        E::OutOfMemory { stage: "exact search", mebibytes: 900 },
        E::BootstrapFailed {
            failed: 9,
            replicates: 10,
            first: Box::new(E::ConstantColumns { names: names() }),
        },
        E::Cycle { names: names() },
        E::Knowledge { reason: "it contradicts itself".into() },
        E::UnknownVariable { name: name(), suggestion: None },
        E::TakesNoKnowledge { method: "fges", reason: "it is so", instead: "order-search" },
        E::Experiments { reason: "no row is the control".into() },
        E::TakesNoExperiments { method: "cam" },
        E::NoSuchVariable { name: name(), suggestion: Some("age".into()) },
        E::NoSuchLevel { variable: name(), level: "x".into(), levels: names() },
        E::Model { reason: "it has a cycle".into() },
        E::Unfitted { variable: name() },
        E::Value { reason: "it is not a number".into() },
        E::OffScale { variable: name(), scale: "log(age)".into(), value: -1.0, row: Some(3) },
        E::Cancelled,
    ];
    for error in &errors {
        match error {
            E::UnknownMethod { .. }
            | E::UnknownRefinement { .. }
            | E::Parameter { .. }
            | E::UnknownParameter { .. } => {}
            E::ParameterType { .. } | E::TooFewRows { .. } | E::TooFewRowsToInvert { .. } => {}
            E::TooFewColumns { .. } | E::TooManyColumns { .. } | E::ConstantColumns { .. } => {}
            E::Collinear { .. } | E::NeedsRows { .. } | E::Lengths { .. } => {}
            E::DifferentSizes { .. } | E::DifferentVariables { .. } | E::Unmergeable { .. } => {}
            E::DifferentRows { .. } | E::InvalidEdge { .. } | E::NoAcyclicMember => {}
            E::NotALevel { .. } | E::TooManyLevels { .. } => {}
            E::ColumnsNotTaken { .. } | E::NotForCategories { .. } => {}
            E::Intervention { .. }
            | E::ForeignCheckpoint
            | E::ForeignFits
            | E::NotFinite { .. } => {}
            E::NoValues { .. } | E::IncompleteSingular | E::ExtremeScale { .. } => {}
            E::OutOfRange { .. } | E::Diverged { .. } | E::OutOfMemory { .. } => {}
            E::BootstrapFailed { .. } | E::Cycle { .. } | E::Knowledge { .. } => {}
            E::UnknownVariable { .. } | E::TakesNoKnowledge { .. } | E::Cancelled => {}
            E::Experiments { .. } | E::TakesNoExperiments { .. } => {}
            E::NoSuchVariable { .. } | E::NoSuchLevel { .. } | E::Model { .. } => {}
            E::Unfitted { .. } | E::OffScale { .. } | E::Value { .. } => {}
        }
    }
    errors
}

#[test]
fn every_error_is_one_line_without_flags() {
    let errors = all();
    assert_eq!(errors.len(), 47);
    for error in errors {
        let text = error.text().to_string();
        assert_eq!(text, error.to_string());
        assert!(!text.is_empty() && !text.contains('\n') && !text.contains("--"), "{text}");
    }
}

#[test]
fn what_can_be_done_is_a_value() {
    let advised = |error: &Error| error.text().actions().cloned().collect::<Vec<_>>();
    let names = vec!["x".to_string()];
    let constant = Error::ConstantColumns { names: names.clone() };
    let expected = [Action::leave_out(&names)];
    assert_eq!(advised(&constant), expected);
    let first = Box::new(constant);
    assert_eq!(advised(&Error::BootstrapFailed { failed: 3, replicates: 4, first }), expected);
    let error =
        Error::TakesNoKnowledge { method: "fges", reason: "it is so", instead: "order-search" };
    assert_eq!(advised(&error), [Action::method("order-search")]);
    assert_eq!(advised(&Error::Cancelled), []);
}
