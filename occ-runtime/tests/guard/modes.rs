//! `on_mismatch` and `OCC_RUNTIME`: every case in every mode, and the variable in a process of its own.

use crate::cases::all;
use crate::logged::logged;
use crate::recorded::{CALLS, FunctionDouble, SET_ATTRIBUTE};
use crate::*;
use log::Level;
use occ_runtime::OnMismatch;
use std::ffi::OsString;
use std::process::Command;

/// Every case, three launches each, with the mode of the spec; and as if the mode were `mode`.
fn every_case_as(of_spec: OnMismatch, mode: OnMismatch) {
    for case in all() {
        let spec = case.spec.on_mismatch(of_spec);
        let (guard, k) = guard_of(case.device.clone(), case.function.clone());
        let (results, lines) = logged(|| [(); 3].map(|()| guard.admit(&spec, k, &case.launch())));
        let refused = mode == OnMismatch::Error && case.is_refused();
        assert!(results.iter().all(|result| result.is_err() == refused), "{}, {mode:?}: {results:?}", case.name);
        // Of the first check once; of a launch that is not the spec's each time, and as checked before.
        let by_shape = case.launched.is_some() && is_of_shape(&case);
        let expected = match mode {
            OnMismatch::Ignore => vec![],
            OnMismatch::Error if by_shape => vec![Level::Debug],
            OnMismatch::Warn if by_shape => vec![Level::Debug, Level::Warn, Level::Warn, Level::Warn],
            _ if case.expected.is_empty() => vec![Level::Debug],
            OnMismatch::Error if refused => vec![],
            _ => vec![Level::Warn],
        };
        let levels: Vec<Level> = lines.iter().map(|(level, _)| *level).collect();
        assert_eq!(levels, expected, "{}, {mode:?}: {lines:?}", case.name);
        if mode == OnMismatch::Warn && !case.expected.is_empty() {
            assert!(lines.iter().any(|(_, line)| line.ends_with(case.text)), "{}: {lines:?}", case.name);
        }
    }
}

/// Whether a difference is one of the launch, not of the function or the device.
fn is_of_shape(case: &cases::Case) -> bool {
    use occ_runtime::Mismatch as M;
    let spec = case.spec.shape();
    match case.expected.first() {
        Some((_, M::Block { .. } | M::DynamicSmem { .. })) => true,
        Some((_, M::Cluster { .. })) => case.launch().cluster.is_some_and(|cluster| Some(cluster) != spec.cluster),
        _ => false,
    }
}

#[test]
fn as_the_spec_says() {
    for mode in [OnMismatch::Error, OnMismatch::Warn, OnMismatch::Ignore] {
        every_case_as(mode, mode);
    }
}

/// Without checks there is still what the launch needs of its function; and a driver that does not answer stops nothing.
#[test]
fn ignored_is_made_ready() {
    let spec = LaunchSpec::new("k", SM_80, Kernel::new().registers(32), Launch::new(256).dynamic_smem(55_978))
        .on_mismatch(OnMismatch::Ignore);
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(168).listed(&[[256, 55_978, 1]]));
    assert!(admit(&guard, &spec, k).is_ok());
    assert_eq!(guard.driver().attribute(k, 8), 55_978);
    assert_eq!(guard.driver().calls(SET_ATTRIBUTE), 1);
    for call in CALLS {
        let (guard, k) = guard_of(device(A100), FunctionDouble::new(168).listed(&[[256, 55_978, 1]]));
        guard.driver().fail(call, 999);
        assert!(admit(&guard, &spec, k).is_ok(), "{call}");
    }
    // Nothing is asked of a launch that needs nothing.
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(168));
    assert!(admit(&guard, &HALF.on_mismatch(OnMismatch::Ignore), k).is_ok());
    assert_eq!(guard.driver().all_calls(), 0);
}

/// What decides in a child, which is this program again.
const EXPECTED: &str = "GUARD_TEST_EXPECTED";

#[test]
fn the_environment_decides() {
    if cfg!(miri) {
        return;
    }
    let mut values: Vec<(OsString, &str)> =
        [("error", "error"), ("warn", "warn"), ("off", "off"), ("", "spec"), ("nonsense", "spec"), ("Warn", "spec")]
            .map(|(value, expected)| (value.into(), expected))
            .into();
    // What is no text is not followed either, and said to be.
    #[cfg(unix)]
    values.push((std::os::unix::ffi::OsStringExt::from_vec(vec![0xff]), "spec"));
    for (value, expected) in values {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "modes::in_a_child", "--nocapture"]);
        let output = child.env("OCC_RUNTIME", &value).env(EXPECTED, expected).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{value:?}: {text}");
    }
}

#[test]
fn in_a_child() {
    let Ok(expected) = std::env::var(EXPECTED) else {
        return;
    };
    let value = std::env::var_os("OCC_RUNTIME").unwrap().to_string_lossy().into_owned();
    // The first check of the process reads the variable, and says once what is wrong with it.
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    let ((), lines) = logged(|| {
        admit(&guard, &HALF, k).unwrap();
        admit(&guard, &HALF.on_mismatch(OnMismatch::Warn), k).unwrap();
    });
    let errors: Vec<&String> = lines.iter().filter(|(level, _)| *level == Level::Error).map(|(_, line)| line).collect();
    if expected == "spec" && !value.is_empty() {
        let line = format!("ignoring `OCC_RUNTIME={value}`: expected `error`, `warn` or `off`");
        assert_eq!(errors, [&line]);
    } else {
        assert!(errors.is_empty(), "{errors:?}");
    }
    for of_spec in [OnMismatch::Error, OnMismatch::Warn, OnMismatch::Ignore] {
        let mode = match expected.as_str() {
            "error" => OnMismatch::Error,
            "warn" => OnMismatch::Warn,
            "off" => OnMismatch::Ignore,
            _ => of_spec,
        };
        every_case_as(of_spec, mode);
    }
}
