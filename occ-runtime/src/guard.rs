//! The guard: before the first launch of a spec with a function on a device, what was checked when the code was
//! compiled is compared with what the driver reports. [`Driver`] lists the calls it makes.
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
//! The opt-in for more than 48 KiB of shared memory is made where it is needed. The guard raises a function's attributes
//! and never lowers them.
//!
//! A verdict belongs to a function. [`Guard::bind`] is for a function that is known to stay loaded: its launches make no
//! further call of the driver. [`Guard::admit`] takes any handle. A driver reuses the handle of an unloaded function, so
//! `admit` asks for the device, the blocks per SM and the registers each time, and checks again when they have changed.

mod admitted;
mod compare;
mod device;
mod enforce;
mod error;
mod function;
mod grid;
mod mismatch;
mod prepare;
mod report;
mod shape;
mod verdicts;
mod waves;

pub use crate::driver::Launched;
pub use admitted::Admitted;
pub use device::{DeviceReport, LimitDifference};
pub(crate) use enforce::LOG_TARGET;
pub use error::{LaunchError, Refused};
pub use function::FunctionReport;
pub use mismatch::{DeclaredRegisters, Finding, Mismatch, Severity};
pub use prepare::Prepared;
pub use report::Report;

use crate::driver::{Device, Driver, DriverError, Function, FunctionAttribute};
use crate::spec::{LaunchSpec, OnMismatch};
use enforce::{conclude, enforce};
use std::sync::{Arc, Mutex, PoisonError};
use std::vec::Vec;
use verdicts::{Checked, Fingerprint, Subject, Verdict, Verdicts};

/// A driver, and what has been checked with it. A program needs one for each driver, as a static.
pub struct Guard<D> {
    driver: D,
    devices: Mutex<Vec<Arc<DeviceReport>>>,
    verdicts: Verdicts,
}

impl<D: Driver> Guard<D> {
    /// Creates a guard that asks `driver`.
    pub const fn new(driver: D) -> Self {
        Guard { driver, devices: Mutex::new(Vec::new()), verdicts: Verdicts::new() }
    }

    /// Returns the driver.
    pub const fn driver(&self) -> &D {
        &self.driver
    }

    /// Reads and compares everything and prepares the function, without a verdict.
    ///
    /// # Errors
    ///
    /// A call of the driver that failed.
    pub fn report(&self, spec: &LaunchSpec, function: Function) -> Result<Report, DriverError> {
        let device = self.device_report()?;
        Report::make(&self.driver, spec, function, &device, spec.shape().cluster.is_some())
    }

    /// Checks a spec with a function now, for launches that then make no further call of the driver.
    ///
    /// `passes_cluster` says whether the launches will pass the spec's cluster to the driver (`cuLaunchKernelEx`).
    ///
    /// # Errors
    ///
    /// As [`Guard::admit`], and in every mode if a call of the driver failed.
    pub fn bind(&self, spec: &LaunchSpec, function: Function, passes_cluster: bool) -> Result<Admitted, LaunchError> {
        let mode = spec.mismatch().or_environment();
        let verdict = self.verdict(mode, self.driver.current_device(), spec, function, passes_cluster)?;
        Ok(Admitted::new(spec, function, &verdict.device, mode, verdict.grid, verdict.blocks_per_sm()))
    }

    /// Checks a launch. The spec is checked with the function if that was not done yet, or if the handle has become
    /// another function's; the launch is compared with the spec at each call.
    ///
    /// One thread makes the first check, and others wait for it. A launch that passes after it makes three calls of the
    /// driver and allocates nothing; it takes no lock unless the thread has launched dozens of other functions since.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Refused`] if the launch is not what was checked, cannot run, or misses the requirement here;
    /// [`LaunchError::Driver`] if a call of the driver failed.
    pub fn admit(&self, spec: &LaunchSpec, function: Function, launched: &Launched) -> Result<(), LaunchError> {
        let mode = spec.mismatch().or_environment();
        if mode == OnMismatch::Ignore && !prepare::is_needed(spec.shape()) {
            return Ok(());
        }
        let device = self.driver.current_device();
        if device.is_ok_and(|device| self.admits_again(device, spec, function, launched)) {
            return Ok(());
        }
        self.admit_slowly(mode, device, spec, function, launched)
    }

