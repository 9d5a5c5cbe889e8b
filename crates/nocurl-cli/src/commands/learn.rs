//! `nocurl learn`: a table in, a graph out.

use nocurl::bootstrap::{Bootstrap, bootstrap};
use nocurl::diagnose::{Diagnosis, diagnose};
use nocurl::{Data, Fit, Moments, Options};
use nocurl_io::{
    BootstrapSummary, Cpdag, Edge, GraphDocument, InputDescription, Table, read_dataset,
    read_sampled, write_graph,
};
use serde_json::Value;

use crate::checkpoint::Checkpoint;
use crate::config::Learn;
use crate::directions;
use crate::failure::Failure;
use crate::progress::Watch;
use crate::report;
use crate::support;

/// What a run finds: the table, the graph, checks of it, and how it fares in resampled tables.
type Learnt = (Table<Moments>, Fit, Option<Diagnosis>, Option<Bootstrap>);

/// Runs the command.
pub(crate) fn learn(config: Learn) -> Result<(), Failure> {
    let watch = Watch::start(config.quiet);
    let options = &config.options;
    let check = |data: Data<'_>, fit: &Fit| -> Result<Option<Diagnosis>, Failure> {
        let diagnosis = config.diagnose.then(|| diagnose(data, options, fit, &watch));
        Ok(diagnosis.transpose()?)
    };
    let fit = |data: Data<'_>| -> Result<(Fit, Option<Diagnosis>), Failure> {
        let fit = nocurl::learn(data, options, &watch)?;
        let diagnosis = check(data, &fit)?;
        Ok((fit, diagnosis))
    };
    let work = || -> Result<Learnt, Failure> {
        if options.algorithm.needs_rows() || config.bootstrap.is_some() {
            let table = read_dataset(&config.source, &config.read, &watch)?;
            let data = Data::Rows(&table.data);
            let (fit, diagnosis) = match &config.checkpoint {
                None => fit(data)?,
                Some(path) => {
                    let kept = Checkpoint::open(path, &table.data, options, &watch)?;
                    let fit = nocurl::learn(data, options, &kept);
                    let mut fit = fit.map_err(|error| kept.failure(error))?;
                    fit.warnings.extend(kept.warning());
                    let diagnosis = check(data, &fit)?;
                    (fit, diagnosis)
                }
            };
            let again = |params| bootstrap(&table.data, options, params, &watch);
            let found = config.bootstrap.as_ref().map(again).transpose()?;
            return Ok((table.map(|rows| rows.moments()), fit, diagnosis, found));
        }
        let (table, sample) = read_sampled(&config.source, &config.read, &watch)?;
        let (fit, diagnosis) = fit(Data::Sampled(&table.data, &sample))?;
        Ok((table, fit, diagnosis, None))
    };
    let (table, fit, diagnosis, found) = match config.threads {
        None => work()?,
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Failure::Other(format!("cannot start {threads} threads: {error}")))?
            .install(work)?,
    };
    let mut document = describe(&config, &table, &fit, watch.elapsed().as_secs_f64());
    document.diagnosis = serde_json::to_value(&diagnosis).unwrap_or(Value::Null);
    document.bootstrap = found.map(|found| BootstrapSummary::new(&found, table.data.names()));
    document.warnings.extend(document.bootstrap.as_ref().and_then(support::failures));
    watch.finish()?;
    for output in &config.outputs {
        write_graph(output, &document).map_err(|error| Failure::writing(&error))?;
    }
    if config.quiet {
        return Ok(());
    }
    report::learnt(&config, &table, &fit, &document, diagnosis.as_ref())
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
        diagnosis: Value::Null,
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

/// What the user should know, from reading and from the engine.
fn warnings(options: &Options, table: &Table<Moments>, fit: &Fit) -> Vec<String> {
    let mut warnings = table.warnings.clone();
    warnings.extend(fit.warnings.iter().cloned());
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
