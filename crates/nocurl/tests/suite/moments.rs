//! Moments against plain two-pass sums, and the promises of merging, writing and threading.

use nocurl::moments::Replicates;
use nocurl::variable::Levels;
use nocurl::{Dataset, Error, Kind, Mat, MatRef, Moments, Variable, Variables};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const EPS: f64 = f64::EPSILON;

/// Correlated columns of unlike size, every value a multiple of 2^-20.
fn table(seed: u64, n: usize, d: usize) -> Mat<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut x = Mat::zeros(n, d);
    for i in 0..n {
        let common = rng.random::<f64>() - 0.5;
        for j in 0..d {
            let value = (1 + j % 4) as f64 * (common + rng.random::<f64>()) - j as f64;
            x[(i, j)] = (value * 1048576.0).round() / 1048576.0;
        }
    }
    x
}

fn moments(x: &Mat<f64>) -> Moments {
    Dataset::new(Dataset::default_names(x.ncols()), x.clone()).unwrap().moments()
}

/// Mean and covariance by two plain passes.
fn two_passes(x: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
    let (n, d) = (x.nrows(), x.ncols());
    let mean: Vec<f64> =
        (0..d).map(|j| (0..n).map(|i| x[(i, j)]).sum::<f64>() / n as f64).collect();
    let covariance = Mat::from_fn(d, d, |a, b| {
        (0..n).map(|i| (x[(i, a)] - mean[a]) * (x[(i, b)] - mean[b])).sum::<f64>() / n as f64
    });
    (mean, covariance)
}

/// Largest difference, relative to the standard deviations.
fn distance(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    let mut worst = 0.0_f64;
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            let scale = (b[(i, i)] * b[(j, j)]).sqrt().max(f64::MIN_POSITIVE);
            worst = worst.max((a[(i, j)] - b[(i, j)]).abs() / scale);
        }
    }
    worst
}

#[test]
fn agree_with_two_passes() {
    for (n, d) in [(1, 3), (2, 3), (1023, 2), (1024, 5), (1025, 5), (20_000, 4), (150, 513)] {
        let x = table(n as u64, n, d);
        let found = moments(&x);
        let (mean, covariance) = two_passes(x.as_ref());
        assert_eq!((found.rows(), found.columns()), (n as u64, d));
        let bound = EPS * n as f64 * d as f64;
        for j in 0..d {
            assert!((found.mean()[j] - mean[j]).abs() <= bound, "mean {j} of {n} x {d}");
            assert!((found.variances()[j] - covariance[(j, j)]).abs() <= 20.0 * bound);
        }
        if n > 1 {
            let second = found.second_moments(true);
            assert!(distance(second.as_ref(), covariance.as_ref()) <= bound, "{n} x {d}");
        }
        let raw = Mat::from_fn(d, d, |a, b| {
            (0..n).map(|i| x[(i, a)] * x[(i, b)]).sum::<f64>() / n as f64
        });
        let second = found.second_moments(false);
        assert!(distance(second.as_ref(), raw.as_ref()) <= 4.0 * bound, "uncentred {n} x {d}");
        for i in 0..d {
            for j in 0..i {
                assert_eq!(second[(i, j)], second[(j, i)]);
            }
        }
    }
}

#[test]
fn large_means_keep_precision() {
    // Multiples of 2^-20 near 1e9 are exact, so the shift itself loses nothing.
    for n in [500, 9000] {
        let x = table(3, n, 4);
        let shifted = Mat::from_fn(n, 4, |i, j| x[(i, j)] + 1e9);
        let (_, covariance) = two_passes(x.as_ref());
        let found = moments(&shifted).second_moments(true);
        // A mean of 1e9 is itself only known to 2^-23; X'X/n - mm' would be wrong by hundreds.
        assert!(distance(found.as_ref(), covariance.as_ref()) < 1e-8, "{n} rows");
    }
}

