//! A fitted graph as a model of rows.

use nocurl::model::Model;
use nocurl::simulate::{Simulation, simulate};
use nocurl::{Error, Mat, Options, Run, learn};

fn model(seed: u64) -> (Model, nocurl::Dataset) {
    let simulation = Simulation { variables: 6, rows: 3000, ..Simulation::default() };
    let data = simulate(&simulation, seed).unwrap().data;
    let fit = learn(&data, &Options::default(), &Run::default()).unwrap();
    let means = data.moments().mean().to_vec();
    (Model::new(fit.dag, means, fit.error_variances.unwrap()).unwrap(), data)
}

/// The density of the normal law with the covariance of the model, computed the long way.
#[test]
fn log_densities_and_predictions_are_those_of_the_normal_law() {
    use nocurl::internals::linalg::Cholesky;
    let (model, data) = model(1);
    let s = model.covariance();
    let inverse = Cholesky::new(s.as_ref()).unwrap().inverse();
    let d = 6;
    // The determinant by elimination.
    let mut left = s.clone();
    let mut log_determinant = 0.0;
    for k in 0..d {
        log_determinant += f64::ln(left[(k, k)]);
        for i in k + 1..d {
            for j in k + 1..d {
                left[(i, j)] -= left[(i, k)] * left[(k, j)] / left[(k, k)];
            }
        }
    }
    let means = data.moments().mean().to_vec();
    let rows = data.values().subrows(0, 5);
    let found = model.log_likelihood(rows).unwrap();
    for i in 0..5 {
        let off: Vec<f64> = (0..d).map(|j| rows[(i, j)] - means[j]).collect();
        let square: f64 =
            (0..d).map(|a| (0..d).map(|b| off[a] * inverse[(a, b)] * off[b]).sum::<f64>()).sum();
        let constant = d as f64 * (2.0 * std::f64::consts::PI).ln();
        let expected = -0.5 * (constant + log_determinant + square);
        assert!((found[i] - expected).abs() < 1e-8 * expected.abs(), "{} {expected}", found[i]);
        for v in 0..d {
            let pull: f64 = (0..d)
                .filter(|&k| k != v)
                .map(|k| inverse[(v, k)] / inverse[(v, v)] * off[k])
                .sum();
            let predicted = model.predict(rows, v).unwrap()[i];
            assert!((predicted - (means[v] - pull)).abs() < 1e-7, "{predicted}");
        }
    }
}

#[test]
fn the_data_it_was_fitted_to_scores_better_than_a_shuffled_one() {
    let (model, data) = model(2);
    let own = model.score(data.values()).unwrap();
    let x = data.values();
    let shuffled = Mat::from_fn(x.nrows(), 6, |i, j| x[((i + 17 * j) % x.nrows(), j)]);
    assert!(own > model.score(shuffled.as_ref()).unwrap() + 0.1);
    let residuals = model.residuals(x).unwrap();
    let mean: f64 = residuals.col_as_slice(0).iter().sum::<f64>() / x.nrows() as f64;
    assert!(mean.abs() < 1e-9);
}

#[test]
fn drawn_rows_have_the_moments_of_the_model() {
    let (model, _) = model(3);
    let rows = 40_000;
    let drawn = model.sample(rows, 7);
    let again = model.sample(rows, 7);
    assert_eq!(drawn, again);
    let s = model.covariance();
    let names = nocurl::Dataset::default_names(6);
    let found = nocurl::Dataset::new(names, drawn).unwrap().moments().second_moments(true);
    for i in 0..6 {
        for j in 0..6 {
            // Four standard errors of a covariance.
            let error = 4.0 * ((s[(i, i)] * s[(j, j)] + s[(i, j)].powi(2)) / rows as f64).sqrt();
            assert!((found[(i, j)] - s[(i, j)]).abs() < error, "{i} {j}");
        }
    }
}

#[test]
fn odd_models_and_rows_are_refused() {
    let (model, data) = model(4);
    let dag = model.dag().clone();
    assert!(matches!(
        Model::new(dag.clone(), vec![0.0; 5], vec![1.0; 6]),
        Err(Error::Lengths { .. })
    ));
    assert!(Model::new(dag.clone(), vec![0.0; 6], vec![0.0; 6]).is_err());
    assert!(Model::new(dag, vec![f64::NAN; 6], vec![1.0; 6]).is_err());
    let fewer = data.values().subcols(0, 3);
    assert!(model.score(fewer).is_err() && model.residuals(fewer).is_err());
    assert!(model.predict(data.values(), 6).is_err());
    assert!(model.score(data.values().subrows(0, 0)).is_err());
}
