//! Dates in sheets: numbers of days that only their format tells from other numbers.

/// Days from the start of 1970 back to that of the calendar of spreadsheets.
const EPOCH: i64 = 25_569;

/// Days between the two calendars of Excel.
const LATER: f64 = 1462.0;

/// A number of days as a date, with its time where it has one; nothing for days of no calendar.
pub(super) fn date(days: f64, since_1904: bool) -> Option<String> {
    let days = if since_1904 { days + LATER } else { days };
    if !(0.0..3_000_000.0).contains(&days) {
        return None;
    }
    // Excel takes 1900 for a leap year.
    let days = if days < 60.0 && !since_1904 { days + 1.0 } else { days };
    let seconds = (days * 86_400.0).round() as i64;
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(day - EPOCH);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if second == 0 {
        return Some(date);
    }
    Some(format!("{date} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60))
}

/// The day of the Gregorian calendar so many days after the start of 1970 (Hinnant 2013).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Whether a format that Excel knows by number shows a date or a time of a day.
pub(super) fn is_known(format: u32) -> bool {
    matches!(format, 14..=22 | 27..=36 | 50..=58)
}

/// Whether a format shows a date or a time of a day, and no length of time.
pub(super) fn is_written(format: &str) -> bool {
    let mut characters = format.chars();
    let mut dated = false;
    while let Some(character) = characters.next() {
        match character {
            // What is quoted, escaped or in brackets is shown as it is; [h] is a length of time.
            '"' => {
                characters.by_ref().find(|&c| c == '"');
            }
            '\\' | '_' | '*' => {
                characters.next();
            }
            '[' => {
                let inside: String = characters.by_ref().take_while(|&c| c != ']').collect();
                if !inside.is_empty() && inside.chars().all(|c| "hmsHMS".contains(c)) {
                    return false;
                }
            }
            'y' | 'Y' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' | 'm' | 'M' => dated = true,
            // "General", and colours and numbers that have such letters in them.
            'G' | 'g' => return false,
            _ => {}
        }
    }
    dated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (days, since_1904, text) in [
            (1.0, false, "1900-01-01"),
            (59.0, false, "1900-02-28"),
            (61.0, false, "1900-03-01"),
            (36526.0, false, "2000-01-01"),
            (43890.75, false, "2020-02-29 18:00:00"),
            (0.0, true, "1904-01-01"),
            (35064.0, true, "2000-01-01"),
        ] {
            assert_eq!(date(days, since_1904).as_deref(), Some(text));
        }
        assert_eq!(date(-1.0, false), None);
        assert_eq!(date(f64::NAN, false), None);
    }

    #[test]
    fn formats_tell_dates() {
        for format in ["yyyy-mm-dd", "d/m/yy", "[$-407]d. mmmm yyyy", "h:mm AM/PM", "mm\\-yy"] {
            assert!(is_written(format), "{format}");
        }
        for format in ["0.00", "General", "#,##0 \"days\"", "[h]:mm:ss", "0%", "[Red]0.0", "0\\d"] {
            assert!(!is_written(format), "{format}");
        }
    }
}
