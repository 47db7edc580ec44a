//! Extracts errors and warnings from the output of compilers, and explains common errors.

/// The maximum number of lines shown.
const MAX_LINES: usize = 12;
/// The maximum number of characters shown of a line.
const MAX_WIDTH: usize = 240;

/// Returns the lines from the first error on, up to a limit.
pub(crate) fn errors(output: &str) -> Vec<String> {
    let lines: Vec<&str> = output.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    let is_error = |line: &&str| ["error", "fatal"].iter().any(|word| line.to_ascii_lowercase().contains(word));
    let from = lines.iter().position(is_error).unwrap_or(0);
    let rest = lines.get(from..).unwrap_or_default();
    let mut shown: Vec<String> = rest.iter().take(MAX_LINES).map(|line| truncate(line)).collect();
    if rest.len() > MAX_LINES {
        shown.push(format!("({} more lines)", rest.len() - MAX_LINES));
    }
    shown
}

/// Returns the first lines of warnings, each once, up to a limit.
pub(crate) fn warnings(output: &str) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for line in output.lines().map(str::trim) {
        let is_warning = line.starts_with("ptxas warning")
            || line.starts_with("nvcc warning")
            || [": warning", "; warning"].iter().any(|mark| line.contains(mark));
        if is_warning && warnings.len() < MAX_LINES && !warnings.iter().any(|warning| *warning == truncate(line)) {
            warnings.push(truncate(line));
        }
    }
    warnings
}

/// Explains an error whose text is not clear. `version` is that of the toolkit.
pub(crate) fn explanation(output: &str, version: &str) -> Option<String> {
    let release = version.split('.').take(2).collect::<Vec<_>>().join(".");
    for line in output.lines() {
        let arch = between(line, "Value '", "' is not defined for option 'gpu-name'")
            .or_else(|| between(line, "Unsupported gpu architecture '", "'"));
        if let Some(arch) = arch {
            return Some(format!("this toolkit ({release}) does not support {arch}"));
        }
        if let Some(ptx) = between(line, "Unsupported .version ", ";") {
            return Some(format!("this toolkit ({release}) is older than PTX {ptx}"));
        }
        let without_host_compiler = ["Cannot find compiler", "Failed to preprocess host compiler properties"];
        if without_host_compiler.iter().any(|words| line.contains(words)) {
            return Some("`nvcc` needs a C++ compiler; install one, or set `NVCC_CCBIN` to its path".to_owned());
        }
        if line.contains("unsupported GNU version") || line.contains("unsupported Microsoft Visual Studio version") {
            return Some(format!("this toolkit ({release}) needs an older C++ compiler; set `NVCC_CCBIN` to one"));
        }
    }
    None
}

fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(before)?;
    rest.split_once(after).map(|(inside, _)| inside)
}

fn truncate(line: &str) -> String {
    match line.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanations() {
        // Lines of ptxas and nvcc 13.5.
        for (output, meaning) in [
            (
                "ptxas fatal   : Value 'sm_35' is not defined for option 'gpu-name'",
                "this toolkit (13.5) does not support sm_35",
            ),
            ("nvcc fatal   : Unsupported gpu architecture 'sm_35'", "this toolkit (13.5) does not support sm_35"),
            (
                "ptxas e.ptx, line 1; fatal   : Unsupported .version 9.9; current version is '9.5'\nptxas fatal   : x",
                "this toolkit (13.5) is older than PTX 9.9",
            ),
            (
                "gcc: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler properties.",
                "`nvcc` needs a C++ compiler; install one, or set `NVCC_CCBIN` to its path",
            ),
        ] {
            assert_eq!(explanation(output, "13.5.37").as_deref(), Some(meaning));
        }
        assert_eq!(explanation("e.cu(1): error: expected a \";\"", "13.5.37"), None);
    }

    #[test]
    fn errors_are_found_and_bounded() {
        let output = "ptxas info    : 0 bytes gmem\n\nptxas e.ptx, line 4; error   : Not a name of any known instruction: 'foo'\r\n\
                    ptxas fatal   : Ptx assembly aborted due to errors\n";
        assert_eq!(
            errors(output),
            [
                "ptxas e.ptx, line 4; error   : Not a name of any known instruction: 'foo'",
                "ptxas fatal   : Ptx assembly aborted due to errors"
            ]
        );
        let long = format!("x\n{}", format!("e.cu(1): error: {}\n", "é".repeat(10_000)).repeat(50));
        let shown = errors(&long);
        assert_eq!(shown.len(), MAX_LINES + 1);
        assert!(shown.iter().all(|line| line.chars().count() <= MAX_WIDTH + 3));
        assert_eq!(shown.last().map(String::as_str), Some("(38 more lines)"));
        assert_eq!(errors("Killed"), ["Killed"]);
        assert_eq!(errors(""), Vec::<String>::new());
    }

    #[test]
    fn warnings_are_found_once() {
        let output = "a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n  int x;\n\
                    ptxas warning : Stack size for entry function 'k' cannot be statically determined\n\
                    ptxas warning : Stack size for entry function 'k' cannot be statically determined\n\
                    Remark: The warnings can be suppressed\nptxas info    : 0 bytes gmem\n";
        assert_eq!(
            warnings(output),
            [
                "a.cu(3): warning #177-D: variable \"x\" was declared but never referenced",
                "ptxas warning : Stack size for entry function 'k' cannot be statically determined"
            ]
        );
    }
}
