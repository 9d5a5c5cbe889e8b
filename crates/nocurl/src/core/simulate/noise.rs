//! Laws of the noise.

use rand::distr::Open01;
use rand::{Rng, RngExt};

use crate::core::Error;

/// The law of the noise in its standard form; [`Variances`] scale it.
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

/// Factors on the variances of the noise; the noise of variable j is the standard form times the
/// square root of its factor.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Variances {
    /// One factor for all variables.
    Equal(f64),
    /// A factor for each variable, uniform between these two.
    Random(f64, f64),
}

impl Variances {
    pub(super) fn validate(self) -> Result<(), Error> {
        let (valid, value) = match self {
            Self::Equal(factor) => (factor > 0.0 && factor.is_finite(), factor.to_string()),
            Self::Random(low, high) => {
                (low > 0.0 && low <= high && high.is_finite(), format!("{low},{high}"))
            }
        };
        let reason = "variances are positive numbers, of a range the smaller one first";
        if valid { Ok(()) } else { Err(Error::Parameter { name: "variances", value, reason }) }
    }

    pub(super) fn scales(self, d: usize, rng: &mut impl Rng) -> Vec<f64> {
        match self {
            Self::Equal(factor) => vec![factor.sqrt(); d],
            Self::Random(low, high) => {
                (0..d).map(|_| (low + (high - low) * rng.random::<f64>()).sqrt()).collect()
            }
        }
    }
}
