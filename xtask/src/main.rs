//! The project's commands, `cargo xtask COMMAND`: everything that needs more than `cargo test`.

mod bench;
mod corpus;
mod golden;
mod gpu_check;
mod header;
mod list;
mod nvidia;
mod oracle;
mod ptxas;
mod random;
mod stand_in;
mod vector;

use std::error::Error;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  oracle [--seed N] [--cases N]   the model against NVIDIA's own cuda_occupancy.h and ptxas
  ptxas                           threads and blocks per SM against ptxas alone
  corpus                          what is read of kernels, against ptxas, nvlink and cuobjdump
  list FILE                       every kernel of an artifact
  golden                          write tests/data/golden from NVIDIA's header
  bench [NAME]                    measure; without a name, list the benches
  gpu-check [--compare REPORT]    build a program that asks a GPU's driver; compare its report
  stand-in -- COMMAND             run a command with a stand-in for CUDA's driver

NVIDIA's tools come from PyPI and need python3 and pip; the header and the corpus also need g++ (or CXX).";

/// Error of a command, to be shown to a person.
type Failure = Box<dyn Error>;
type Result<T> = std::result::Result<T, Failure>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let (command, options) = match arguments.split_first() {
        Some((command, options)) => (command.as_str(), options),
        None => ("help", arguments),
    };
    match command {
        "oracle" => oracle::run(options),
        "ptxas" => ptxas::run(),
        "corpus" => corpus::run(),
        "list" => list::run(options),
        "golden" => golden::run(),
        "bench" => bench::run(options),
        "gpu-check" => gpu_check::run(options),
        "stand-in" => stand_in::run(options),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(format!("no command `{command}`\n\n{USAGE}").into()),
    }
}

/// Options with a value, in any order.
struct Options(Vec<(String, String)>);

impl Options {
    fn parse(arguments: &[String], known: &[&str]) -> Result<Options> {
        let mut options = Vec::new();
        for pair in arguments.chunks(2) {
            match pair {
                [name, _] if !known.contains(&name.as_str()) => return Err(format!("no option `{name}`").into()),
                [name, value] => options.push((name.clone(), value.clone())),
                _ => return Err(format!("`{}` needs a value", pair.concat()).into()),
            }
        }
        Ok(Options(options))
    }

    fn number(&self, name: &str) -> Result<Option<u64>> {
        match self.0.iter().find(|(option, _)| option == name) {
            Some((_, value)) => match value.parse() {
                Ok(number) => Ok(Some(number)),
                Err(error) => Err(format!("`{name} {value}`: {error}").into()),
            },
            None => Ok(None),
        }
    }
}

/// Returns a count with its noun: `1 difference`, `2 differences`.
fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
