//! Talks to `oracle/header.cpp`, which runs NVIDIA's header in a separate process.

use crate::nvidia;
use crate::vector::{Answer, Case, Device};
use crate::{Failure, Result};
use std::io::{BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What the process answers.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    /// One answer for each case.
    Answers,
    /// The header's own numbers for every device.
    Table,
    /// The time of many evaluations.
    Evaluations,
    /// The time and the points of whole maps.
    Maps,
}

/// The running process.
pub(crate) struct Header {
    child: Child,
    // `None` after the last question.
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
}

impl Header {
    /// Installs, compiles and starts the header, and sends it the devices.
    pub(crate) fn start(mode: Mode, devices: &[Device]) -> Result<Header> {
        let program = nvidia::header_program()?;
        let mode = match mode {
            Mode::Answers => "answers",
            Mode::Table => "table",
            Mode::Evaluations => "evaluations",
            Mode::Maps => "maps",
        };
        let mut child = Command::new(&program)
            .arg(mode)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::from("the header's program has no pipes"));
        };
        let mut header = Header { child, input: Some(BufWriter::new(input)), output: BufReader::new(output) };
        header.send_rows(devices.iter().map(Device::properties))?;
        Ok(header)
    }

    /// Sends cases whose answers [`Header::answers`] does not read.
    pub(crate) fn send(&mut self, cases: &[Case]) -> Result<()> {
        self.send_rows(cases.iter().map(Case::words))
    }

    /// Returns the header's answer to each of `cases`.
    pub(crate) fn answers(&mut self, cases: &[Case]) -> Result<Vec<Answer>> {
        self.send(cases)?;
        cases.iter().map(|_| Ok(Answer::from_words(self.words()?))).collect()
    }

    /// Sends one word.
    pub(crate) fn send_word(&mut self, word: u32) -> Result<()> {
        let input = self.input.as_mut().ok_or("the header's process was already told to finish")?;
        input.write_all(&word.to_ne_bytes())?;
        Ok(input.flush()?)
    }

    /// Reads words.
    pub(crate) fn words<const N: usize>(&mut self) -> Result<[u32; N]> {
        let mut words = [0; N];
        for word in &mut words {
            *word = u32::from_ne_bytes(self.bytes()?);
        }
        Ok(words)
    }

    /// Reads one number of 64 bits.
    pub(crate) fn long(&mut self) -> Result<u64> {
        Ok(u64::from_ne_bytes(self.bytes()?))
    }

    /// Fills `into`.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Result<()> {
        Ok(self.output.read_exact(into).map_err(|error| format!("the header's program stopped early: {error}"))?)
    }

    /// Closes the input and waits until the process ends.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.input = None;
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(Failure::from(format!("the header's program failed: {status}"))) }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read(&mut bytes)?;
        Ok(bytes)
    }

    fn send_rows<const N: usize>(&mut self, rows: impl ExactSizeIterator<Item = [u32; N]>) -> Result<()> {
        let input = self.input.as_mut().ok_or("the header's process was already told to finish")?;
        input.write_all(&(rows.len() as u32).to_ne_bytes())?;
        for row in rows {
            for word in row {
                input.write_all(&word.to_ne_bytes())?;
            }
        }
        Ok(input.flush()?)
    }
}

impl Drop for Header {
    /// Leaves no process behind, whatever went wrong.
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
