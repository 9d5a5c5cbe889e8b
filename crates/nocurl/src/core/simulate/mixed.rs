//! Tables in which some variables have levels.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Noise, Simulation, Streams};
use crate::core::{Dag, Dataset, Error, Kind, Mat, Variable, Variables};

/// Letters that levels are named by.
const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";

/// The most levels that are drawn.
pub(super) const MOST_LEVELS: usize = LETTERS.len();

/// Turns columns of noise into a table in which each variable has levels with probability
/// `categorical`, parents before children.
///
/// A number is the weighted sum of its parents plus its noise. A parent that is a number enters
/// divided by its standard deviation, were its parents independent; one with levels enters by a
/// score for each level. A variable with levels takes the level whose utility is largest: the
/// weighted sum of the parents' scores, drawn for each pair of levels, or of a parent that is a
/// number times a slope for each level, plus noise of Gumbel's law. So levels given parents follow
/// a multinomial logit. Scores and slopes are standard normal, moved and scaled to mean 0 and
/// variance 1 over the levels of the child, or of the parent where the child is a number.
pub(super) fn draw(
    simulation: &Simulation,
    truth: &Dag,
    noise: Mat<f64>,
    noise_scales: &[f64],
    streams: &mut Streams,
) -> Result<Dataset, Error> {
    let (d, rows) = (truth.size(), simulation.rows);
    let mut kinds = streams.split();
    let (low, high) = simulation.levels;
    let levels: Vec<Option<usize>> = (0..d)
        .map(|_| {
            let (coin, count) = (kinds.random::<f64>(), kinds.random_range(low..=high));
            (coin < simulation.categorical).then_some(count)
        })
        .collect();
    let mut scores = streams.split();
    let mut luck: Vec<Xoshiro256PlusPlus> = (0..d).map(|_| streams.split()).collect();
    let mut values = noise;
    let mut deviations = vec![1.0; d];
    for &j in truth.order() {
        let parents: Vec<(usize, f64)> =
            truth.parents(j).map(|i| (i, truth.weight(i, j))).collect();
        let outcomes = levels[j].unwrap_or(1);
        // What each parent adds to each outcome: of each of its levels, or of one unit.
        let tables: Vec<Vec<Vec<f64>>> = parents
            .iter()
            .map(|&(i, weight)| table(levels[i], levels[j], weight, &mut scores))
            .collect();
        let mut utilities = vec![0.0; outcomes];
        for row in 0..rows {
            utilities.fill(0.0);
            for (&(i, _), table) in parents.iter().zip(&tables) {
                let value = values[(row, i)];
                let (entry, factor) = match levels[i] {
                    Some(_) => (&table[value as usize], 1.0),
                    None => (&table[0], value / deviations[i]),
                };
                utilities.iter_mut().zip(entry).for_each(|(sum, add)| *sum += factor * add);
            }
            values[(row, j)] = match levels[j] {
                None => values[(row, j)] + utilities[0],
                Some(_) => choose(&utilities, &mut luck[j]) as f64,
            };
        }
        let squares: f64 = parents.iter().map(|(_, weight)| weight * weight).sum();
        deviations[j] = (squares + noise_scales[j] * noise_scales[j]).sqrt();
    }
    let names = Dataset::default_names(d);
    let variable = |(name, levels): (String, &Option<usize>)| match *levels {
        None => Variable::continuous(name),
        Some(count) => {
            let kind = if count == 2 { Kind::Binary } else { Kind::Categorical };
            let levels = LETTERS[..count].iter().map(|&c| char::from(c).to_string());
            Variable::with_levels(name, kind, levels.collect())
        }
    };
    let variables = names.into_iter().zip(&levels).map(variable).collect();
    Dataset::new(Variables::new(variables), values).map_err(|_| super::out_of_range())
}

/// What a parent adds to each outcome of its child, for each of its own levels or for one unit.
fn table(
    from: Option<usize>,
    to: Option<usize>,
    weight: f64,
    stream: &mut Xoshiro256PlusPlus,
) -> Vec<Vec<f64>> {
    let (rows, columns) = (from.unwrap_or(1), to.unwrap_or(1));
    if to.is_none() {
        // A score for each level, or the value itself.
        let scores = if from.is_some() { centred(rows, stream) } else { vec![1.0] };
        return scores.into_iter().map(|score| vec![weight * score]).collect();
    }
    let scaled = |row: Vec<f64>| row.into_iter().map(|score| weight * score).collect();
    (0..rows).map(|_| scaled(centred(columns, stream))).collect()
}

/// Normal numbers, moved and scaled to mean 0 and variance 1.
fn centred(count: usize, stream: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let drawn: Vec<f64> = (0..count).map(|_| Noise::Gaussian.sample(stream)).collect();
    let n = count as f64;
    let mean = drawn.iter().sum::<f64>() / n;
    let deviation = (drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
    // Two equal draws have no deviation; it does not happen.
    drawn.into_iter().map(|x| (x - mean) / deviation.max(f64::MIN_POSITIVE)).collect()
}

/// The level with the largest utility once noise is added.
fn choose(utilities: &[f64], stream: &mut Xoshiro256PlusPlus) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (level, utility) in utilities.iter().enumerate() {
        // The noise is drawn from (0, 1), so that both logarithms are finite.
        let uniform = (stream.random::<f64>() + f64::EPSILON) / (1.0 + 2.0 * f64::EPSILON);
        let value = utility - libm::log(-libm::log(uniform));
        if value > best.0 {
            best = (value, level);
        }
    }
    best.1
}
