//! `nocurl learn`: a table in, a graph out.

use nocurl::bootstrap::{Bootstrap, bootstrap};
use nocurl::{Fit, Moments, Options};
use nocurl_io::{
    BootstrapSummary, Cpdag, Edge, GraphDocument, InputDescription, Table, read_dataset,
    read_moments, write_graph,
};
use serde_json::Value;

use crate::config::Learn;
use crate::directions;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::report;
use crate::support;

/// Runs the command.
pub(crate) fn learn(config: Learn) -> Result<(), Failure> {
    let watch = Watch::start(config.quiet);
    let work = || -> Result<(Table<Moments>, Fit, Option<Bootstrap>), Failure> {
        let options = &config.options;
        if options.algorithm.needs_rows() || config.bootstrap.is_some() {
            let table = read_dataset(&config.source, &config.read, &watch)?;
            let fit = nocurl::learn(&table.data, options, &watch)?;
            let again = |params| bootstrap(&table.data, options, params, &watch);
            let found = config.bootstrap.as_ref().map(again).transpose()?;
            return Ok((table.map(|rows| rows.moments()), fit, found));
        }
        let table = read_moments(&config.source, &config.read, &watch)?;
        let fit = nocurl::learn(&table.data, options, &watch)?;
        Ok((table, fit, None))
    };
    let (table, fit, found) = match config.threads {
        None => work()?,
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Failure::Other(format!("cannot start {threads} threads: {error}")))?
            .install(work)?,
    };
    let mut document = describe(&config, &table, &fit, watch.elapsed().as_secs_f64());
    document.bootstrap = found.map(|found| BootstrapSummary::new(&found, table.data.names()));
    document.warnings.extend(document.bootstrap.as_ref().and_then(support::failures));
    watch.finish()?;
    for output in &config.outputs {
        write_graph(output, &document).map_err(|error| Failure::writing(&error))?;
    }
    if config.quiet {
        return Ok(());
    }
    report::learnt(&config, &table, &fit, &document)
}

fn describe(config: &Learn, table: &Table<Moments>, fit: &Fit, elapsed: f64) -> GraphDocument {
    let names = table.data.names();
    let mut document = GraphDocument {
        potential: Some(fit.potential.clone()),
        claim: fit.claim,
        means: Some(table.data.mean().to_vec()),
        method: config.options.algorithm.name().into(),
        parameters: config.parameters(),
        seed: config.options.seed,
        input: Some(InputDescription {
            path: config.path.clone(),
            format: table.format,
            rows: table.rows,
            rows_dropped: table.rows_dropped,
            columns: names.len(),
            digest: table.digest.clone(),
            missing: config.read.missing,
        }),
        termination: termination(fit),
        iterations: fit.iterations,
        warnings: warnings(&config.options, table, fit),
        elapsed_seconds: elapsed,
        ..document(names, &fit.dag, &fit.order, &fit.cpdag)
    };
    document.directions = directions::sentence(&config.options, &document);
    document
}

/// A graph by itself, with its edges from the largest weight to the smallest.
pub(super) fn document(
    names: &[String],
    dag: &nocurl::Dag,
    order: &[usize],
    cpdag: &nocurl::Cpdag,
) -> GraphDocument {
    let name = |i: usize| names[i].clone();
    let mut edges: Vec<(usize, usize, f64)> = dag.edges().collect();
    edges.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    GraphDocument {
        schema: GraphDocument::SCHEMA.into(),
        variables: names.to_vec(),
        edges: edges
            .into_iter()
            .map(|(from, to, weight)| Edge { from: name(from), to: name(to), weight })
            .collect(),
        order: order.iter().map(|&i| name(i)).collect(),
        potential: None,
        cpdag: Cpdag {
            directed: cpdag.directed().map(|(i, j)| [name(i), name(j)]).collect(),
            undirected: cpdag.undirected().map(|(i, j)| [name(i), name(j)]).collect(),
        },
        claim: nocurl::Claim::Dag,
        directions: String::new(),
        means: None,
        bootstrap: None,
        method: String::new(),
        parameters: Value::Null,
        seed: 0,
        version: env!("CARGO_PKG_VERSION").into(),
        input: None,
        termination: "direct".into(),
        iterations: 0,
        warnings: Vec::new(),
        elapsed_seconds: 0.0,
    }
}

/// The engine's name of how the method ended.
fn termination(fit: &Fit) -> String {
    match serde_json::to_value(fit.termination) {
        Ok(Value::String(name)) => name,
        _ => format!("{:?}", fit.termination),
    }
}

/// What the user should know: from reading, from the engine, and about how the two fit together.
fn warnings(options: &Options, table: &Table<Moments>, fit: &Fit) -> Vec<String> {
    /// Standard deviations further apart than this make one threshold mean different things.
    const UNLIKE_UNITS: f64 = 10.0;
    /// Fewer rows for each column than this leave weights uncertain.
    const ROWS_PER_COLUMN: u64 = 10;

    let mut warnings = table.warnings.clone();
    warnings.extend(fit.warnings.iter().cloned());
    let (n, d) = (table.rows, table.data.columns() as u64);
    if n > d && n < ROWS_PER_COLUMN * d {
        warnings.push(format!(
            "{n} rows are few for {d} columns: expect edges that are not there and miss some that \
             are; --prune ebic is more careful"
        ));
    }
    let variances = table.data.variances();
    let largest = variances.iter().copied().fold(0.0, f64::max).sqrt();
    let smallest = variances.iter().copied().fold(f64::INFINITY, f64::min).sqrt();
    let default = options.threshold.is_none() && options.effective_threshold() > 0.0;
    if default && largest > UNLIKE_UNITS * smallest {
        warnings.push(format!(
            "the default threshold of {} on weights depends on the units of the columns, whose \
             standard deviations range from {} to {}; --prune bic does not depend on units",
            options.effective_threshold(),
            report::number(smallest),
            report::number(largest)
        ));
    }
    if fit.dag.edge_count() == 0 {
        let threshold = options.effective_threshold();
        warnings.push(if threshold > 0.0 {
            format!(
                "no edges were found: all weights are below the threshold of {threshold}; lower \
                 it with --threshold or use --prune bic"
            )
        } else {
            "no edges were found: the columns look independent".into()
        });
    }
    warnings
}
