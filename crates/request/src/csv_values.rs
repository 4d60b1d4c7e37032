//! A table of values from a CSV file (RFC 4180): the first line names the columns.

use std::collections::HashSet;
use std::sync::Arc;

use velo_model::{CsvTable, Pick, Table};

use crate::problem::Problem;
use crate::text;
use crate::value::is_name;

/// Each column is declared as a value, and compared with the names of all others.
const MOST_COLUMNS: usize = 4096;

/// The table in a file. Columns whose names cannot stand between braces are only kept.
///
/// # Errors
/// When the file is no table with names and values.
pub fn read(bytes: &[u8], file: &str, random: bool) -> Result<CsvTable, Problem> {
    let mut rows = rows(bytes)?.into_iter();
    let Some((_, header)) = rows.next() else {
        return Err(Problem::new(
            "holds nothing",
            "expected a line with the columns' names, then the values",
        ));
    };
    if header.len() > MOST_COLUMNS {
        return Err(Problem::new(
            format!("line 1 names {} columns", header.len()),
            format!("expected at most {MOST_COLUMNS}; leave out those that no request uses"),
        ));
    }
    let names: Vec<String> =
        header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(Problem::new(format!("two columns are called `{twice}`"), "expected each name once"));
    }
    if !names.iter().any(|name| is_name(name)) {
        return Err(Problem::new(
            format!("line 1 names no column: {}", text::excerpt(&header.join(&b','))),
            "expected names in the first line, as in id,name",
        ));
    }
    let mut table = Vec::new();
    for (line, row) in rows {
        if row.len() != names.len() {
            return Err(Problem::new(
                format!("line {line} has {} fields", row.len()),
                format!("expected {}, as many as the first line", names.len()),
            ));
        }
        table.push(row);
    }
    if table.is_empty() {
        return Err(Problem::new("has no values below the first line", "expected one row at least"));
    }
    let pick = if random { Pick::Random } else { Pick::InOrder };
    Ok(CsvTable {
        file: file.to_owned(),
        columns: names,
        rows: table.len(),
        random,
        cells: Some(Arc::new(Table { rows: table, pick })),
    })
}

type Row = Vec<Vec<u8>>;

/// The rows with the lines that they begin on, from 1; empty lines are skipped.
fn rows(text: &[u8]) -> Result<Vec<(usize, Row)>, Problem> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut rows = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < text.len() {
        let first_line = line;
        let mut row = Vec::new();
        loop {
            let (field, next) = if text.get(at) == Some(&b'"') {
                quoted(text, at + 1, &mut line)?
            } else {
                let end =
                    text[at..].iter().position(|b| matches!(b, b',' | b'\n')).map_or(text.len(), |n| at + n);
                let field = &text[at..end];
                let is_last = text.get(end) != Some(&b',');
                let field = if is_last { field.strip_suffix(b"\r").unwrap_or(field) } else { field };
                (field.to_vec(), end)
            };
            row.push(field);
            at = next + 1;
            match text.get(next) {
                Some(b',') => {}
                _ => break,
            }
        }
        line += 1;
        if row != [Vec::<u8>::new()] {
            rows.push((first_line, row));
        }
    }
    Ok(rows)
}

/// A field in quotes from behind the first one, and where the comma or line feed behind the last one is.
fn quoted(text: &[u8], from: usize, line: &mut usize) -> Result<(Vec<u8>, usize), Problem> {
    let begins = *line;
    let mut field = Vec::new();
    let mut at = from;
    loop {
        match text.get(at) {
            Some(b'"') if text.get(at + 1) == Some(&b'"') => {
                field.push(b'"');
                at += 2;
            }
            Some(b'"') => {
                at += 1;
                if text.get(at) == Some(&b'\r') {
                    at += 1;
                }
                return match text.get(at) {
                    None | Some(b',' | b'\n') => Ok((field, at)),
                    Some(_) => Err(Problem::new(
                        format!("line {line}: text behind a closing quote"),
                        "expected a comma or the line's end; a quote inside a field is written twice",
                    )),
                };
            }
            Some(&byte) => {
                *line += usize::from(byte == b'\n');
                field.push(byte);
                at += 1;
            }
            None => {
                return Err(Problem::new(
                    format!("line {begins}: a quote that is never closed"),
                    "expected `\"`",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<Vec<String>> {
        let lossy = |row: Row| row.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        rows(text.as_bytes()).expect("rows").into_iter().map(|(_, row)| lossy(row)).collect()
    }

    #[test]
    fn fields_are_read_as_the_rfc_says() {
        assert_eq!(
            texts("id,name\r\n1,Ada\r\n2,\"a \"\"b\"\", c\"\n"),
            [["id", "name"], ["1", "Ada"], ["2", "a \"b\", c"]]
        );
        assert_eq!(texts("a,b\n\n1,\n,2"), [["a", "b"], ["1", ""], ["", "2"]]);
        assert_eq!(texts("\u{feff}a\n\"two\nlines\"\nend"), [["a"], ["two\nlines"], ["end"]]);
        assert_eq!(texts("\"a\"\r\n\"b\"\r\n"), [["a"], ["b"]]);
        assert!(texts("").is_empty() && texts("\n\r\n").is_empty());
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        let refused = |text: &str| read(text.as_bytes(), "values.csv", false).expect_err("no table").what;
        assert!(
            refused("a,b\n1,2\n\"x\ny\",1\n3\n").contains("line 5 has 1 fields"),
            "{}",
            refused("a,b\n1,2\n3\n")
        );
        assert!(refused("a\n\"x\" y\n").contains("line 2"));
        assert!(refused("a\n1\n\"x").contains("line 3"));
        assert!(refused("a,a\n1,2\n").contains("two columns"));
        let wide: Vec<String> = (0..=MOST_COLUMNS).map(|n| format!("c{n}")).collect();
        assert!(refused(&format!("{0}\n{0}\n", wide.join(","))).contains("line 1 names 4097 columns"));
        assert!(refused("1,2\n3,4\n").contains("names no column"));
        assert!(refused("a\n").contains("no values"));
        assert!(refused("").contains("nothing"));
    }

    #[test]
    fn columns_are_of_one_table() {
        let text = "id,full name,city\n1,x,Rome\n2,y,Bari\n";
        let table = read(text.as_bytes(), "values.csv", true).expect("a table");
        assert_eq!(table.columns, ["id", "full name", "city"]);
        let cells = table.cells.expect("rows");
        assert_eq!(
            (cells.pick, cells.rows[1][2].as_slice(), table.rows),
            (Pick::Random, b"Bari".as_slice(), 2)
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(table in prop::collection::vec(prop::collection::vec("[a\",\n\r ]{0,5}", 2..3), 1..6)) {
            let quoted = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
            let text: String = table
                .iter()
                .map(|row| format!("{}\n", row.iter().map(quoted).collect::<Vec<_>>().join(",")))
                .collect();
            prop_assert_eq!(texts(&text), table);
        }

        #[test]
        fn any_bytes_get_an_answer(text in prop::collection::vec(prop::sample::select(b"a,\"\n\r\xff".to_vec()), 0..60)) {
            if let Ok(rows) = rows(&text) {
                prop_assert!(rows.iter().all(|(line, row)| *line > 0 && !row.is_empty()));
            }
        }
    }
}
