//! Parses dependency files in the syntax of make: `saxpy.cubin : saxpy.cu a\ b.h`.

use std::path::PathBuf;

/// Returns the prerequisites of all targets in a dependency file, each once.
///
/// Compilers escape differently. `nvcc` escapes only spaces, and only in prerequisites; the host compiler that it calls can
/// also write `\#` and `$$`. A backslash before any other character is part of a Windows path, and so is a colon without a
/// space after it.
pub(crate) fn prerequisites(text: &str) -> Vec<PathBuf> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for rule in joined.lines() {
        let Some(list) = after_colon(rule) else {
            continue;
        };
        for word in words(list) {
            if seen.insert(word.clone()) {
                found.push(PathBuf::from(word));
            }
        }
    }
    found
}

/// Returns the part of a rule after the colon.
fn after_colon(rule: &str) -> Option<&str> {
    let colon = rule.match_indices(':').map(|(at, _)| at + 1);
    colon.map(|after| &rule[after..]).find(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn words(list: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut characters = list.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek().copied()) {
            ('\\', Some(next @ (' ' | '#'))) | ('$', Some(next @ '$')) => {
                word.push(next);
                characters.next();
            }
            (' ' | '\t' | '\r', _) => words.push(std::mem::take(&mut word)),
            _ => word.push(character),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        prerequisites(text).into_iter().map(|path| path.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn nvcc_on_linux() {
        // nvcc 13.5: a target with a space is not escaped, nor are `$`, `#` and `:`. `-MP` adds rules without anything.
        let text = "out dir/b.cubin : b.cu \\\n    /usr/include/stdc-predef.h \\\n    d$r/g:h.h \\\n    inc\\ dir/h#1.h\n\n\
                    /usr/include/stdc-predef.h:\n\nd$r/g:h.h:\n\ninc\\ dir/h#1.h:\n";
        assert_eq!(read(text), ["b.cu", "/usr/include/stdc-predef.h", "d$r/g:h.h", "inc dir/h#1.h"]);
    }

    #[test]
    fn gcc() {
        // gcc 12 of the same names.
        let text = "gg/a\\ b.o: g.c /usr/include/stdc-predef.h d$$r/g:h.h inc\\ dir/h\\#1.h\n";
        assert_eq!(read(text), ["g.c", "/usr/include/stdc-predef.h", "d$r/g:h.h", "inc dir/h#1.h"]);
    }

    #[test]
    fn windows() {
        let text =
            "C:\\out\\a.cubin : kernels\\a.cu \\\r\n    C:\\Program\\ Files\\CUDA\\include\\x.h \\\r\n    D:/y.h\r\n";
        assert_eq!(read(text), ["kernels\\a.cu", "C:\\Program Files\\CUDA\\include\\x.h", "D:/y.h"]);
    }

    #[test]
    fn each_once_in_order() {
        assert_eq!(read("a b: c d\na: d e c\n"), ["c", "d", "e"]);
    }

    #[test]
    fn broken_text_gives_what_it_has() {
        assert_eq!(read(""), Vec::<String>::new());
        assert_eq!(read("no colon at all\n"), Vec::<String>::new());
        assert_eq!(read("a: b \\"), ["b", "\\"]);
        assert_eq!(read("a:\tb\\ "), ["b "]);
        assert_eq!(read("é: ö\\ ü $"), ["ö ü", "$"]);
    }
}
