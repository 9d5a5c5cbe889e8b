//! Laws of the noise.

use rand::distr::Open01;
use rand::{Rng, RngExt};

use crate::core::Error;

/// The law of the noise in its standard form, which [`Variances`] scale.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Noise {
    /// Mean 0, variance 1.
    Gaussian,
    /// Gumbel of maxima with location 0 and scale 1: mean 0.5772, variance `pi^2 / 6`. It is not
    /// centred.
    Gumbel,
    /// Rate 1: mean 1, variance 1. It is not centred.
    Exponential,
    /// Scale 1: mean 0, variance 2.
    Laplace,
    /// On (-1, 1): mean 0, variance 1/3.
    Uniform,
    /// Student's t with these degrees of freedom `v`: mean 0 and variance `v / (v - 2)`, where
    /// they exist.
    Student(f64),
}

impl Noise {
    pub(super) fn validate(self) -> Result<(), Error> {
        match self {
            Self::Student(freedom) if !(freedom > 0.0 && freedom.is_finite()) => {
                Err(Error::Parameter {
                    name: "noise",
                    value: format!("student {freedom}"),
                    reason: "the degrees of freedom must be a positive number",
                })
            }
            _ => Ok(()),
        }
    }

    /// The variance of the standard form, where there is one.
    pub fn variance(self) -> Option<f64> {
        match self {
            Self::Gaussian | Self::Exponential => Some(1.0),
            Self::Gumbel => Some(std::f64::consts::PI * std::f64::consts::PI / 6.0),
            Self::Laplace => Some(2.0),
            Self::Uniform => Some(1.0 / 3.0),
            Self::Student(freedom) => (freedom > 2.0).then(|| freedom / (freedom - 2.0)),
        }
    }

    /// One draw of the standard form.
    pub fn sample<R: Rng + ?Sized>(self, rng: &mut R) -> f64 {
        match self {
            Self::Gaussian => polar(rng, |w| -2.0 * libm::log(w)),
            // Bailey (1994): the polar method with another radius.
            Self::Student(v) => polar(rng, |w| v * (libm::pow(w, -2.0 / v) - 1.0)),
            Self::Gumbel => -libm::log(-libm::log(open(rng))),
            Self::Exponential => -libm::log(open(rng)),
            Self::Laplace => {
                let centered = open(rng) - 0.5;
                -libm::log(1.0 - 2.0 * centered.abs()).copysign(-centered)
            }
            Self::Uniform => 2.0 * open(rng) - 1.0,
        }
    }
}

/// A uniform number strictly between 0 and 1.
fn open<R: Rng + ?Sized>(rng: &mut R) -> f64 {
    rng.sample(Open01)
}

/// Marsaglia's polar method: a random direction times the root of `squared_radius(w)`, where `w`
/// is uniform on (0, 1) and independent of the direction.
fn polar<R: Rng + ?Sized>(rng: &mut R, squared_radius: impl Fn(f64) -> f64) -> f64 {
    loop {
        let (u, v) = (2.0 * open(rng) - 1.0, 2.0 * open(rng) - 1.0);
        let w = u * u + v * v;
        if w < 1.0 && w > 0.0 {
            return u * (squared_radius(w) / w).sqrt();
        }
    }
}

/// Variances of the noise: the noise of each variable is the standard form of its law, scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Variances {
    /// Those of the standard form of the law, as in the published simulations.
    Standard,
    /// The same variance for all variables.
    Equal(f64),
    /// A variance for each variable, uniform between these two.
    Random(f64, f64),
}

impl Variances {
    pub(super) fn validate(self, noise: Noise) -> Result<(), Error> {
        let (valid, value) = match self {
            Self::Standard => return Ok(()),
            Self::Equal(variance) => (variance > 0.0 && variance.is_finite(), variance.to_string()),
            Self::Random(low, high) => {
                (low > 0.0 && low <= high && high.is_finite(), format!("{low},{high}"))
            }
        };
        let wrong = |reason| Err(Error::Parameter { name: "variances", value, reason });
        if !valid {
            return wrong("variances are positive numbers, of a range the smaller one first");
        }
        if noise.variance().is_none() {
            return wrong(
                "Student's t has no variance unless it has more than 2 degrees of freedom",
            );
        }
        Ok(())
    }

    /// Factors that give the standard form of `noise` these variances.
    pub(super) fn scales(self, noise: Noise, d: usize, rng: &mut impl Rng) -> Vec<f64> {
        let standard = noise.variance().unwrap_or(1.0);
        let scale = |variance: f64| (variance / standard).sqrt();
        match self {
            Self::Standard => vec![1.0; d],
            Self::Equal(variance) => vec![scale(variance); d],
            Self::Random(low, high) => {
                (0..d).map(|_| scale(low + (high - low) * rng.random::<f64>())).collect()
            }
        }
    }
}