#[test]
fn pushed_rows_one_by_one_equal_one_block() {
    let x = table(5, 300, 4);
    let mut single = Moments::new(Dataset::default_names(4));
    for i in 0..300 {
        let mut row = x.subrows(i, 1).to_owned();
        single.push_block(row.as_mut());
    }
    let mut whole = Moments::new(Dataset::default_names(4));
    whole.push_block(x.clone().as_mut());
    whole.push_block(Mat::zeros(0, 4).as_mut());
    assert_eq!((single.rows(), whole.rows()), (300, 300));
    let (a, b) = (single.second_moments(true), whole.second_moments(true));
    assert!(distance(a.as_ref(), b.as_ref()) <= EPS * 300.0 * 4.0);
}

proptest! {
    #[test]
    fn merged_splits_equal_the_whole(
        seed in 0u64..1000,
        n in 2usize..400,
        cuts in prop::collection::vec(0usize..400, 0..5),
        shift in prop_oneof![Just(0.0), Just(1000.0)],
        reverse in any::<bool>(),
    ) {
        let mut x = table(seed, n, 3);
        x.col_mut(1).iter_mut().for_each(|value| *value += shift);
        let whole = moments(&x);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(n)).chain([0, n]).collect();
        cuts.sort_unstable();
        // Parts may be empty.
        let mut parts: Vec<Moments> = cuts
            .windows(2)
            .map(|w| {
                let mut part = Moments::new(whole.names().to_vec());
                part.push_block(x.subrows(w[0], w[1] - w[0]).to_owned().as_mut());
                part
            })
            .collect();
        if reverse {
            parts.reverse();
        }
        let mut merged = Moments::new(whole.names().to_vec());
        for part in &parts {
            merged.merge(part).unwrap();
        }
        prop_assert_eq!(merged.rows(), n as u64);
        let bound = EPS * n as f64 * (1.0 + shift);
        for (a, b) in merged.mean().iter().zip(whole.mean()) {
            prop_assert!((a - b).abs() <= bound);
        }
        let (a, b) = (merged.second_moments(true), whole.second_moments(true));
        prop_assert!(distance(a.as_ref(), b.as_ref()) <= 8.0 * bound);
    }

    #[test]
    fn json_round_trip_is_exact(seed in any::<u64>(), n in 1usize..60, d in 0usize..6) {
        let found = moments(&table(seed, n, d));
        let text = serde_json::to_string(&found).unwrap();
        prop_assert_eq!(serde_json::from_str::<Moments>(&text).unwrap(), found);
    }
}

#[test]
fn merging_refuses_other_variables() {
    let names = |list: &[&str]| list.iter().map(|&name| name.into()).collect::<Vec<String>>();
    let mut ab = Moments::new(names(&["a", "b"]));
    for other in [names(&["a"]), names(&["a", "b", "c"]), names(&["a", "c"])] {
        assert!(matches!(ab.merge(&Moments::new(other)), Err(Error::Unmergeable { .. })));
    }
    assert!(ab.merge(&Moments::new(names(&["b", "a"]))).is_ok());
    assert!(ab.merge(&Moments::new(names(&["a", "b"]))).is_ok());
    assert_eq!(ab.rows(), 0);
}

#[test]
fn damaged_files_are_refused() {
    for text in [
        r#"{"names":["a","b"],"rows":3,"mean":[0.0],"scatter":[1.0,0.0,1.0]}"#,
        r#"{"names":["a","b"],"rows":3,"mean":[0.0,0.0],"scatter":[1.0,0.0]}"#,
        r#"{"names":["a"],"rows":-3,"mean":[0.0],"scatter":[1.0]}"#,
        r#"{"names":["a"],"rows":3,"mean":[null],"scatter":[1.0]}"#,
    ] {
        assert!(serde_json::from_str::<Moments>(text).is_err(), "{text}");
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for (n, d) in [(20_000, 20), (2100, 520)] {
        let x = table(11, n, d);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| moments(&x))
        };
        assert_eq!(with(1), with(2), "{n} x {d}");
    }
}

