//! The batch interface for other programs: the example is run as they run it.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn example() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "-q", "--offline", "-p", "occ-core", "--features", "serde", "--example", "batch"]);
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo
}

/// What the example answers, line by line.
fn batch(input: &[u8]) -> Vec<String> {
    let mut example = example().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = example.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = example.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn pairs(pairs: &[(&str, &str)]) {
    let questions: Vec<&str> = pairs.iter().map(|(question, _)| *question).collect();
    let answers = batch(questions.join("\n").as_bytes());
    assert_eq!(answers.len(), pairs.len());
    for ((question, expected), answer) in pairs.iter().zip(answers) {
        assert_eq!(answer, *expected, "{question}");
    }
}

/// Expected values: computed by hand with the rules of the worked examples; 21.9 % and 2 blocks are of
/// kokkos/kokkos#5739, the refusals of huggingface/candle#2361 and JuliaGPU/CUDA.jl#3138.
#[test]
fn answers() {
    pairs(&[
        // The design's example. 40 registers × 32 = 1280 a warp, 12 warps a sub-partition; 9216 of 102,400 bytes.
        (
            r#"{"arch":"sm_86","block":[256,1,1],"registers":40,"static_smem":0,"dynamic_smem":8192}"#,
            r#"{"blocks_per_sm":6,"warps_per_sm":48,"occupancy":1.0,"limits":{"warps":6,"blocks":16,"registers":6,"shared_memory":11,"barriers":null,"virtual":null},"limiters":["registers","warps"],"registers_per_block":10240,"smem_per_block":9216,"refusal":null}"#,
        ),
        // 14 of 64 warps.
        (
            r#"{"arch":"compute_80","block":224,"registers":92,"static_smem":0,"dynamic_smem":0}"#,
            r#"{"blocks_per_sm":2,"warps_per_sm":14,"occupancy":0.2188,"limits":{"warps":9,"blocks":32,"registers":2,"shared_memory":164,"barriers":null,"virtual":null},"limiters":["registers"],"registers_per_block":21504,"smem_per_block":1024,"refusal":null}"#,
        ),
        // Every optional key; 2000 blocks over 80 × 1 slots.
        (
            r#"{"arch":"sm_100a","block":[16,16,1],"registers":32,"static_smem":512,"dynamic_smem":512,"smem_optin":false,"carveout":100,"barriers":4,"virtual_resources":128,"max_threads":256,"l1_caching":false,"grid":[200,10,1],"sms":80}"#,
            r#"{"blocks_per_sm":1,"warps_per_sm":8,"occupancy":0.125,"limits":{"warps":8,"blocks":32,"registers":8,"shared_memory":114,"barriers":16,"virtual":1},"limiters":["virtual"],"registers_per_block":8192,"smem_per_block":2048,"refusal":null,"waves":25,"tail_blocks":0}"#,
        ),
        // 4 blocks on each of 40 SMs: 160 slots, so a wave and a tail of 40.
        (
            r#" { "arch" : "sm_75", "block": 256, "registers": 16, "static_smem": 0, "dynamic_smem": 0, "grid": 200, "sms": 40, "carveout": null } "#,
            r#"{"blocks_per_sm":4,"warps_per_sm":32,"occupancy":1.0,"limits":{"warps":4,"blocks":16,"registers":16,"shared_memory":null,"barriers":null,"virtual":null},"limiters":["warps"],"registers_per_block":4096,"smem_per_block":0,"refusal":null,"waves":2,"tail_blocks":40}"#,
        ),
        // Half of the SM with globals in L1: 2 sub-partitions of 12 warps hold 3 blocks of 8, twice; of 64 warps, 2 × 4.
        (
            r#"{"arch":"sm_52","block":256,"registers":40,"static_smem":0,"dynamic_smem":0,"l1_caching":true}"#,
            r#"{"blocks_per_sm":6,"warps_per_sm":48,"occupancy":0.75,"limits":{"warps":8,"blocks":32,"registers":6,"shared_memory":null,"barriers":null,"virtual":null},"limiters":["registers"],"registers_per_block":10240,"smem_per_block":0,"refusal":null}"#,
        ),
    ]);
}

/// Launches that cannot run: 0 blocks, and the limits as they are.
#[test]
fn refusals() {
    pairs(&[
        (
            r#"{"arch":"sm_89","block":[32768,1,1],"registers":32,"static_smem":0,"dynamic_smem":131072}"#,
            r#"{"blocks_per_sm":0,"warps_per_sm":0,"occupancy":0.0,"limits":{"warps":0,"blocks":24,"registers":0,"shared_memory":0,"barriers":null,"virtual":null},"limiters":["registers","shared_memory","warps"],"registers_per_block":1048576,"smem_per_block":132096,"refusal":"the block has 32768 threads; the limit is 1024"}"#,
        ),
        (
            r#"{"arch":"sm_80","block":258,"registers":255,"static_smem":0,"dynamic_smem":0,"grid":1,"sms":108}"#,
            r#"{"blocks_per_sm":0,"warps_per_sm":0,"occupancy":0.0,"limits":{"warps":7,"blocks":32,"registers":0,"shared_memory":164,"barriers":null,"virtual":null},"limiters":["registers"],"registers_per_block":73728,"smem_per_block":1024,"refusal":"255 registers per thread in 9 warps need 98304 registers per block; the limit is 65536","waves":null,"tail_blocks":null}"#,
        ),
        // No resource is short.
        (
            r#"{"arch":"sm_80","block":256,"registers":32,"static_smem":0,"dynamic_smem":0,"barriers":17}"#,
            r#"{"blocks_per_sm":0,"warps_per_sm":0,"occupancy":0.0,"limits":{"warps":8,"blocks":32,"registers":8,"shared_memory":164,"barriers":null,"virtual":null},"limiters":[],"registers_per_block":8192,"smem_per_block":1024,"refusal":"a block uses 17 barriers; the limit is 16"}"#,
        ),
    ]);
    // Every limit a launch can break.
    let broken = [
        r#""block":0"#,
        r#""block":[1,1,65]"#,
        r#""block":[32,0,1]"#,
        r#""block":[4294967295,4294967295,4294967295]"#,
        r#""block":1025"#,
        r#""block":256,"max_threads":255"#,
        r#""block":256,"grid":0"#,
        r#""block":256,"grid":[1,65536,1]"#,
        r#""block":256,"barriers":4294967295"#,
        r#""block":256,"virtual_resources":4294967295"#,
    ];
    let mut lines: Vec<String> = broken
        .iter()
        .map(|shape| format!(r#"{{"arch":"sm_100",{shape},"registers":32,"static_smem":0,"dynamic_smem":0}}"#))
        .collect();
    for (registers, static_smem, dynamic_smem) in
        [(256, 0, 0), (u32::MAX, 0, 0), (65, 0, 232_449), (32, u32::MAX, u32::MAX)]
    {
        lines.push(format!(
            r#"{{"arch":"sm_100","block":1024,"registers":{registers},"static_smem":{static_smem},"dynamic_smem":{dynamic_smem}}}"#
        ));
    }
    lines.push(
        r#"{"arch":"sm_100","block":32,"registers":32,"static_smem":0,"dynamic_smem":49153,"smem_optin":false}"#.into(),
    );
    let answers = batch(lines.join("\n").as_bytes());
    assert_eq!(answers.len(), lines.len());
    for (line, answer) in lines.iter().zip(answers) {
        assert!(answer.starts_with(r#"{"blocks_per_sm":0,"warps_per_sm":0,"occupancy":0.0,"#), "{line}: {answer}");
        assert!(!answer.contains(r#""refusal":null"#) && answer.contains(r#""refusal":""#), "{line}: {answer}");
    }
}

/// What is not a question gets an error in its place, and the lines after it their answers.
#[test]
fn errors() {
    let good = r#"{"arch":"sm_86","block":256,"registers":40,"static_smem":0,"dynamic_smem":8192}"#;
    let with = |from: &str, to: &str| good.replace(from, to).into_bytes();
    let bad: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"   ".to_vec(),
        b"null".to_vec(),
        b"{".to_vec(),
        b"{}".to_vec(),
        b"not json".to_vec(),
        br#"["sm_86",256,40,0,8192]"#.to_vec(),
        [good.as_bytes(), good.as_bytes()].concat(),
        good.as_bytes()[..40].to_vec(),
        vec![0xff, 0xfe],
        [b"{\"arch\":\"\xff\",", &good.as_bytes()[1..]].concat(),
        "[".repeat(100_000).into_bytes(),
        "{\"arch\":".repeat(100_000).into_bytes(),
        // One required key less.
        with(r#""arch":"sm_86","#, ""),
        with(r#""block":256,"#, ""),
        with(r#""registers":40,"#, ""),
        with(r#""static_smem":0,"#, ""),
        with(r#","dynamic_smem":8192"#, ""),
        // Unknown or repeated keys.
        with("{", r#"{"warps":1,"#),
        with("{", r#"{"registers":40,"#),
        with("arch", "Arch"),
        // Targets that are not known.
        with("sm_86", "sm_85"),
        with("sm_86", "86"),
        with("sm_86", ""),
        with(r#""sm_86""#, "86"),
        // Values of another type, or out of range.
        with("40", "-1"),
        with("40", "40.0"),
        with("40", "4e1"),
        with("40", r#""40""#),
        with("40", "null"),
        with("40", "4294967296"),
        with("40", "1e999"),
        with("256", "-256"),
        with("256", "[256]"),
        with("256", "[256,1]"),
        with("256", "[256,1,1,1]"),
        with("256", "[256,1,-1]"),
        with("256", "4294967296"),
        with("256", "null"),
        with("{", r#"{"carveout":101,"#),
        with("{", r#"{"carveout":-1,"#),
        with("{", r#"{"carveout":"max_shared","#),
        with("{", r#"{"smem_optin":1,"#),
        with("{", r#"{"smem_optin":null,"#),
        with("{", r#"{"barriers":null,"#),
        with("{", r#"{"l1_caching":"yes","#),
        with("{", r#"{"max_threads":-1,"#),
        with("{", r#"{"grid":[1,1],"#),
        with("{", r#"{"grid":1,"sms":0,"#),
        with("{", r#"{"sms":0,"#),
    ];
    let mut input = Vec::new();
    for line in &bad {
        input.extend_from_slice(line);
        input.push(b'\n');
        input.extend_from_slice(good.as_bytes());
        input.extend_from_slice(b"\r\n");
    }
    let answers = batch(&input);
    assert_eq!(answers.len(), 2 * bad.len());
    for (line, answers) in bad.iter().zip(answers.chunks(2)) {
        let line = String::from_utf8_lossy(&line[..line.len().min(100)]).into_owned();
        assert!(answers[0].starts_with(r#"{"error":""#) && answers[0].ends_with(r#""}"#), "{line}: {}", answers[0]);
        assert!(answers[1].starts_with(r#"{"blocks_per_sm":6,"#), "after {line}: {}", answers[1]);
    }
}

/// A last line needs no end, and no line no answer.
#[test]
fn ends() {
    assert_eq!(batch(b"").len(), 0);
    assert_eq!(batch(b"\n").len(), 1);
    assert_eq!(batch(b"{}").len(), 1);
    assert_eq!(batch(b"{}\n\n").len(), 2);
    let many = br#"{"arch":"sm_86","block":256,"registers":40,"static_smem":0,"dynamic_smem":8192}"#;
    let answers = batch(&[many.as_slice(), b"\n"].concat().repeat(20_000));
    assert_eq!(answers.len(), 20_000);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

/// A program that asks one question after the other gets each answer before it asks again; one that reads no further
/// is no reason to panic.
#[test]
fn one_after_the_other() {
    let mut example = example().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = example.stdin.take().unwrap();
    let mut stdout = BufReader::new(example.stdout.take().unwrap());
    for question in ["{}\n", "\n", "{\"arch\":1}\n"] {
        stdin.write_all(question.as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert!(answer.starts_with(r#"{"error":"#), "{answer}");
    }
    drop(stdout);
    // The example may be gone before all is written.
    let _ = stdin.write_all("{}\n".repeat(100_000).as_bytes());
    drop(stdin);
    let output = example.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
