//! A load's durations as a picture of letters, for a terminal.

use velo_judge::load::{LoadResult, Time};
use velo_stats::Histogram;

use super::figures;
use crate::number::{count, percent, time_ns};
use crate::text::columns;
use crate::write::terminal::page::Page;
use crate::write::terminal::style::Style;

/// Rows, so that the figures below still stand on a screen of 24 lines.
const ROWS: usize = 8;
/// Of fewer a picture says nothing.
const LEAST: u64 = 100;
/// The longest bar, in columns.
const BAR: usize = 44;

/// So many durations up to one, and above that of the row before.
#[derive(Debug, PartialEq)]
struct Row {
    to_ns: f64,
    samples: u64,
}

/// The durations of the headline in rows of equal width on a logarithmic axis; where they are few, their mean alone.
pub(super) fn print(result: &LoadResult, label: usize, page: &mut Page) {
    let time = Time::from(result.figures.headline);
    let Ok(histogram) = time.histogram(&result.record).decode() else { return };
    let rows = rows(&histogram);
    let most = rows.iter().map(|row| row.samples).max().unwrap_or(0);
    let Some(mean) = histogram.mean_ns().filter(|mean| mean.is_finite()) else { return };
    let few = if most == 0 {
        format!("; fewer than {LEAST}, so that no histogram is drawn")
    } else {
        String::new()
    };
    let head = format!("{} times, mean {}{few}", figures::label(time), time_ns(mean));
    page.labelled("histogram", Style::Strong, label, &head, Style::Plain);
    let all = histogram.count() as f64;
    let cells: Vec<[String; 3]> = rows
        .iter()
        .map(|row| [time_ns(row.to_ns), count(row.samples), percent(row.samples as f64 / all)])
        .collect();
    let widths: [usize; 3] =
        std::array::from_fn(|column| cells.iter().map(|row| columns(&row[column])).max().unwrap_or(0));
    let taken = "  to ".len() + widths.iter().sum::<usize>() + 3 * 2;
    let room = page.width.saturating_sub(taken).min(BAR);
    for (row, cells) in rows.iter().zip(&cells) {
        let figures: String =
            cells.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}  ")).collect();
        let line = format!("  to {figures}");
        page.line(&[(&line, Style::Plain), (&bar(row.samples, most, room), Style::Faint)]);
    }
}

/// As long as the samples ask, to half a column; a thin one where there are samples at all.
fn bar(samples: u64, most: u64, room: usize) -> String {
    let halves = (samples as f64 / most as f64 * 2.0 * room as f64).round() as usize;
    match (halves / 2, halves % 2) {
        (0, 0) if samples > 0 => "▏".to_owned(),
        (whole, half) => "█".repeat(whole) + if half == 1 { "▌" } else { "" },
    }
}

fn rows(histogram: &Histogram) -> Vec<Row> {
    let recorded: Vec<(u64, u64)> = histogram.recorded().collect();
    let (Some((least, _)), Some((most, _))) = (recorded.first(), recorded.last()) else { return Vec::new() };
    if histogram.count() < LEAST {
        return Vec::new();
    }
    let (least, most) = ((*least).max(1) as f64, (*most).max(1) as f64);
    let to_ns = |row: usize| least * (most / least).powf(row as f64 / ROWS as f64);
    let mut rows: Vec<Row> = (1..=ROWS).map(|row| Row { to_ns: to_ns(row), samples: 0 }).collect();
    for (ns, times) in recorded {
        // What rounding puts beyond the last row belongs to it.
        let row = rows.iter().position(|row| ns as f64 <= row.to_ns).unwrap_or(ROWS - 1);
        rows[row].samples = rows[row].samples.saturating_add(times);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: impl IntoIterator<Item = (u64, u64)>) -> Histogram {
        let mut histogram = Histogram::new();
        values.into_iter().for_each(|(ns, times)| histogram.record_many(ns, times));
        histogram
    }

    #[test]
    fn every_sample_is_in_one_row() {
        let rows = rows(&histogram((1..=1_000).map(|index| (index * 10_000, index % 7))));
        assert_eq!(rows.len(), ROWS);
        assert_eq!(
            rows.iter().map(|row| row.samples).sum::<u64>(),
            (1..=1_000).map(|index| index % 7).sum::<u64>()
        );
        let steps: Vec<f64> = rows.windows(2).map(|pair| pair[1].to_ns / pair[0].to_ns).collect();
        assert!(steps.iter().all(|step| (step / steps[0] - 1.0).abs() < 1e-9), "{steps:?}");
    }

    #[test]
    fn few_samples_and_equal_ones_are_no_picture_or_a_plain_one() {
        assert_eq!(rows(&histogram([(1_000, LEAST - 1)])), []);
        assert_eq!(rows(&Histogram::new()), []);
        let equal = rows(&histogram([(1_000, 500)]));
        assert_eq!(equal.iter().map(|row| row.samples).collect::<Vec<_>>(), [500, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn bars_have_half_columns_and_none_is_lost() {
        assert_eq!(bar(100, 100, 3), "███");
        assert_eq!(bar(50, 100, 3), "█▌");
        assert_eq!(bar(1, 100, 3), "▏");
        assert_eq!(bar(0, 100, 3), "");
    }
}
