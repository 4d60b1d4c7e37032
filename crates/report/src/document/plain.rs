use super::block::{Aside, Block, Claim, Named};
use super::table::{Column, Table, TableRow};

impl Block {
    /// Tables, and what can be one where a writer has no form of its own for it: names, those without a place, claims.
    pub(crate) fn as_table(&self) -> Option<Table> {
        match self {
            Self::Table(table) => Some(table.clone()),
            Self::Named(named) => Some(names(named)),
            Self::Asides { rows } => Some(asides(rows)),
            Self::Claims { claims } => Some(self::claims(claims)),
            Self::Text(_)
            | Self::Lines(_)
            | Self::Groups(_)
            | Self::Notes { .. }
            | Self::Chart(_)
            | Self::Multiples(_)
            | Self::Fold(_) => None,
        }
    }
}

fn names(named: &Named) -> Table {
    let rows = named.rows.iter().map(|(name, words)| [name, words].map(|text| Some(text.clone())));
    Table::new(named.titles.map(Column::text), rows)
}

fn asides(asides: &[Aside]) -> Table {
    let rows = asides.iter().map(|row| {
        let more = row.more.as_ref().map(|more| format!("; {more}")).unwrap_or_default();
        let cells = [row.name.clone(), row.what.clone(), format!("{}{more}", row.reason)].map(Some);
        TableRow { reason: Some(2), ..cells.into() }
    });
    Table::new([Column::text("not ranked"), Column::number("figure"), Column::text("why")], rows)
}

fn claims(claims: &[Claim]) -> Table {
    let columns = [
        Column::text("claim"),
        Column::number("there"),
        Column::number("here"),
        Column::text("holds"),
        Column::text("verdict"),
        Column::text("why"),
    ];
    let rows = claims.iter().map(|claim| {
        let here = claim.here.as_ref().map(|here| match &claim.interval {
            Some(interval) => format!("{here} ({interval})"),
            None => here.clone(),
        });
        [
            Some(claim.says.clone()),
            claim.there.clone(),
            here,
            Some(claim.bound.clone().unwrap_or_default()),
            Some(claim.verdict.clone()),
            Some(claim.reason.clone().unwrap_or_default()),
        ]
    });
    Table::new(columns, rows)
}
