//! Markdown.

use std::fmt::Write;

use crate::compare::{Figures, Series};
use crate::statistics::{Ratio, Spread};

/// One line for each tool, with velo's ratio to it; `ours` is velo's series.
pub(crate) fn comparison(ours: &Series, all: &[Series]) -> String {
    let mut text = "| tool | CPU us/request: median (least to greatest) | velo / tool: median, 95 % interval | requests/s, velo / tool | peak memory MB | void |\n\
                    |---|---|---|---|---|---|\n"
        .to_owned();
    for series in all {
        let is_ours = std::ptr::eq(series, ours);
        let ratio = |figure| if is_ours { None } else { ours.ratio_to(series, figure) };
        let (void, _) = series.void();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {void} of {} |",
            name(series),
            series.spread(Figures::cpu_us).map_or_else(none, spread),
            ratio(Figures::cpu_us).map_or_else(none, self::ratio),
            ratio(|figures| figures.per_s).map_or_else(none, |ratio| format!("{:.2}", ratio.median)),
            series.peak_memory_bytes().map_or_else(none, megabytes),
            series.runs.len(),
        );
    }
    text.push_str(&void_reasons(all));
    text
}

/// The tool's name, and what it chose.
fn name(series: &Series) -> String {
    let drivers = series.drivers();
    if drivers.is_empty() {
        series.tool.name.to_owned()
    } else {
        format!("{} ({})", series.tool.name, drivers.join(", "))
    }
}

/// Why runs are void, if any is.
pub(crate) fn void_reasons(all: &[Series]) -> String {
    let reason = |series: &Series| {
        let (_, reason) = series.void();
        reason.map(|reason| format!("\n{}'s first void run: {}.\n", series.tool.name, plain(reason)))
    };
    all.iter().filter_map(reason).collect()
}

/// A tool's words in a line of Markdown.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || "|<>`".contains(c) { ' ' } else { c }).take(200).collect()
}

pub(crate) fn spread(spread: Spread) -> String {
    format!("{:.2} ({:.2} to {:.2})", spread.median, spread.least, spread.greatest)
}

pub(crate) fn ratio(ratio: Ratio) -> String {
    match ratio.interval {
        Some((low, high)) => format!("{:.3} ({low:.3} to {high:.3})", ratio.median),
        None => format!("{:.3}", ratio.median),
    }
}

pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

pub(crate) fn none() -> String {
    "-".to_owned()
}

/// `1,024`.
pub(crate) fn count(number: u32) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

/// `1`, `1 and 2`, `1, 2 and 3`.
pub(crate) fn list(words: &[String]) -> String {
    match words {
        [] => none(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{VELO, WRK};

    #[test]
    fn a_line_for_each_tool() {
        let figures = |user_us, driver| Figures {
            user_us,
            system_us: 1.0,
            per_s: 100.0,
            peak_memory_bytes: 9_500_000,
            driver,
        };
        let all = [
            Series {
                tool: &VELO,
                runs: vec![
                    Ok(figures(2.0, Some("epoll"))),
                    Ok(figures(2.0, Some("epoll"))),
                    Ok(figures(2.0, None)),
                ],
            },
            Series {
                tool: &WRK,
                runs: vec![Ok(figures(3.0, None)), Ok(figures(5.0, None)), Err("lost | one".to_owned())],
            },
        ];
        let text = comparison(&all[0], &all);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(lines[0], "| velo (epoll) | 3.00 (3.00 to 3.00) | - | - | 9.5 | 0 of 3 |");
        assert_eq!(lines[1], "| wrk | 5.00 (4.00 to 6.00) | 0.625 | 1.00 | 9.5 | 1 of 3 |");
        assert_eq!(lines[3], "wrk's first void run: lost   one.");
    }

    #[test]
    fn words_in_a_row() {
        assert_eq!(list(&["a".to_owned()]), "a");
        assert_eq!(list(&["a".to_owned(), "b".to_owned(), "c".to_owned()]), "a, b and c");
        assert_eq!((count(64), count(1024)), ("64".to_owned(), "1,024".to_owned()));
    }
}