#[test]
fn selection_takes_columns_in_the_order_given() {
    let whole = moments(&table(2, 100, 5));
    let part = whole.select(&[3, 0, 4]);
    assert_eq!(part.names(), ["x4", "x1", "x5"]);
    assert_eq!(part.rows(), 100);
    let (all, some) = (whole.second_moments(true), part.second_moments(true));
    let raw = (whole.second_moments(false), part.second_moments(false));
    for (a, &i) in [3, 0, 4].iter().enumerate() {
        assert_eq!(part.mean()[a], whole.mean()[i]);
        for (b, &j) in [3, 0, 4].iter().enumerate() {
            assert_eq!(some[(a, b)], all[(i, j)]);
            assert_eq!(raw.1[(a, b)], raw.0[(i, j)]);
        }
    }
}

#[test]
fn constant_columns_are_found_at_any_size() {
    let constants = [0.0, -7.0, 0.1, 1e9 + 0.1, 1.0 / 3.0 * 1e15, 1e-140, 1e150];
    // Columns that vary: little about a large mean, very little about 0, once in all rows.
    let varying = [1e9, 0.0, 0.0];
    for n in [2usize, 3, 1000, 10_007, 50_000] {
        let x = Mat::from_fn(n, constants.len() + varying.len(), |i, j| match j {
            7 => varying[0] + 1e-3 * (i % 2) as f64,
            8 => 1e-140 * (i % 2) as f64,
            9 => f64::from(u8::from(i == n - 1)),
            _ => constants[j],
        });
        assert_eq!(moments(&x).constant_columns(), [0, 1, 2, 3, 4, 5, 6], "{n} rows");
    }
}

#[test]
fn known_covariances_come_back() {
    let covariance = Mat::from_fn(2, 2, |i, j| [[4.0, -99.0], [1.5, 9.0]][i][j]);
    let names = Dataset::default_names(2);
    let known =
        Moments::from_covariance(names.clone(), 8, vec![1.0, 2.0], covariance.as_ref()).unwrap();
    assert_eq!((known.rows(), known.mean()), (8, [1.0, 2.0].as_slice()));
    assert_eq!(known.variances(), [4.0, 9.0]);
    // The lower triangle counts.
    assert_eq!(known.second_moments(true)[(0, 1)], 1.5);
    assert_eq!(known.second_moments(false)[(1, 0)], 3.5);
    for (names, mean) in [(Dataset::default_names(3), vec![0.0; 3]), (names.clone(), vec![0.0; 1])]
    {
        let result = Moments::from_covariance(names, 8, mean, covariance.as_ref());
        assert!(matches!(result, Err(Error::Lengths { .. })));
    }
}

#[test]
fn columns_are_aligned_by_name() {
    let x = table(3, 500, 3);
    let names = |list: [&str; 3]| list.map(String::from).to_vec();
    let part = |names: Vec<String>, columns: [usize; 3], rows: std::ops::Range<usize>| {
        let values = Mat::from_fn(rows.len(), 3, |i, j| x[(rows.start + i, columns[j])]);
        Dataset::new(names, values).unwrap().moments()
    };
    let mut one = part(names(["a", "b", "c"]), [0, 1, 2], 0..200);
    one.merge(&part(names(["c", "a", "b"]), [2, 0, 1], 200..500)).unwrap();
    let (_, expected) = two_passes(x.as_ref());
    assert_eq!(one.names(), ["a", "b", "c"]);
    assert!(distance(one.second_moments(true).as_ref(), expected.as_ref()) < 1e-12);
}

