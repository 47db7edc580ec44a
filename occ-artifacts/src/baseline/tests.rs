use super::{Baseline, BaselineError, Change, Difference, Tolerance, compare};
use crate::image::{KernelImage, Spills, Stack};
use crate::origin::{Format, Origin};
use crate::target::CodeTarget;
use occ_core::{Code, Launch, Portability};

fn image(name: &str, number: u32, registers: u32) -> KernelImage {
    let target = CodeTarget { number, code: Code::Binary, portability: Portability::Base };
    KernelImage {
        target: Some(target),
        registers: Some(registers),
        static_smem: Some(0),
        barriers: Some(1),
        stack: Some(Stack::Bytes(0)),
        ..KernelImage::new(name, Origin::whole(Format::Cubin))
    }
}

fn baseline(images: &[KernelImage], launch: Option<&Launch>) -> Baseline {
    let mut baseline = Baseline::new();
    for image in images {
        baseline.add(image, launch).unwrap();
    }
    baseline
}

fn differences(old: &KernelImage, new: &KernelImage, launch: Option<&Launch>, tolerance: Tolerance) -> Vec<String> {
    let found =
        compare(&baseline(std::slice::from_ref(old), launch), &baseline(std::slice::from_ref(new), launch), &tolerance);
    found
        .iter()
        .map(|difference| format!("{}{difference}", if difference.is_regression() { "! " } else { "" }))
        .collect()
}

/// The occupancy in the first line: 128 registers × 256 threads are half of 65,536, so 2 blocks of 8 of 64 warps.
#[test]
fn the_file() {
    let spills = Some(Spills { stores: 8, loads: 4 });
    let images = [
        KernelImage { spills, stack: Some(Stack::Unbounded), ..image("b", 100, 32) },
        image("b", 90, 32),
        KernelImage { registers: None, static_smem: None, barriers: None, ..image("c\"é", 80, 0) },
        image("a", 80, 128),
    ];
    let mut written = baseline(&images[..3], None);
    written.add(&images[3], Some(&Launch::new(256).dynamic_smem(64))).unwrap();
    let text = "{\n\"version\": 1,\n\"kernels\": [\n\
        {\"kernel\":\"a\",\"name\":\"a\",\"target\":\"sm_80\",\"registers\":128,\"static_smem\":0,\"barriers\":1,\
        \"stack\":0,\"spills\":null,\"block\":[256,1,1],\"dynamic_smem\":64,\"occupancy\":0.25},\n\
        {\"kernel\":\"b\",\"name\":\"b\",\"target\":\"sm_90\",\"registers\":32,\"static_smem\":0,\"barriers\":1,\
        \"stack\":0,\"spills\":null,\"block\":null,\"dynamic_smem\":null,\"occupancy\":null},\n\
        {\"kernel\":\"b\",\"name\":\"b\",\"target\":\"sm_100\",\"registers\":32,\"static_smem\":0,\"barriers\":1,\
        \"stack\":\"unbounded\",\"spills\":{\"stores\":8,\"loads\":4},\"block\":null,\"dynamic_smem\":null,\
        \"occupancy\":null},\n\
        {\"kernel\":\"c\\\"é\",\"name\":\"c\\\"é\",\"target\":\"sm_80\",\"registers\":null,\"static_smem\":null,\
        \"barriers\":null,\"stack\":0,\"spills\":null,\"block\":null,\"dynamic_smem\":null,\"occupancy\":null}\n]\n}\n";
    assert_eq!(written.to_string(), text);
    let read = Baseline::parse(text).unwrap();
    assert_eq!((&read, read.to_string().as_str()), (&written, text));
    assert_eq!(Baseline::parse(&text.replace('\n', "\r\n")).unwrap().to_string(), text);
    assert_eq!(Baseline::parse(&Baseline::new().to_string()).unwrap(), Baseline::new());
}

/// Published occupancies of a Tesla T4 by shared memory, with blocks of 256 threads.
#[test]
fn occupancy_on_a_t4() {
    let occupancy = |image: &KernelImage, launch: &Launch| {
        let text = baseline(std::slice::from_ref(image), Some(launch)).to_string();
        let (_, occupancy) = text.split_once("\"occupancy\":").unwrap();
        occupancy.split_once('}').unwrap().0.to_owned()
    };
    for (reserved, expected) in [(0, "1.0"), (21_760, "0.75"), (32_768, "0.5"), (49_152, "0.25")] {
        assert_eq!(occupancy(&image("k", 75, 16), &Launch::new(256).dynamic_smem(reserved)), expected);
    }
    let unknown = KernelImage { registers: None, ..image("k", 75, 0) };
    assert_eq!(occupancy(&unknown, &Launch::new(256)), "null");
    // 162 registers × 512 threads exceed 65,536.
    assert_eq!(occupancy(&image("k", 89, 162), &Launch::new(512)), "\"refused\"");
}

