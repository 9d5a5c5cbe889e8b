//! Work on several threads, or on one where the feature `threads` is off. Results are the same:
//! work is cut into parts that do not depend on the threads and put together in order.

#[cfg(feature = "threads")]
pub(crate) use rayon::prelude::*;

#[cfg(not(feature = "threads"))]
pub(crate) use alone::*;

use faer::MatMut;

/// Runs both, at the same time where there are threads.
pub(crate) fn join<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "threads")]
    return rayon::join(one, other);
    #[cfg(not(feature = "threads"))]
    (one(), other())
}

/// The number of threads that work together.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    1
}

/// The columns of a matrix in groups of `width`, to be worked on in parallel.
pub(crate) fn column_groups(matrix: MatMut<'_, f64>, width: usize) -> Vec<MatMut<'_, f64>> {
    let mut groups = Vec::with_capacity(matrix.ncols().div_ceil(width));
    let mut rest = matrix;
    while rest.ncols() > width {
        let (group, others) = rest.split_at_col_mut(width);
        groups.push(group);
        rest = others;
    }
    groups.push(rest);
    groups
}

/// The names of parallel iterators for ordinary ones.
#[cfg(not(feature = "threads"))]
mod alone {
    /// What a slice has.
    pub(crate) trait Slice<T> {
        fn par_iter(&self) -> std::slice::Iter<'_, T>;
        fn par_iter_mut(&mut self) -> std::slice::IterMut<'_, T>;
        fn par_chunks_mut(&mut self, size: usize) -> std::slice::ChunksMut<'_, T>;
    }

    impl<T> Slice<T> for [T] {
        fn par_iter(&self) -> std::slice::Iter<'_, T> {
            self.iter()
        }

        fn par_iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
            self.iter_mut()
        }

        fn par_chunks_mut(&mut self, size: usize) -> std::slice::ChunksMut<'_, T> {
            self.chunks_mut(size)
        }
    }

    /// What owns its items.
    pub(crate) trait Owned: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<I: IntoIterator> Owned for I {}

    /// What parallel iterators have beyond ordinary ones.
    pub(crate) trait Beyond: Iterator + Sized {
        /// Maps with a work space that is made once.
        fn map_init<S, T>(
            self,
            make: impl FnOnce() -> S,
            mut work: impl FnMut(&mut S, Self::Item) -> T,
        ) -> impl Iterator<Item = T> {
            let mut space = make();
            self.map(move |item| work(&mut space, item))
        }
    }

    impl<I: Iterator> Beyond for I {}
}
