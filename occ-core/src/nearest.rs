//! The nearest of several known names, for "did you mean".

/// Bytes of a name that are compared.
const LENGTH: usize = 48;

/// Returns the number of single-character edits between two names, ASCII case ignored, within their first 48 bytes.
pub const fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let columns = if b.len() < LENGTH { b.len() } else { LENGTH };
    let rows = if a.len() < LENGTH { a.len() } else { LENGTH };
    let mut row = [0; LENGTH + 1];
    let mut at = 0;
    while at <= columns {
        row[at] = at;
        at += 1;
    }
    let mut i = 0;
    while i < rows {
        let mut diagonal = row[0];
        row[0] = i + 1;
        let mut j = 0;
        while j < columns {
            let same = a[i].eq_ignore_ascii_case(&b[j]);
            let replaced = diagonal + if same { 0 } else { 1 };
            diagonal = row[j + 1];
            let inserted = if row[j] < row[j + 1] { row[j] + 1 } else { row[j + 1] + 1 };
            row[j + 1] = if replaced < inserted { replaced } else { inserted };
            j += 1;
        }
        i += 1;
    }
    row[columns]
}

/// Returns the nearest of `known` to `name`, if it is near enough to be meant.
///
/// ```
/// use occ_core::internal::did_you_mean;
///
/// assert_eq!(did_you_mean("arh", &["arch", "block"]), Some("arch"));
/// assert_eq!(did_you_mean("colour", &["arch", "block"]), None);
/// ```
pub const fn did_you_mean<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let mut best = None;
    let mut least = 2 + name.len() / 3;
    let mut at = 0;
    while at < known.len() {
        let distance = edit_distance(name, known[at]);
        if distance < least {
            least = distance;
            best = Some(known[at]);
        }
        at += 1;
    }
    best
}