/// On 8.0, 64 registers allow 4 blocks of 256 threads; 32 allow 8, which fill the SM.
#[test]
fn growth_and_its_effect_on_occupancy() {
    let launch = Launch::new(256);
    let (old, new) = (image("k", 80, 32), image("k", 80, 64));
    assert_eq!(
        differences(&old, &new, Some(&launch), Tolerance::default()),
        [
            "! `k` for `sm_80`: registers grew from 32 to 64; occupancy fell from 100% to 50%",
            "! `k` for `sm_80`: occupancy fell from 100% to 50%"
        ]
    );
    assert_eq!(
        differences(&new, &old, Some(&launch), Tolerance::default()),
        [
            "`k` for `sm_80`: registers shrank from 64 to 32; occupancy rose from 50% to 100%",
            "`k` for `sm_80`: occupancy rose from 50% to 100%"
        ]
    );
    let tolerance = Tolerance { registers: 32, occupancy: 0.5, ..Tolerance::default() };
    assert!(differences(&old, &new, Some(&launch), tolerance).is_empty());
    let tolerance = Tolerance { registers: 31, occupancy: 0.49, ..Tolerance::default() };
    assert_eq!(differences(&old, &new, Some(&launch), tolerance).len(), 2);
}

#[test]
fn every_quantity_is_compared() {
    let spills = Some(Spills { stores: 8, loads: 4 });
    let old = KernelImage { spills, ..image("k", 80, 32) };
    for (new, words) in [
        (KernelImage { static_smem: Some(1), ..old.clone() }, "bytes of static shared memory grew from 0 to 1"),
        (KernelImage { barriers: Some(2), ..old.clone() }, "barriers grew from 1 to 2"),
        (KernelImage { stack: Some(Stack::Bytes(8)), ..old.clone() }, "bytes of stack grew from 0 to 8"),
        (KernelImage { stack: Some(Stack::Unbounded), ..old.clone() }, "bytes of stack grew from 0 to unbounded"),
        (
            KernelImage { spills: Some(Spills { stores: 9, loads: 4 }), ..old.clone() },
            "bytes of spill stores grew from 8 to 9",
        ),
        (
            KernelImage { spills: Some(Spills { stores: 8, loads: 5 }), ..old.clone() },
            "bytes of spill loads grew from 4 to 5",
        ),
    ] {
        assert_eq!(differences(&old, &new, None, Tolerance::default()), [format!("! `k` for `sm_80`: {words}")]);
    }
    let lost = KernelImage { registers: None, ..old.clone() };
    assert_eq!(
        differences(&old, &lost, None, Tolerance::default()),
        ["`k` for `sm_80`: registers are no longer known"]
    );
    assert!(differences(&lost, &old, None, Tolerance::default()).is_empty());
}

#[test]
fn a_launch_that_can_no_longer_run() {
    let tolerance = Tolerance { registers: 255, occupancy: 1.0, ..Tolerance::default() };
    assert_eq!(
        differences(&image("k", 89, 64), &image("k", 89, 162), Some(&Launch::new(512)), tolerance),
        ["! `k` for `sm_89`: the launch can no longer run; its occupancy was 66.67%"]
    );
}

#[test]
fn new_and_removed() {
    let (old, new) = (baseline(&[image("a", 80, 1)], None), baseline(&[image("a", 90, 1)], None));
    let found = compare(&old, &new, &Tolerance::default());
    assert_eq!(
        found.iter().map(|difference| &difference.change).collect::<Vec<_>>(),
        [&Change::Removed, &Change::Added]
    );
    assert!(!found.iter().any(Difference::is_regression));
    assert_eq!(found[1].to_string(), "`a` for `sm_90` is new");
}

#[test]
fn duplicates() {
    let mut baseline = baseline(&[image("k", 80, 1), image("k", 80, 1)], None);
    assert_eq!(baseline.len(), 1);
    let error = baseline.add(&image("k", 80, 2), None).unwrap_err();
    assert_eq!(error.to_string(), "duplicate kernel `k` for `sm_80`");
    let text = baseline.to_string();
    let line = text.lines().nth(3).unwrap();
    assert!(matches!(
        Baseline::parse(&text.replace(line, &format!("{line},\n{line}"))),
        Err(BaselineError::Duplicate { .. })
    ));
}

#[test]
fn invalid_baselines() {
    let text = baseline(&[image("k", 80, 1)], Some(&Launch::new(32))).to_string();
    let problem = |text: &str| Baseline::parse(text).unwrap_err();
    for (from, to, at) in [
        ("\"registers\":1", "\"registers\":-1", 4),
        ("\"registers\":1", "\"registers\":4294967296", 4),
        ("\"registers\":1", "\"registers\":1,\"warps\":1", 4),
        ("sm_80", "sm_8O", 4),
        ("sm_80", "sm_080", 4),
        ("\"stack\":0", "\"stack\":\"endless\"", 4),
        ("\"block\":[32,1,1]", "\"block\":[32,1]", 4),
        ("\n]\n}\n", "\n]\n", 6),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        let error = problem(&changed);
        assert!(matches!(error, BaselineError::Form { line, .. } if line == at || at == 6), "{to}: {error:?}");
    }
    assert!(matches!(problem(&text.replace("\"version\": 1", "\"version\": 2")), BaselineError::Version { found: 2 }));
    for occupancy in ["0", "1.5", "-0.5"] {
        let changed = text.replace("\"occupancy\":0.5", &format!("\"occupancy\":{occupancy}"));
        assert!(matches!(problem(&changed), BaselineError::Occupancy { .. }), "{occupancy}");
    }
    for hostile in ["", "null", "[]", "{", "{}", "{\"version\":1e999}", "\u{feff}{}", &"[".repeat(100_000)] {
        assert!(Baseline::parse(hostile).is_err());
    }
    let deep = format!("{{\"version\":1,\"x\":{}", "[".repeat(100_000));
    assert!(Baseline::parse(&deep).is_err());
}
