//! The report: a driver's answers as a file, which any version of the model can be compared with.

use crate::Result;
use occ_core::{Carveout, Kernel, Launch, SmLimits, occupancy};
use occ_runtime::driver::{ClusterLaunch, Device, DeviceAttribute, Driver, DriverError, Function, FunctionAttribute};
use occ_runtime::guard::Guard;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the file's format; it goes up with a change that an older reader would misread.
const FORM: u32 = 1;

/// A device, its driver, and everything it was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) form: u32,
    /// Version of this program.
    pub(crate) version: String,
    /// Name of the product.
    pub(crate) name: String,
    /// The CUDA version of the driver: 1000 × major + 10 × minor.
    pub(crate) driver_version: i32,
    /// Every attribute of the device that the driver answers, by its number.
    pub(crate) device: BTreeMap<i32, i32>,
    /// Image that the kernels were loaded from: `sm_90`, or `ptx`.
    pub(crate) image: String,
    pub(crate) kernels: Vec<KernelRecord>,
    pub(crate) points: Vec<Point>,
    pub(crate) available: Vec<Available>,
    pub(crate) clusters: Vec<ClusterPoint>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) launches: Vec<LaunchRecord>,
    /// Time of a launch in nanoseconds: bare, and guarded in each way.
    pub(crate) timing: BTreeMap<String, f64>,
    /// Questions that could not be asked, and why.
    pub(crate) stopped: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct KernelRecord {
    pub(crate) name: String,
    /// Every attribute of the function that the driver answers, by its number, before anything was set.
    pub(crate) attributes: BTreeMap<i32, i32>,
    /// What is read from its cubin: registers, static shared memory, barriers, stack.
    pub(crate) registers: Option<u32>,
    pub(crate) static_smem: Option<u32>,
    pub(crate) barriers: Option<u32>,
    pub(crate) stack: Option<u32>,
}

/// Blocks per SM: the kernel's place in the list, threads, dynamic shared memory, carve-out in percent (-1: none), whether
/// the limit on dynamic shared memory was raised; and the driver's answer, or its code below 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point(
    pub(crate) usize,
    pub(crate) u32,
    pub(crate) u32,
    pub(crate) i32,
    pub(crate) bool,
    pub(crate) i32,
);

/// Dynamic shared memory that is available: the kernel's place, blocks, threads, the driver's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Available(pub(crate) usize, pub(crate) u32, pub(crate) u32, pub(crate) u64);

/// Clusters of the device: the kernel's place, threads, blocks of a cluster, and the driver's answer, or its code below 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClusterPoint(pub(crate) usize, pub(crate) u32, pub(crate) u32, pub(crate) i32);

/// A verdict of the guard, and the driver's occupancy that it must follow from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    pub(crate) kernel: String,
    pub(crate) threads: u32,
    pub(crate) dynamic_smem: u32,
    pub(crate) required: f64,
    pub(crate) blocks_per_sm: u32,
    pub(crate) passed: bool,
    pub(crate) said: String,
}

/// A launch with its expected and its actual result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LaunchRecord {
    pub(crate) what: String,
    pub(crate) kernel: String,
    /// Code that the model predicts: 0 for a launch that runs, `None` where NVIDIA documents none.
    pub(crate) expected: Option<i32>,
    pub(crate) code: i32,
    /// Whether the kernel counted its threads correctly, if it ran.
    pub(crate) counted: bool,
}

impl Report {
    pub(crate) fn new() -> Self {
        Report { form: FORM, version: env!("CARGO_PKG_VERSION").to_owned(), ..Report::default() }
    }

    pub(crate) fn write(&self, path: &str) -> Result<()> {
        std::fs::write(path, serde_json::to_vec(self)?).map_err(|error| format!("{path}: {error}").into())
    }

    pub(crate) fn read(path: &str) -> Result<Report> {
        let text = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
        let report: Report = serde_json::from_slice(&text).map_err(|error| format!("{path}: {error}"))?;
        if report.form == FORM { Ok(report) } else { Err(format!("{path}: form {} is not known", report.form).into()) }
    }

