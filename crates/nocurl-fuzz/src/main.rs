//! `nocurl-fuzz --minutes N [--seed S] [TARGET]...`: reads made-up files until the time is over, or
//! `nocurl-fuzz --file FILE TARGET`: reads one.
#![allow(clippy::print_stdout, reason = "a developer's tool talks on the terminal")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nocurl_fuzz::{TARGETS, Target};

/// Files of a target before it is the turn of the next.
const TURN: u64 = 200;

/// A file that takes longer than this is kept as a finding, and one that takes ten times as long
/// ends the run.
const SLOW: Duration = Duration::from_secs(5);

/// What is being read, and since when in milliseconds, for who watches.
static CURRENT: Mutex<Option<(&'static Target, u64)>> = Mutex::new(None);
static SINCE: AtomicU64 = AtomicU64::new(u64::MAX);

fn main() -> Result<()> {
    let mut minutes = 1.0;
    let mut seed = 1;
    let mut file = None;
    let mut targets: Vec<&'static Target> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--minutes" => minutes = value()?.parse()?,
            "--seed" => seed = value()?.parse()?,
            "--file" => file = Some(value()?),
            name => match TARGETS.iter().find(|target| target.name == name) {
                Some(target) => targets.push(target),
                None => bail!("there is no target `{name}`"),
            },
        }
    }
    if let (Some(file), [target]) = (file, targets.as_slice()) {
        let outcome = target.read(std::fs::read(file)?);
        println!("accepted: {}, finding: {:?}", outcome.accepted, outcome.finding);
        return Ok(());
    }
    if targets.is_empty() {
        targets = TARGETS.iter().collect();
    }
    campaign(&targets, Duration::from_secs_f64(60.0 * minutes), seed)
}

fn campaign(targets: &[&'static Target], limit: Duration, seed: u64) -> Result<()> {
    let start = Instant::now();
    std::thread::spawn(move || watch(start, seed));
    let corpora: Vec<_> = targets.iter().map(|target| target.corpus()).collect();
    let mut counts: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    let mut round = 0;
    let mut told = Duration::ZERO;
    while start.elapsed() < limit {
        for (target, corpus) in targets.iter().zip(&corpora) {
            for number in round * TURN..(round + 1) * TURN {
                *CURRENT.lock().expect("nobody panics here") = Some((*target, number));
                SINCE.store(start.elapsed().as_millis() as u64, Ordering::Relaxed);
                let outcome = target.run(corpus, seed, number);
                SINCE.store(u64::MAX, Ordering::Relaxed);
                let count = counts.entry(target.name).or_default();
                count[0] += 1;
                count[1] += u64::from(outcome.accepted);
                let slow = outcome.elapsed > SLOW;
                let slow = slow.then(|| format!("it takes {:?}", outcome.elapsed));
                if let Some(finding) = outcome.finding.or(slow) {
                    count[2] += 1;
                    keep(target.name, number, &outcome.bytes, &finding)?;
                }
            }
        }
        round += 1;
        if start.elapsed() - told > Duration::from_secs(60) || start.elapsed() >= limit {
            told = start.elapsed();
            println!("after {} s (files, accepted, findings): {counts:?}", told.as_secs());
        }
    }
    Ok(())
}

/// Writes a finding beside the build.
fn keep(target: &str, number: u64, bytes: &[u8], finding: &str) -> Result<()> {
    let folder = Path::new("target/fuzz").join(target);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{number}"));
    std::fs::write(&path, bytes)?;
    println!("{}: {}", path.display(), finding.escape_debug());
    Ok(())
}

/// Ends the run where a file takes for ever, which is kept.
fn watch(start: Instant, seed: u64) {
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let now = start.elapsed().as_millis() as u64;
        let since = SINCE.load(Ordering::Relaxed);
        if since != u64::MAX && now.saturating_sub(since) > 10 * SLOW.as_millis() as u64 {
            if let Ok(Some((target, number))) = CURRENT.lock().map(|current| *current) {
                let bytes = target.file(&target.corpus(), seed, number);
                if let Err(error) = keep(target.name, number, &bytes, "it hangs") {
                    println!("{} {number} hangs and is not kept: {error:#}", target.name);
                }
            }
            std::process::exit(1);
        }
    }
}
