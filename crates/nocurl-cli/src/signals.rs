//! What asks the program to stop: Ctrl-C, a request to end (SIGTERM), a terminal that is closed
//! (SIGHUP).

use std::sync::atomic::{AtomicI32, Ordering};

/// The number of Ctrl-C, which stands for all where there are no others.
const INTERRUPT: i32 = 2;

/// The signal that came first.
static FIRST: AtomicI32 = AtomicI32::new(INTERRUPT);

/// The exit code of a program that a signal has stopped, as shells count it.
pub(crate) fn exit_code() -> u8 {
    128_u8.saturating_add(FIRST.load(Ordering::SeqCst) as u8)
}

/// Calls `stop` on another thread when the program is asked to stop. Without it the program ends at
/// once, which leaves nothing behind either.
#[cfg(unix)]
pub(crate) fn on_request(stop: impl Fn() + Send + 'static) {
    use std::sync::Once;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
        let Ok(mut signals) = Signals::new(wanted) else { return };
        let listen = move || {
            let mut first = true;
            for signal in signals.forever() {
                if std::mem::take(&mut first) {
                    FIRST.store(signal, Ordering::SeqCst);
                }
                stop();
            }
        };
        // Without a thread nobody would hear: as if there were no handler, but for the default.
        let _ = std::thread::Builder::new().name("signals".into()).spawn(listen);
    });
}

/// Whether whoever started the program wants a signal to be ignored, as `nohup` does with SIGHUP.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    use std::io::IsTerminal;

    match std::fs::read_to_string("/proc/self/status") {
        Ok(status) => {
            let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
            let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
            mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
        }
        // Elsewhere it cannot be asked; `nohup` leaves no terminal.
        Err(_) => signal == signal_hook::consts::SIGHUP && !std::io::stderr().is_terminal(),
    }
}

#[cfg(not(unix))]
pub(crate) fn on_request(stop: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(stop);
}
