//! Reads the tables of `tests/data`.

/// A row of a table whose first line names the columns.
pub(crate) struct Row<'t> {
    columns: &'t [String],
    cells: Vec<String>,
}

impl Row<'_> {
    /// The text of a column.
    pub(crate) fn text(&self, column: &str) -> &str {
        let at = self.columns.iter().position(|name| name == column);
        &self.cells[at.unwrap_or_else(|| panic!("no column {column}"))]
    }

    /// The number of a column, `None` where the cell is empty.
    pub(crate) fn number<N: std::str::FromStr>(&self, column: &str) -> Option<N> {
        let text = self.text(column);
        let parsed = text.parse().ok();
        assert!(parsed.is_some() || text.is_empty(), "{column}: {text}");
        parsed
    }
}

/// The first line of a table.
pub(crate) fn columns(table: &str) -> Vec<String> {
    split(table.lines().next().expect("a table has a first line"))
}

/// The other lines.
pub(crate) fn rows<'t>(table: &str, columns: &'t [String]) -> Vec<Row<'t>> {
    let rows = table.lines().skip(1).map(|line| Row { columns, cells: split(line) }).collect::<Vec<_>>();
    assert!(rows.iter().all(|row| row.cells.len() == columns.len()), "a row has as many cells as there are columns");
    rows
}

/// A line at its commas, where they are not in quotes.
fn split(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("there is a first cell").push(letter),
        }
    }
    cells
}