    /// Returns whether an earlier check certainly lets the launch pass, as it does most of them.
    #[inline]
    fn admits_again(&self, device: Device, spec: &LaunchSpec, function: Function, launched: &Launched) -> bool {
        let subject = Subject { spec, function, device, passes_cluster: launched.cluster.is_some() };
        let Some(verdict) = self.verdicts.take(&subject) else {
            return false;
        };
        let is_admitted = !spec.logs_waves()
            && launched.difference(spec).is_none()
            && verdict.grid.allows(launched.grid)
            && verdict
                .checked()
                .is_some_and(|checked| checked.result.is_ok() && self.fingerprint(&subject) == Ok(checked.fingerprint));
        Verdicts::put_back(verdict);
        is_admitted
    }

    #[cold]
    fn admit_slowly(
        &self,
        mode: OnMismatch,
        device: Result<Device, DriverError>,
        spec: &LaunchSpec,
        function: Function,
        launched: &Launched,
    ) -> Result<(), LaunchError> {
        let verdict = match self.verdict(mode, device, spec, function, launched.cluster.is_some()) {
            Ok(verdict) => verdict,
            Err(LaunchError::Driver { kernel, error }) if mode != OnMismatch::Error => {
                if mode == OnMismatch::Warn {
                    log::warn!(target: LOG_TARGET, "`{kernel}` is launched unchecked: {error}");
                }
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if mode == OnMismatch::Ignore {
            return Ok(());
        }
        if let Some(difference) = launched.difference(spec) {
            enforce(mode, spec, &verdict.device, difference)?;
        }
        if let Some(refusal) = verdict.grid.refusal(launched.grid) {
            enforce(mode, spec, &verdict.device, Mismatch::CannotRun { refusal })?;
        }
        if spec.logs_waves() {
            verdict.waves.log(spec, &verdict.device, verdict.blocks_per_sm(), launched.grid);
        }
        Ok(())
    }

    /// Returns the verdict on a spec with a function as it is now, if it lets launches pass. The check is made first if
    /// nobody has.
    fn verdict(
        &self,
        mode: OnMismatch,
        device: Result<Device, DriverError>,
        spec: &LaunchSpec,
        function: Function,
        passes_cluster: bool,
    ) -> Result<Arc<Verdict>, LaunchError> {
        let failed = |error| LaunchError::driver(spec.name(), error);
        let device = device.map_err(failed)?;
        let subject = Subject { spec, function, device, passes_cluster };
        let device = self.device(device).map_err(failed)?;
        loop {
            let verdict = self.verdicts.find_or_add(&subject, &device);
            let is_new = verdict.check_once(|| self.check(&subject, mode, &device)).map_err(failed)?;
            if let Some(checked) = verdict.checked()
                && (is_new || self.fingerprint(&subject).map_err(failed)? == checked.fingerprint)
            {
                return checked.result.clone().map(|()| verdict);
            }
            // The function is another one by now.
            self.verdicts.forget(&verdict);
        }
    }

    #[inline]
    fn fingerprint(&self, Subject { spec, function, .. }: &Subject<'_>) -> Result<Fingerprint, DriverError> {
        let (threads, dynamic_smem) = (spec.shape().threads(), spec.shape().dynamic_smem);
        let blocks_per_sm = self.driver.max_active_blocks_per_sm(*function, threads, dynamic_smem)?;
        let registers = self.driver.function_attribute(*function, FunctionAttribute::NumRegs)?;
        Ok(Fingerprint { blocks_per_sm, registers: u32::try_from(registers).unwrap_or(0) })
    }

    fn check(&self, subject: &Subject<'_>, mode: OnMismatch, device: &DeviceReport) -> Result<Checked, DriverError> {
        let Subject { spec, function, passes_cluster, .. } = *subject;
        let report = Report::make(&self.driver, spec, function, device, passes_cluster)?;
        let fingerprint = Fingerprint { blocks_per_sm: report.blocks_per_sm, registers: report.function.registers };
        Ok(Checked { fingerprint, result: conclude(mode, &report) })
    }

    /// Returns the device of the current context, as its driver describes it.
    ///
    /// # Errors
    ///
    /// A call of the driver that failed.
    pub fn device_report(&self) -> Result<Arc<DeviceReport>, DriverError> {
        self.device(self.driver.current_device()?)
    }

    fn device(&self, device: Device) -> Result<Arc<DeviceReport>, DriverError> {
        let find = || {
            let devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
            devices.iter().find(|report| report.device == device).cloned()
        };
        if let Some(report) = find() {
            return Ok(report);
        }
        // Asked without the lock: a driver may be slow, or panic.
        let report = Arc::new(DeviceReport::read(&self.driver, device)?);
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        devices.retain(|other| other.device != device);
        devices.push(report.clone());
        Ok(report)
    }
}
