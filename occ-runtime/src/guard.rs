//! The guard: before the first launch of a spec with a function on a device, what was checked when the code was
//! compiled is compared with what the driver says. [`Driver`] is what it asks.
//!
//! | compared | on a difference |
//! | --- | --- |
//! | block, cluster and dynamic shared memory of the launch | error, at every launch |
//! | grid: empty, too long, no whole number of clusters | error, at every launch |
//! | the driver's occupancy with the requirement | error |
//! | registers, static shared memory | error if the requirement breaks, else warning |
//! | the device's capability | warning |
//! | the driver's blocks per SM with the model's; the device's limits with the table | warning: the driver is right |
//!
//! The opt-in for more than 48 KiB of shared memory is done, and only ever raised.
//!
//! A verdict is tied to a function. [`Guard::bind`] is for a function that is known to stay loaded: its launches ask the
//! driver nothing. [`Guard::admit`] takes any handle. A driver gives the handle of an unloaded function to the next one,
//! so it asks the driver for the device, the blocks per SM and the registers each time, which is how it notices.

mod chain;
mod compare;
mod device;
mod error;
mod function;
mod mismatch;
mod mode;
mod once;
mod prepare;
mod report;
mod shape;

pub use device::{DeviceReport, LimitDifference};
pub use error::{LaunchError, Refused};
pub use function::FunctionReport;
pub use mismatch::{DeclaredRegisters, Finding, Mismatch, Severity};
pub use prepare::Prepared;
pub use report::Report;
pub use shape::{Admitted, Launched};

use crate::driver::{Device, Driver, DriverError, Function, FunctionAttribute};
use crate::spec::{LaunchSpec, OnMismatch};
use chain::Chain;
use error::{About, is_refused};
use once::{Once, Outcome};
use shape::{GridRule, WaveLog, refuse};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// Where the log's messages come from.
const LOG: &str = "occ_runtime";

/// A driver, and what has been checked with it. Of each driver a program needs one, as a static.
pub struct Guard<D> {
    driver: D,
    devices: Chain<Arc<DeviceReport>>,
    verdicts: [Chain<Verdict>; BUCKETS],
}

/// Lists of verdicts, so that each stays short.
const BUCKETS: usize = 512;

/// What was found of a spec with a function on a device.
struct Verdict {
    spec: LaunchSpec,
    function: Function,
    device: Arc<DeviceReport>,
    /// Whether its launches pass a cluster to the driver.
    passes_cluster: bool,
    grid: GridRule,
    once: Once<LaunchError>,
    waves: WaveLog,
}

/// What a verdict is tied to, in one number: blocks per SM, and registers.
fn mark(blocks_per_sm: u32, registers: u32) -> u32 {
    registers.min(0x7fff) << 16 | blocks_per_sm.min(0xffff)
}

impl Verdict {
    /// Blocks per SM by the driver, once it has passed.
    fn blocks_per_sm(&self) -> u32 {
        self.once.number().unwrap_or(0) & 0xffff
    }
}

impl<D: Driver> Guard<D> {
    /// A guard that asks `driver`.
    pub const fn new(driver: D) -> Self {
        Guard { driver, devices: Chain::new(), verdicts: [const { Chain::new() }; BUCKETS] }
    }

    /// The driver it asks.
    pub const fn driver(&self) -> &D {
        &self.driver
    }

    /// Reads and compares everything, makes the function ready, and decides nothing.
    ///
    /// # Errors
    ///
    /// A call of the driver that failed.
    pub fn report(&self, spec: &LaunchSpec, function: Function) -> Result<Report, DriverError> {
        let device = self.device(self.driver.current_device()?)?;
        Report::make(&self.driver, spec, function, &device, spec.shape().cluster.is_some())
    }

    /// Checks a spec with a function now, for launches that then ask the driver nothing.
    ///
    /// `passes_cluster` says whether the launches will pass the spec's cluster to the driver (`cuLaunchKernelEx`).
    ///
    /// # Errors
    ///
    /// What [`Guard::admit`] would say; and in every mode if a call of the driver failed.
    pub fn bind(&self, spec: &LaunchSpec, function: Function, passes_cluster: bool) -> Result<Admitted, LaunchError> {
        let enforce = spec.mismatch().or_environment();
        let verdict = self.check(spec, function, passes_cluster, enforce)?;
        Ok(Admitted {
            spec: *spec,
            function,
            device: verdict.device.clone(),
            enforce,
            grid: verdict.grid,
            blocks_per_sm: verdict.blocks_per_sm(),
            waves: WaveLog::new(),
            same: AtomicUsize::new(0),
        })
    }

