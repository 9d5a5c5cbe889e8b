//! What the machine has left.

use std::fs;
use std::path::{Path, PathBuf};

/// Memory that this process can still take, in bytes: what the machine has, what its control groups
/// (version 1 or 2) allow, and its own limit of address space, whichever is least. Nothing where the
/// system does not say, as on others than Linux.
pub fn available_memory() -> Option<u64> {
    [of_machine(), of_groups(), of_limits()].into_iter().flatten().min()
}

fn of_machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    kibibytes(&text, "MemAvailable:")
}

/// Bytes that may be copied to the folder for temporary files: where that is in memory, as `/tmp`
/// often is, half of what is left; else as much as the disk takes.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn room_for_copies() -> u64 {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let folder = std::env::temp_dir();
    let folder = folder.canonicalize().unwrap_or(folder);
    match is_in_memory(&mounts, &folder) {
        true => available_memory().map_or(u64::MAX, |bytes| bytes / 2),
        false => u64::MAX,
    }
}

/// Whether a folder is on a file system in memory, by the list of all that are mounted.
#[cfg(not(target_family = "wasm"))]
fn is_in_memory(mounts: &str, folder: &Path) -> bool {
    let fields = mounts.lines().map(|line| line.split(' '));
    let places = fields.filter_map(|mut line| Some((line.nth(1)?.to_string(), line.next()?)));
    let around = places.filter(|(place, _)| folder.starts_with(place));
    // The innermost counts, and of several in one place the last.
    around
        .max_by_key(|(place, _)| place.len())
        .is_some_and(|(_, kind)| matches!(kind, "tmpfs" | "ramfs" | "devtmpfs"))
}

/// The number after a word at the start of a line, in units of 1024.
fn kibibytes(text: &str, word: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(word))?;
    rest.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// What is left below the soft limit of address space. The buffers that matrix products reserve,
/// twice the largest cache for each thread, count here although they are hardly touched.
fn of_limits() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let buffers = threads.saturating_mul(2 * largest_cache().unwrap_or(0));
    Some(limit.saturating_sub(used).saturating_sub(buffers))
}

fn largest_cache() -> Option<u64> {
    let text = fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index3/size").ok()?;
    text.trim().strip_suffix('K')?.parse::<u64>().ok()?.checked_mul(1024)
}

fn of_groups() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    left_in_groups(&groups, Path::new("/sys/fs/cgroup"))
}

/// The least that any group of the process has left, from `groups` as in `/proc/self/cgroup`.
fn left_in_groups(groups: &str, root: &Path) -> Option<u64> {
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
        let names = match controllers {
            "" => ["memory.max", "memory.current", "inactive_file"],
            list if list.split(',').any(|name| name == "memory") => {
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"]
            }
            _ => continue,
        };
        let mounts = [root.to_path_buf(), root.join("unified"), root.join("memory")];
        for mount in mounts {
            // In a container the path is that of the host, and only its end is there.
            let mut folder: Option<PathBuf> = Some(mount.join(path.trim_start_matches('/')));
            while let Some(group) = folder {
                least = least.into_iter().chain(left_in(&group, names)).min();
                folder = group.parent().filter(|up| up.starts_with(&mount)).map(Path::to_path_buf);
            }
        }
    }
    least
}

fn left_in(group: &Path, [limit, usage, cache]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| -> Option<u64> {
        fs::read_to_string(group.join(name)).ok()?.trim().parse().ok()
    };
    // Without a limit it is the word `max`, or a number that no machine has.
    let limit = number(limit).filter(|&limit| limit < 1 << 60)?;
    let statistics = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = statistics.lines().find_map(|line| line.strip_prefix(cache)?.strip_prefix(' '));
    // Files that were read and not touched lately make room when it is needed.
    let cached = cached.and_then(|number| number.trim().parse().ok()).unwrap_or(0);
    Some(limit.saturating_sub(number(usage)?.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(root: &Path, path: &str, files: &[(&str, &str)]) {
        let folder = root.join(path);
        fs::create_dir_all(&folder).unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
    }

    #[test]
    fn the_tightest_group_of_either_version_counts() {
        let root = tempfile::tempdir().unwrap();
        let stat = ("memory.stat", "anon 1\ninactive_file 30\n");
        group(root.path(), "a", &[("memory.max", "1000\n"), ("memory.current", "900\n"), stat]);
        group(root.path(), "a/b", &[("memory.max", "max\n"), ("memory.current", "500\n")]);
        assert_eq!(left_in_groups("0::/a/b\n", root.path()), Some(130));
        let old = [("memory.limit_in_bytes", "80\n"), ("memory.usage_in_bytes", "60\n")];
        group(root.path(), "memory/x", &old);
        let both = "4:memory:/x\n1:cpu:/\n0::/a/b\n";
        assert_eq!(left_in_groups(both, root.path()), Some(20));
        assert_eq!(left_in_groups("0::/nowhere\n", root.path()), None);
    }

    #[test]
    fn folders_in_memory_are_known() {
        let mounts = "/dev/sda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/sdb /tmp/disk xfs rw\n";
        for (folder, expected) in
            [("/tmp", true), ("/tmp/a", true), ("/tmp/disk/a", false), ("/var/tmp", false)]
        {
            assert_eq!(is_in_memory(mounts, Path::new(folder)), expected, "{folder}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_has_some() {
        assert!(available_memory().unwrap() > 1 << 20);
    }
}
