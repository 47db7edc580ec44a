//! The model for other programs: JSON lines in, one JSON line out for each, in order.
//!
//! ```text
//! $ cargo run -q --release -p occ-core --features serde --example batch
//! {"arch":"sm_86","block":256,"registers":40,"static_smem":0,"dynamic_smem":8192}
//! {"blocks_per_sm":6,"warps_per_sm":48,"occupancy":1.0,"limits":{"warps":6,...},...,"refusal":null}
//! ```
//!
//! Optional, with their defaults: `"smem_optin":true`, `"carveout":null` (or 0 to 100), `"barriers":1`,
//! `"virtual_resources":0`, `"max_threads":null`, `"l1_caching":false`, `"grid":null`, `"sms":null`. `block` and `grid`
//! are a number or an array of three. With `grid` and `sms` the answer has `waves` and `tail_blocks` too, which are
//! `null` for a launch that cannot run. A line that is not of this form gives `{"error":"..."}`.

use occ_core::{BlockLimits, Carveout, Kernel, Launch, Target, Waves, allocation, occupancy};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    arch: String,
    block: Axes,
    registers: u32,
    static_smem: u32,
    dynamic_smem: u32,
    #[serde(default = "yes")]
    smem_optin: bool,
    carveout: Option<u32>,
    #[serde(default = "one")]
    barriers: u32,
    #[serde(default)]
    virtual_resources: u32,
    max_threads: Option<u32>,
    #[serde(default)]
    l1_caching: bool,
    grid: Option<Axes>,
    sms: Option<u32>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a whole number or an array of three")]
enum Axes {
    Line(u32),
    Box([u32; 3]),
}

#[derive(Serialize)]
struct Answer {
    blocks_per_sm: u32,
    warps_per_sm: u32,
    occupancy: f64,
    limits: Limits,
    limiters: Vec<&'static str>,
    registers_per_block: u32,
    smem_per_block: u32,
    refusal: Option<String>,
    #[serde(flatten)]
    spread: Option<Spread>,
}

#[derive(Serialize)]
struct Limits {
    warps: u32,
    blocks: u32,
    registers: Option<u32>,
    shared_memory: Option<u32>,
    barriers: Option<u32>,
    #[serde(rename = "virtual")]
    virtual_resources: Option<u32>,
}

/// The grid over the GPU, where both are known.
#[derive(Serialize)]
struct Spread {
    waves: Option<u64>,
    tail_blocks: Option<u64>,
}

#[derive(Serialize)]
struct Rejected {
    error: String,
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

impl Axes {
    fn all(&self) -> [u32; 3] {
        match *self {
            Axes::Line(x) => [x, 1, 1],
            Axes::Box(axes) => axes,
        }
    }
}

/// Reads one line; what is wrong with it, if it is not a question.
fn read(line: &[u8]) -> Result<Question, String> {
    // The fields in an array, which serde would take as well, are not of this form.
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err("expected an object".to_owned());
    }
    serde_json::from_slice(line).map_err(|e| e.to_string())
}

fn answer(question: &Question) -> Result<Answer, String> {
    let target = Target::parse(&question.arch).map_err(|e| format!("`arch`: {e}"))?;
    let carveout = match question.carveout {
        None => Carveout::Default,
        Some(percent @ 0..=100) => Carveout::Percent(percent as u8),
        Some(percent) => return Err(format!("`carveout`: {percent} is not a percentage of 0 to 100")),
    };
    if question.sms == Some(0) {
        return Err("`sms`: a GPU has at least 1".to_owned());
    }
    let mut kernel = Kernel::new()
        .registers(question.registers)
        .static_smem(question.static_smem)
        .barriers(question.barriers)
        .virtual_resources(question.virtual_resources)
        .l1_caching(question.l1_caching);
    kernel.max_threads = question.max_threads;
    let mut launch = Launch::block(question.block.all())
        .dynamic_smem(question.dynamic_smem)
        .smem_optin(question.smem_optin)
        .carveout(carveout);
    launch.grid = question.grid.as_ref().map(Axes::all);

    let sm = target.arch().limits();
    let given = allocation(sm, &kernel, &launch);
    let (blocks_per_sm, warps_per_sm, fraction, refusal) = match occupancy(sm, &kernel, &launch) {
        Ok(answer) => (answer.blocks_per_sm, answer.warps_per_sm(), answer.fraction(), None),
        Err(refusal) => (0, 0, 0.0, Some(refusal.to_string())),
    };
    // A launch can be refused for what is no resource of the SM: then nothing limits it.
    let limited = refusal.is_none() || given.limits.lowest() == 0;
    let spread = match (launch.grid, question.sms) {
        (Some([x, y, z]), Some(sms)) => {
            let blocks = u64::from(x).saturating_mul(u64::from(y)).saturating_mul(u64::from(z));
            let waves = Waves::new(blocks, blocks_per_sm, sms);
            Some(Spread { waves: waves.map(|w| w.count()), tail_blocks: waves.map(|w| w.tail_blocks()) })
        }
        _ => None,
    };
    let limits = Limits::from(&given.limits);
    Ok(Answer {
        blocks_per_sm,
        warps_per_sm,
        occupancy: (fraction * 10_000.0).round() / 10_000.0,
        limiters: if limited { limits.lowest(given.limits.lowest()) } else { Vec::new() },
        limits,
        registers_per_block: given.registers_per_block,
        smem_per_block: given.smem_per_block,
        refusal,
        spread,
    })
}

impl From<&BlockLimits> for Limits {
    fn from(limits: &BlockLimits) -> Self {
        Limits {
            warps: limits.warps,
            blocks: limits.blocks,
            registers: limits.registers,
            shared_memory: limits.shared_memory,
            barriers: limits.barriers,
            virtual_resources: limits.virtual_resources,
        }
    }
}

impl Limits {
    /// The keys of the limits that are `lowest`, sorted.
    fn lowest(&self, lowest: u32) -> Vec<&'static str> {
        let sorted = [
            ("barriers", self.barriers),
            ("blocks", Some(self.blocks)),
            ("registers", self.registers),
            ("shared_memory", self.shared_memory),
            ("virtual", self.virtual_resources),
            ("warps", Some(self.warps)),
        ];
        sorted.iter().filter(|(_, limit)| *limit == Some(lowest)).map(|(key, _)| *key).collect()
    }
}

fn answer_all(input: impl io::Read, output: impl Write) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut output = BufWriter::with_capacity(1 << 16, output);
    let mut line = Vec::new();
    loop {
        // A program that waits for an answer before it asks again must get it.
        if input.buffer().is_empty() {
            output.flush()?;
        }
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        match read(&line).and_then(|question| answer(&question)) {
            Ok(answer) => serde_json::to_writer(&mut output, &answer)?,
            Err(error) => serde_json::to_writer(&mut output, &Rejected { error })?,
        }
        output.write_all(b"\n")?;
    }
}

fn main() -> ExitCode {
    match answer_all(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads any further.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
