//! What a piece of work takes of the processor and of memory.

use std::time::Instant;

/// Ticks in a second of the times that Linux tells; the same on all its systems.
const TICKS: f64 = 100.0;

/// Taken at the start of the work.
pub(super) struct Meter {
    start: Instant,
    cpu: Option<f64>,
}

impl Meter {
    pub(super) fn start() -> Self {
        // Linux forgets the peak so far when a 5 is written here; elsewhere there is none to read.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Self { start: Instant::now(), cpu: processor() }
    }

    /// Seconds of the processor, seconds that passed, and the most memory in bytes.
    pub(super) fn read(&self) -> (Option<f64>, f64, Option<u64>) {
        let elapsed = self.start.elapsed().as_secs_f64();
        let cpu = processor().zip(self.cpu).map(|(now, then)| now - then);
        (cpu, elapsed, peak())
    }
}

/// Seconds of the processor that this program has had.
fn processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold anything.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}

/// The most memory since it was asked to forget.
fn peak() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_memory() {
        let meter = Meter::start();
        let mut numbers = vec![1u64; 8 << 20];
        while processor().zip(meter.cpu).is_some_and(|(now, then)| now - then < 0.03) {
            numbers.iter_mut().for_each(|number| *number = number.wrapping_mul(3));
        }
        let (cpu, elapsed, memory) = meter.read();
        assert!(cpu.is_some_and(|seconds| seconds >= 0.03) && elapsed > 0.0);
        assert!(memory.is_some_and(|bytes| bytes >= 64 << 20), "{memory:?}");
        assert!(numbers.iter().any(|&number| number != 0));
    }
}
