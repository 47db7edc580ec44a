//! Calls of the driver that fail, with codes of today and of later.

use crate::logged::logged;
use crate::recorded::{CALLS, CURRENT_DEVICE, FunctionDouble};
use crate::*;
use log::Level;
use occ_runtime::driver::{DeviceAttribute, DriverError, FunctionAttribute};
use occ_runtime::{Carveout, OnMismatch};

/// Codes of `cuda.h`, of none, and of no driver.
const CODES: [i32; 12] = [2, 3, 100, 201, 225, 400, 700, 801, 912, 999, 100_000, i32::MIN];

/// A launch that makes every call there is.
fn spec() -> LaunchSpec {
    let launch = Launch::new(256).dynamic_smem(49_153).cluster([16, 1, 1]).carveout(Carveout::PreferShared);
    LaunchSpec::new("k", SM_90, Kernel::new().registers(32), launch)
}

fn function() -> FunctionDouble {
    FunctionDouble::new(32).cluster([16, 1, 1]).listed(&[[256, 49_153, 4]])
}

fn fails(error: &LaunchError, call: &str, code: i32) {
    let LaunchError::Driver { kernel: "k", error: DriverError { call: found, code: with } } = error else {
        panic!("{call}, {code}: {error}")
    };
    assert_eq!((*found, *with, error.cuda_code()), (call, code, code));
    assert!(error.mismatch().is_none());
    assert!(error.to_string().starts_with(&format!("`k`: `{call}` returned {code}")), "{error}");
}

#[test]
fn every_call_with_every_code() {
    for call in CALLS {
        for code in CODES {
            // A device that says a cluster is too large is an answer.
            if call == recorded::CLUSTERS && code == 912 {
                continue;
            }
            for mode in [OnMismatch::Error, OnMismatch::Warn, OnMismatch::Ignore] {
                let spec = spec().on_mismatch(mode);
                let (guard, k) = guard_of(device(H100), function());
                guard.driver().fail(call, code);
                for _ in 0..2 {
                    let (result, lines) = logged(|| admit(&guard, &spec, k));
                    match (mode, result) {
                        (OnMismatch::Error, Err(error)) => fails(&error, call, code),
                        (OnMismatch::Warn, Ok(())) => {
                            let [(Level::Warn, line)] = &lines[..] else { panic!("{lines:?}") };
                            let start = format!("`k` is launched unchecked: `{call}` returned {code}");
                            assert!(line.starts_with(&start), "{line}");
                        }
                        (OnMismatch::Ignore, Ok(())) => assert!(lines.is_empty(), "{lines:?}"),
                        (_, result) => panic!("{call}, {code}, {mode:?}: {result:?}"),
                    }
                }
                // There is nothing to bind to without an answer, in whatever mode.
                fails(&guard.bind(&spec, k, true).unwrap_err(), call, code);
                guard.driver().recover();
                assert!(admit(&guard, &spec, k).is_ok(), "{call}, {code}: a failure is no verdict");
                assert!(guard.bind(&spec, k, true).is_ok());
            }
        }
    }
}

/// Each attribute fails by itself: at any place of a check the right call is told, and nothing is left behind.
#[test]
fn every_attribute() {
    let device_attributes =
        DeviceAttribute::ALL.iter().map(|attribute| (recorded::DEVICE_ATTRIBUTE, attribute.number()));
    let function_attributes =
        FunctionAttribute::ALL.iter().map(|attribute| (recorded::FUNCTION_ATTRIBUTE, attribute.number()));
    let raised = [8, 9, 14].map(|attribute| (recorded::SET_ATTRIBUTE, attribute));
    for (name, attribute) in device_attributes.chain(function_attributes).chain(raised) {
        for code in [225, 999, 100_000] {
            let (guard, k) = guard_of(device(H100), function());
            guard.driver().script(move |call| {
                if (call.name, call.attribute) == (name, Some(attribute)) { Err(code) } else { Ok(()) }
            });
            fails(&admit(&guard, &spec(), k).unwrap_err(), name, code);
            fails(&guard.bind(&spec(), k, true).unwrap_err(), name, code);
            guard.driver().recover();
            assert!(admit(&guard, &spec(), k).is_ok(), "{name}, {attribute}, {code}");
        }
    }
}

/// The context is gone while it runs: the launch after it is checked by what was found before.
#[test]
fn after_the_first_check() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    assert!(admit(&guard, &HALF, k).is_ok());
    for call in [CURRENT_DEVICE, recorded::BLOCKS, recorded::FUNCTION_ATTRIBUTE] {
        guard.driver().fail(call, 709);
        fails(&admit(&guard, &HALF, k).unwrap_err(), call, 709);
        guard.driver().recover();
        guard.driver().count_anew();
        assert!(admit(&guard, &HALF, k).is_ok());
        assert_eq!(guard.driver().all_calls(), 3, "the verdict is still there");
    }
    // A refused one too.
    let k = guard.driver().load(0, 0x2000, FunctionDouble::new(168));
    assert!(matches!(admit(&guard, &HALF, k), Err(LaunchError::Refused(_))));
    guard.driver().fail(recorded::BLOCKS, 709);
    fails(&admit(&guard, &HALF, k).unwrap_err(), recorded::BLOCKS, 709);
    guard.driver().recover();
    assert!(matches!(admit(&guard, &HALF, k), Err(LaunchError::Refused(_))));
}

#[test]
fn codes_and_their_names() {
    let text = |code| DriverError { call: "cuFuncGetAttribute", code }.to_string();
    assert_eq!(text(201), "`cuFuncGetAttribute` returned 201, `CUDA_ERROR_INVALID_CONTEXT`");
    assert_eq!(text(912), "`cuFuncGetAttribute` returned 912, `CUDA_ERROR_INVALID_CLUSTER_SIZE`");
    assert_eq!(text(225), "`cuFuncGetAttribute` returned 225");
    assert_eq!(text(100_000), "`cuFuncGetAttribute` returned 100000");
    assert_eq!(text(-1), "`cuFuncGetAttribute` returned -1");
    let error = LaunchError::Driver { kernel: "k", error: DriverError { call: "cuLaunchKernel", code: 719 } };
    assert_eq!(error.to_string(), "`k`: `cuLaunchKernel` returned 719, `CUDA_ERROR_LAUNCH_FAILED`");
}