#[test]
fn levels_that_a_part_has_not_seen_are_added() {
    // Three levels; the parts see different ones, and have different bases.
    let cells = ["c", "a", "a", "b", "b", "b", "a", "c", "c", "c", "c", "a"];
    let numbers: Vec<f64> = (0..cells.len()).map(|i| (i * i % 7) as f64).collect();
    let of = |rows: std::ops::Range<usize>| {
        let mut levels = Levels::default();
        let codes: Vec<f64> = rows.clone().map(|i| levels.code(cells[i]).unwrap() as f64).collect();
        let mut counts = vec![0; levels.names().len()];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let (variable, places) =
            Variable::of_levels("species", Kind::Categorical, levels.names(), &counts);
        let values = Mat::from_fn(rows.len(), 2, |i, j| [numbers[rows.start + i], codes[i]][j]);
        let list = vec![Variable::continuous("age"), variable];
        Dataset::of_codes(list, values, &[vec![], places]).unwrap().moments()
    };
    let mut parts = of(0..3);
    parts.merge(&of(3..6)).unwrap();
    parts.merge(&of(6..12)).unwrap();
    let whole = of(0..12);
    assert_eq!(parts.variables(), whole.variables());
    let (found, expected) = (parts.second_moments(true), whole.second_moments(true));
    assert!(distance(found.as_ref(), expected.as_ref()) < 1e-12);
    let other = vec![Variable::continuous("age"), Variable::continuous("species")];
    let mut numbers = Moments::new(other);
    numbers.push_block(Mat::from_fn(2, 2, |i, j| (i + j) as f64).as_mut());
    assert!(matches!(numbers.merge(&whole), Err(Error::Unmergeable { .. })));
    // Moments of no rows take over what others know.
    let mut nothing = Moments::new(vec!["species".to_string(), "age".to_string()]);
    nothing.merge(&whole).unwrap();
    assert_eq!((nothing.names()[0].as_str(), nothing.rows()), ("species", 12));
}

#[test]
fn a_weight_is_how_often_a_row_counts() {
    let x = table(5, 60, 3);
    let counts: Vec<u32> = (0..60).map(|i| i % 4).collect();
    let data = Dataset::new(Dataset::default_names(3), x.clone()).unwrap();
    let expected = data.sample(&counts).moments();
    let mut found = Moments::new(Dataset::default_names(3));
    let weights: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
    found.push_weighted(x.clone().as_mut(), &weights);
    assert_eq!(found.rows(), expected.rows());
    let (a, b) = (found.second_moments(false), expected.second_moments(false));
    assert!(distance(a.as_ref(), b.as_ref()) < 1e-13);
    // Fractions too: they scale the sum, not the means.
    let halves: Vec<f64> = weights.iter().map(|weight| weight / 2.0).collect();
    let mut half = Moments::new(Dataset::default_names(3));
    half.push_weighted(x.clone().as_mut(), &halves);
    assert_eq!(half.weight(), found.weight() / 2.0);
    assert!(
        distance(half.second_moments(true).as_ref(), found.second_moments(true).as_ref()) < 1e-13
    );
    let text = serde_json::to_string(&half).unwrap();
    assert_eq!(serde_json::from_str::<Moments>(&text).unwrap(), half);
}

#[test]
fn resampled_tables_are_those_of_their_weights() {
    let (n, d, tables) = (5000, 4, 12);
    let x = table(8, n, d);
    let names = || Variables::from(Dataset::default_names(d));
    let draw = |blocks: &[usize], part: u64| {
        let mut found = Replicates::new(names(), None, 0..tables, 7, part);
        let mut start = 0;
        for &rows in blocks {
            found.push(x.as_ref().subrows(start, rows));
            start += rows;
        }
        found.moments()
    };
    let whole = draw(&[n], 0);
    // How rows come does not matter but for rounding, and on one thread the bits are the same.
    for (one, other) in whole.iter().zip(draw(&[1, 999, 4000], 0)) {
        assert_eq!(one.rows(), other.rows());
        let (a, b) = (one.second_moments(true), other.second_moments(true));
        assert!(distance(a.as_ref(), b.as_ref()) < 1e-12);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| draw(&[n], 0)), whole);
    assert_ne!(draw(&[n], 1), whole);
    // The first tables are the same however many follow.
    for (first, end) in [(0, 3), (3, 8), (5, 12)] {
        let mut few = Replicates::new(names(), None, first..end, 7, 0);
        few.push(x.as_ref());
        assert_eq!(few.moments(), &whole[first as usize..end as usize]);
    }
    // Means vary as those of tables drawn with replacement: by the deviation over the root of n.
    let center = moments(&x);
    for j in 0..d {
        let deviation = center.variances()[j].sqrt() / (n as f64).sqrt();
        let off = |one: &Moments| ((one.mean()[j] - center.mean()[j]) / deviation).powi(2);
        let spread = whole.iter().map(off).sum::<f64>() / tables as f64;
        assert!((0.2..3.5).contains(&spread), "{spread}");
    }
}
