//! Paths from one variable to another.

use super::class::Class;

/// Work space for the search of paths, from both ends at once: the side with fewer to see ends it.
#[derive(Debug)]
pub(super) struct Paths {
    ends: [End; 2],
    search: u32,
}

/// What is known of the paths from one end.
#[derive(Debug)]
struct End {
    /// The search that saw a variable last, and what it was seen from.
    seen: Vec<(u32, u32)>,
    queue: Vec<usize>,
    at: usize,
}

impl End {
    fn new(size: usize) -> Self {
        Self { seen: vec![(0, 0); size], queue: Vec::new(), at: 0 }
    }

    fn start(&mut self, from: usize, avoid: &[usize], search: u32) {
        self.queue.clear();
        self.at = 0;
        avoid.iter().for_each(|&v| self.seen[v] = (search, v as u32));
        self.seen[from] = (search, from as u32);
        self.queue.push(from);
    }

    /// Back to where it started, `v` first.
    fn trace(&self, mut v: usize, into: &mut Vec<usize>) {
        loop {
            into.push(v);
            let before = self.seen[v].1 as usize;
            if before == v {
                return;
            }
            v = before;
        }
    }
}

impl Paths {
    pub(super) fn new(size: usize) -> Self {
        Self { ends: [End::new(size), End::new(size)], search: 0 }
    }

    /// A path from `start` to `to` along directed (forwards) and undirected edges that meets no
    /// variable of `avoid`, if there is one.
    pub(super) fn find(
        &mut self,
        class: &Class,
        start: usize,
        to: usize,
        avoid: &[usize],
    ) -> Option<Vec<usize>> {
        self.search += 1;
        let search = self.search;
        self.ends[0].start(start, avoid, search);
        self.ends[1].start(to, avoid, search);
        loop {
            for side in 0..2 {
                let [one, two] = &mut self.ends;
                let (own, other) = if side == 0 { (one, two) } else { (two, one) };
                let &v = own.queue.get(own.at)?;
                own.at += 1;
                let mut met = None;
                let mut see = |w: usize| {
                    if own.seen[w].0 == search {
                        return;
                    }
                    own.seen[w] = (search, v as u32);
                    own.queue.push(w);
                    // What is to be avoided was seen from here as well, so this is on a path.
                    if other.seen[w].0 == search && met.is_none() {
                        met = Some(w);
                    }
                };
                match side {
                    0 => class.onward(v).for_each(&mut see),
                    _ => class.backward(v).for_each(&mut see),
                }
                if let Some(w) = met {
                    let mut path = Vec::new();
                    self.ends[0].trace(w, &mut path);
                    path.reverse();
                    path.pop();
                    self.ends[1].trace(w, &mut path);
                    return Some(path);
                }
            }
        }
    }
}