    /// Returns the limits of an SM, as the guard takes them from the driver.
    pub(crate) fn limits(&self) -> Option<SmLimits> {
        Guard::new(Recorded(self)).device_report().ok()?.limits
    }

    /// Returns the kernel that the model is asked about.
    pub(crate) fn kernel(&self, at: usize) -> Option<Kernel> {
        let record = self.kernels.get(at)?;
        let number = |attribute| record.attributes.get(&attribute).and_then(|value| u32::try_from(*value).ok());
        let most = self.device.get(&1).and_then(|most| u32::try_from(*most).ok());
        let mut kernel =
            Kernel::new().static_smem(record.static_smem.or(number(1))?).barriers(record.barriers.unwrap_or(1));
        kernel.registers = number(4);
        kernel.max_threads = number(0).filter(|bound| Some(*bound) < most);
        Some(kernel)
    }

    /// Returns every difference of the model, the guard or the reader from the driver, in words.
    pub(crate) fn differences(&self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.points.is_empty() {
            differences.push("nothing was asked: there are no points".to_owned());
        }
        let Some(sm) = self.limits() else {
            return vec![format!("the capability of {} is not known", self.name)];
        };
        for Point(at, threads, dynamic_smem, carveout, optin, driver) in self.points.iter().copied() {
            let Some(kernel) = self.kernel(at) else {
                differences.push(format!("kernel {at} is not recorded"));
                continue;
            };
            let launch = Launch::new(threads).dynamic_smem(dynamic_smem).smem_optin(optin);
            let launch = match u8::try_from(carveout) {
                Ok(percent) => launch.carveout(Carveout::Percent(percent)),
                Err(_) => launch,
            };
            // Up to 48 KiB in all there is nothing to opt into.
            let model = occupancy(&sm, &kernel, &launch).map_or(0, |answer| i64::from(answer.blocks_per_sm));
            if model != i64::from(driver) {
                let name = &self.kernels[at].name;
                differences.push(format!(
                    "{name}, {threads} threads, {dynamic_smem} bytes, carve-out {carveout}, opted in {optin}: the driver \
                     says {driver}, the model {model}"
                ));
            }
        }
        let asked = self.verdicts.iter().filter(|verdict| verdict.passed != self.is_enough(verdict));
        differences.extend(asked.map(|verdict| format!("the guard's verdict does not follow: {verdict:?}")));
        let launched = self.launches.iter().filter(|launch| {
            launch.expected.is_some_and(|expected| expected != launch.code) || launch.code == 0 && !launch.counted
        });
        differences.extend(launched.map(|launch| format!("a launch went another way: {launch:?}")));
        for kernel in &self.kernels {
            let driver = kernel.attributes.get(&4).and_then(|value| u32::try_from(*value).ok());
            if kernel.registers.is_some() && kernel.registers != driver {
                let (name, read) = (&kernel.name, kernel.registers);
                differences.push(format!("{name}: registers {read:?} were read, the driver says {driver:?}"));
            }
        }
        differences
    }

    /// Returns whether the driver's blocks per SM meet the requirement of a verdict.
    fn is_enough(&self, verdict: &Verdict) -> bool {
        let threads_per_sm = self.device.get(&39).copied().unwrap_or(0);
        let warps = verdict.blocks_per_sm * verdict.threads.div_ceil(32);
        verdict.blocks_per_sm > 0 && f64::from(warps) / f64::from(threads_per_sm / 32) >= verdict.required
    }
}

/// The recorded driver, for the guard.
struct Recorded<'a>(&'a Report);