    /// Whether a launch may be made: the spec is checked with the function if that was not done yet, or if the handle is
    /// another function's by now; the launch is compared with the spec at each call.
    ///
    /// The first check is made by one thread, and others wait for it. After it there are three calls of the driver, no lock
    /// and no allocation.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Refused`] if the launch is not what was checked, or cannot run, or misses what is required here;
    /// [`LaunchError::Driver`] if a call of the driver failed.
    pub fn admit(&self, spec: &LaunchSpec, function: Function, launched: &Launched) -> Result<(), LaunchError> {
        let enforce = spec.mismatch().or_environment();
        if enforce == OnMismatch::Ignore && !prepare::is_needed(spec.shape()) {
            return Ok(());
        }
        let verdict = match self.check(spec, function, launched.cluster.is_some(), enforce) {
            Ok(verdict) => verdict,
            Err(LaunchError::Driver { kernel, error }) if enforce != OnMismatch::Error => {
                if enforce == OnMismatch::Warn {
                    log::warn!(target: LOG, "`{kernel}` is launched unchecked: {error}");
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if enforce == OnMismatch::Ignore {
            return Ok(());
        }
        if let Some(difference) = launched.difference(spec) {
            refuse(spec, &verdict.device, enforce, difference)?;
        }
        if let Some(refusal) = verdict.grid.broken(launched.grid) {
            refuse(spec, &verdict.device, enforce, Mismatch::CannotRun { refusal })?;
        }
        if spec.logs_waves() {
            verdict.waves.log(spec, &verdict.device, verdict.blocks_per_sm(), launched.grid);
        }
        Ok(())
    }

    /// The verdict on a spec with a function on the current device, if it may be launched.
    fn check(
        &self,
        spec: &LaunchSpec,
        function: Function,
        passes_cluster: bool,
        enforce: OnMismatch,
    ) -> Result<&Verdict, LaunchError> {
        let kernel = spec.name();
        let failed = |error| LaunchError::driver(kernel, error);
        let device = self.driver.current_device().map_err(failed)?;
        let verdict = self.verdict(spec, function, device, passes_cluster).map_err(failed)?;
        let shape = spec.shape();
        let ask = || {
            let blocks = self.driver.max_active_blocks_per_sm(function, shape.threads(), shape.dynamic_smem);
            let registers = self.driver.function_attribute(function, FunctionAttribute::NumRegs);
            Ok(mark(blocks.map_err(failed)?, registers.map_err(failed)?.cast_unsigned()))
        };
        let report = || Report::make(&self.driver, spec, function, &verdict.device, passes_cluster);
        verdict.once.run(ask, || match report() {
            Ok(report) => conclude(enforce, &report),
            Err(error) => Outcome::Failed(failed(error)),
        })?;
        Ok(verdict)
    }

    /// Where the verdict is kept.
    fn verdict(
        &self,
        spec: &LaunchSpec,
        function: Function,
        device: Device,
        passes_cluster: bool,
    ) -> Result<&Verdict, DriverError> {
        let is = |verdict: &Verdict| {
            verdict.function == function
                && verdict.device.device == device
                && verdict.passes_cluster == passes_cluster
                && verdict.spec.is_same(spec)
        };
        // Handles are addresses of structures, whose lowest bits do not differ.
        let bucket = &self.verdicts[(function.number() >> 4 ^ function.number() >> 12) % BUCKETS];
        if let Some(verdict) = bucket.find(is) {
            return Ok(verdict);
        }
        let device = self.device(device)?;
        let grid = GridRule::new(spec, &device);
        let verdict =
            Verdict { spec: *spec, function, device, passes_cluster, grid, once: Once::new(), waves: WaveLog::new() };
        Ok(bucket.find_or_add(is, verdict))
    }

    /// The device of the current context, as its driver describes it.
    ///
    /// # Errors
    ///
    /// A call of the driver that failed.
    pub fn device_report(&self) -> Result<Arc<DeviceReport>, DriverError> {
        self.device(self.driver.current_device()?)
    }

    fn device(&self, device: Device) -> Result<Arc<DeviceReport>, DriverError> {
        let is = |report: &Arc<DeviceReport>| report.device == device;
        if let Some(report) = self.devices.find(is) {
            return Ok(report.clone());
        }
        let report = Arc::new(DeviceReport::read(&self.driver, device)?);
        Ok(self.devices.find_or_add(is, report).clone())
    }
}

/// What a report comes to; whatever does not stop the launch is told here.
fn conclude(enforce: OnMismatch, report: &Report) -> Outcome<LaunchError> {
    let Report { kernel, device, findings, blocks_per_sm, .. } = report;
    let about = About(kernel, &device.name, device.capability, findings);
    let mark = mark(*blocks_per_sm, report.function.registers);
    if enforce == OnMismatch::Error && is_refused(findings) {
        let (device, capability) = (device.name.clone(), device.capability);
        let refused = Refused { kernel, device, capability, findings: findings.clone() };
        return Outcome::Refused(mark, LaunchError::Refused(Arc::new(refused)));
    }
    if enforce != OnMismatch::Ignore {
        if findings.is_empty() {
            let percent = report.occupancy() * 100.0;
            log::debug!(target: LOG, "{about}, {blocks_per_sm} blocks per SM, occupancy {percent:.1}%");
        } else {
            log::warn!(target: LOG, "{about}");
        }
    }
    Outcome::Passed(mark)
}