impl Driver for Recorded<'_> {
    fn current_device(&self) -> std::result::Result<Device, DriverError> {
        Ok(Device(0))
    }

    fn device_name(&self, _: Device) -> std::result::Result<String, DriverError> {
        Ok(self.0.name.clone())
    }

    fn device_attribute(&self, _: Device, attribute: DeviceAttribute) -> std::result::Result<i32, DriverError> {
        let value = self.0.device.get(&attribute.number()).copied();
        value.ok_or(DriverError { call: "cuDeviceGetAttribute", code: DriverError::INVALID_VALUE })
    }

    fn function_attribute(&self, _: Function, _: FunctionAttribute) -> std::result::Result<i32, DriverError> {
        Err(DriverError { call: "cuFuncGetAttribute", code: DriverError::NOT_FOUND })
    }

    fn set_function_attribute(
        &self,
        _: Function,
        _: FunctionAttribute,
        _: i32,
    ) -> std::result::Result<(), DriverError> {
        Err(DriverError { call: "cuFuncSetAttribute", code: DriverError::NOT_FOUND })
    }

    fn max_active_blocks_per_sm(&self, _: Function, _: u32, _: u32) -> std::result::Result<u32, DriverError> {
        Err(DriverError { call: "cuOccupancyMaxActiveBlocksPerMultiprocessor", code: DriverError::NOT_FOUND })
    }

    fn max_active_clusters(&self, _: Function, _: &ClusterLaunch) -> std::result::Result<u32, DriverError> {
        Err(DriverError { call: "cuOccupancyMaxActiveClusters", code: DriverError::NOT_FOUND })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A T4 whose answers are those of NVIDIA's header (`tests/data/golden/sm_75.csv`) for 256 threads.
    fn t4() -> Report {
        let device = [
            (1, 1024),
            (2, 1024),
            (3, 1024),
            (4, 64),
            (5, i32::MAX),
            (6, 65_535),
            (7, 65_535),
            (8, 49_152),
            (10, 32),
            (12, 65_536),
            (16, 40),
            (39, 1024),
            (75, 7),
            (76, 5),
            (81, 65_536),
            (82, 65_536),
            (97, 65_536),
            (106, 16),
            (111, 0),
        ];
        let kernel = |registers| KernelRecord {
            name: format!("of {registers} registers"),
            attributes: BTreeMap::from([(0, 1024), (1, 0), (4, registers)]),
            registers: u32::try_from(registers).ok(),
            static_smem: Some(0),
            barriers: Some(1),
            stack: None,
        };
        Report {
            name: "Tesla T4".to_owned(),
            device: device.into(),
            kernels: vec![kernel(32), kernel(65), kernel(168)],
            points: vec![
                Point(0, 256, 0, -1, true, 4),
                Point(1, 256, 0, -1, true, 3),
                Point(2, 256, 0, -1, true, 1),
                Point(0, 256, 8192, -1, true, 4),
                Point(0, 256, 21_845, -1, true, 2),
                Point(0, 256, 49_152, -1, true, 1),
                Point(0, 256, 65_536, -1, true, 1),
                Point(0, 256, 65_537, -1, true, 0),
            ],
            ..Report::new()
        }
    }

    #[test]
    fn what_the_header_answers_differs_in_nothing() {
        assert_eq!(t4().differences(), Vec::<String>::new());
    }

    #[test]
    fn a_report_of_nothing_is_no_proof() {
        assert_eq!(Report { points: Vec::new(), ..t4() }.differences().len(), 1);
        assert_eq!(Report { device: BTreeMap::new(), ..t4() }.differences().len(), 1);
    }

    #[test]
    fn a_driver_that_says_something_else_is_told() {
        for at in 0..8 {
            let mut report = t4();
            report.points[at].5 += 1;
            assert_eq!(report.differences().len(), 1, "{at}");
        }
        let mut report = t4();
        report.kernels[0].registers = Some(31);
        report.launches.push(LaunchRecord {
            what: "an empty grid".to_owned(),
            kernel: "k".to_owned(),
            expected: Some(1),
            code: 0,
            counted: true,
        });
        report.verdicts.push(Verdict {
            kernel: "k".to_owned(),
            threads: 256,
            dynamic_smem: 0,
            required: 0.5,
            blocks_per_sm: 1,
            passed: true,
            said: String::new(),
        });
        assert_eq!(report.differences().len(), 3);
    }

    #[test]
    fn a_report_is_read_back() {
        let path = std::env::temp_dir().join(format!("gpu-check-{}.json", std::process::id()));
        let path = path.to_str().unwrap();
        t4().write(path).unwrap();
        assert_eq!(Report::read(path).unwrap(), t4());
        std::fs::write(path, "{\"form\":2}").unwrap();
        assert!(Report::read(path).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
