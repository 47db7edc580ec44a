//! Each quantity of a cubin, and each place where it is easily read wrongly.

use crate::build::{COMPAT, Cubin, Kernel, NOBITS, REL, SHARED, byte, flag, half, sized};
use occ_artifacts::{Bounds, Format, KernelImage, Origin, Problem, Stack, TensorMemory, Toolkit, read};

fn only(cubin: &Cubin) -> KernelImage {
    let mut images = read(&cubin.bytes()).unwrap();
    assert_eq!(images.len(), 1);
    images.remove(0)
}

fn target(cubin: &Cubin) -> String {
    only(&cubin.clone().kernel("k", &Kernel::default())).target.unwrap().to_string()
}

fn problem(cubin: &Cubin) -> Problem {
    read(&cubin.bytes()).unwrap_err().problem
}

/// One kernel for `sm_75` with 256 floats of static shared memory and one barrier, as three toolkits lay it out.
/// Their logs: `Used 10 registers, 1024 bytes smem`, from 13.5 also `used 1 barriers`.
#[test]
fn one_kernel_of_three_toolkits() {
    let kernel = |code_flags, function: &[(u8, u32)], info: &[Vec<u8>]| Kernel {
        code_flags,
        code_registers: 10,
        function: function.to_vec(),
        info: info.concat(),
        shared: Some(1024),
    };
    let own = [half(0x19, 8), half(0x1b, 255)];
    let toolkit_11_8 = Cubin::abi7(0x76, 0x004b_054b).kernel(
        "k",
        &kernel(
            0x0010_0006,
            &[(0x2f, 10), (0x23, 0), (0x12, 0), (0x11, 0)],
            &[&[sized(0x37, &[0x76])][..], &own].concat(),
        ),
    );
    let toolkit_12_4 = Cubin::abi7(0x7c, 0x004b_054b)
        .kernel("k", &kernel(0x0010_0006, &[(0x2f, 10), (0x12, 0), (0x11, 0), (0x12, 0)], &own));
    let info = [sized(0x66, &[3]), sized(0x36, &[1]), sized(0x37, &[0x87])];
    let toolkit_13_5 = Cubin::abi8(0x0600_4b04)
        .kernel("k", &kernel(6, &[(0x2f, 10), (0x11, 0), (0x12, 0)], &[&info[..], &own, &[byte(0x4c, 1)]].concat()));
    for (cubin, major, minor) in [(toolkit_11_8, 11, 8), (toolkit_12_4, 12, 4), (toolkit_13_5, 13, 5)] {
        let image = only(&cubin);
        assert_eq!(&*image.name, "k");
        assert_eq!(image.target.unwrap().to_string(), "sm_75");
        assert_eq!(image.registers, Some(10));
        assert_eq!(image.static_smem, Some(1024));
        assert_eq!(image.barriers, Some(1));
        assert_eq!(image.stack, Some(Stack::Bytes(0)));
        assert_eq!(image.bounds, Some(Bounds::default()));
        assert_eq!(image.tensor_memory, Some(TensorMemory::Unused));
        assert_eq!(image.setmaxnreg, Some(false));
        assert_eq!(image.toolkit, Some(Toolkit { major, minor }));
        assert_eq!((image.spills, image.min_blocks_per_sm), (None, None));
        assert!(image.is_linked);
        assert_eq!(image.origin, Origin::whole(Format::Cubin));
    }
}

/// The flags of real cubins, and the names `cuobjdump` prints for them.
#[test]
fn target_and_suffix() {
    let with_compat = |flags, record: Vec<u8>| {
        let mut cubin = Cubin::abi8(flags);
        cubin.section(".nv.compat", COMPAT, 0, &record);
        cubin
    };
    for (cubin, expected) in [
        (Cubin::abi7(0x76, 0x004b_0559), "sm_89"),
        (Cubin::abi7(0x7c, 0x005a_055a), "sm_90"),
        (Cubin::abi7(0x7c, 0x005a_0d5a), "sm_90a"),
        // CUDA 8 sets the bit of the suffix for 6.0 as well.
        (Cubin::abi7(0x50, 0x003c_0d3c), "sm_60"),
        (Cubin::abi8(0x0600_4b04), "sm_75"),
        (Cubin::abi8(0x0600_5a04), "sm_90"),
        (Cubin::abi8(0x0600_6402), "sm_100"),
        (Cubin::abi8(0x0600_640a), "sm_100a"),
        (Cubin::abi8(0x0600_780a), "sm_120a"),
        (Cubin::abi8(0x0600_7902), "sm_121"),
        (with_compat(0x0600_5a04, vec![2, 9, 1, 0]), "sm_90a"),
        (with_compat(0x0600_5a04, vec![2, 9, 0, 0]), "sm_90"),
        (with_compat(0x0600_6402, vec![2, 8, 1, 0, 2, 9, 1, 0]), "sm_100a"),
    ] {
        assert_eq!(target(&cubin), expected, "{:#x}", cubin.e_flags);
    }
}

/// Headers in front, the symbol table first: how 12.9 lays out some cubins for `sm_100a`.
#[test]
fn second_layout() {
    let kernel = Kernel { function: vec![(0x2f, 32)], shared: Some(1024 + 16), ..Kernel::default() };
    let cubin = Cubin { headers_in_front: true, ..Cubin::abi8(0x0600_640c) };
    let image = only(&cubin.kernel("k", &kernel));
    assert_eq!(image.target.unwrap().to_string(), "sm_100a");
    assert_eq!((image.registers, image.static_smem), (Some(32), Some(16)));
}

/// As ELF has it where 16 bits are too few for a number of sections; `ptxas` does so from 65,280 sections on.
#[test]
fn section_indices_above_16_bits() {
    let kernel = Kernel { function: vec![(0x2f, 32)], shared: Some(1024 + 16), ..Kernel::default() };
    let mut cubin = Cubin { headers_in_front: true, ..Cubin::abi8(0x0600_5a04) }.kernel("k", &kernel);
    let code = u32::from(cubin.symbols[1][6]);
    cubin.symbols[1][6..8].fill(0xff);
    cubin.section(".symtab_shndx", 18, 1, &[0, code].map(u32::to_le_bytes).concat());
    let mut bytes = cubin.bytes();
    let (count, names) = (bytes[0x3c], bytes[0x3e]);
    bytes[0x3c..0x40].copy_from_slice(&[0, 0, 0xff, 0xff]);
    (bytes[64 + 0x20], bytes[64 + 0x28]) = (count, names);
    let images = read(&bytes).unwrap();
    assert_eq!((images[0].registers, images[0].static_smem), (Some(32), Some(16)));
}

#[test]
fn an_unknown_abi() {
    for abi in [6, 9] {
        let cubin = Cubin { abi, ..Cubin::abi8(0x0600_5a04) };
        let error = read(&cubin.bytes()).unwrap_err();
        assert_eq!((error.offset, error.problem), (8, Problem::UnknownAbi { abi }));
    }
}

/// Where there is no record, as in CUDA 8, `cuobjdump` prints the top byte of `sh_info`. From 9.0 on that byte is always 0. A linked
/// kernel that calls a function with more registers keeps its own there, and `nvlink -v` says `used 62 registers`.
#[test]
fn registers() {
    let registers = |cubin: Cubin, code_registers, function: &[(u8, u32)]| {
        let kernel = Kernel { code_registers, function: function.to_vec(), ..Kernel::default() };
        only(&cubin.kernel("k", &kernel)).registers
    };
    assert_eq!(registers(Cubin::abi7(0x50, 0x003d_053d), 17, &[]), Some(17));
    assert_eq!(registers(Cubin::abi7(0x7c, 0x005a_055a), 17, &[]), None);
    // As in some objects of NVIDIA's `libcublasLt` 13.10.
    assert_eq!(registers(Cubin::abi8(0x0600_4b04), 24, &[]), Some(24));
    assert_eq!(registers(Cubin::abi8(0x0600_5a04), 0, &[(0x2f, 10)]), Some(10));
    assert_eq!(registers(Cubin::abi8(0x0600_4b04), 24, &[(0x2f, 62)]), Some(62));
}

/// Sizes of the section as `cuobjdump` prints them, and of the log of `ptxas`, both of 13.5 for `sm_90`.
#[test]
fn static_smem_excludes_the_reserve_from_9_0_on() {
    let kernel = |shared| Kernel { shared, ..Kernel::default() };
    let smem = |cubin: Cubin, shared| only(&cubin.kernel("k", &kernel(shared))).static_smem;
    for (log, section) in [(2048, 3072), (128, 1152), (49152, 50176), (0, 1024)] {
        assert_eq!(smem(Cubin::abi8(0x0600_5a04), Some(section)), Some(log));
        assert_eq!(smem(Cubin::abi7(0x7c, 0x005a_055a), Some(section)), Some(log));
    }
    assert_eq!(smem(Cubin::abi8(0x0600_5a04), None), Some(0));
    assert_eq!(smem(Cubin::abi8(0x0600_5904), Some(3072)), Some(3072));
    // The maximum of sm_90a.
    assert_eq!(smem(Cubin::abi8(0x0600_5a04), Some(233_472)), Some(232_448));
    let what = "the size of a `.nv.shared` section";
    let small = Cubin::abi8(0x0600_5a04).kernel("k", &kernel(Some(1023)));
    assert!(matches!(problem(&small), Problem::Unexpected { what: w, found: 1023, .. } if w == what));
}

/// An object for device linking: 5 ints are `SHARED:20` for `cuobjdump`, for `sm_75` as for `sm_90a`, in a section
/// of another type. It has no record of the stack.
#[test]
fn object_for_device_linking() {
    for flags in [0x0600_4b04, 0x0600_5a04] {
        let cubin = Cubin { e_type: REL, ..Cubin::abi8(flags) };
        let kernel = Kernel { function: vec![(0x2f, 24), (0x11, 0)], shared: Some(20), ..Kernel::default() };
        let mut cubin = cubin.kernel("rk", &kernel);
        cubin.sections.last_mut().unwrap().kind = SHARED;
        let image = only(&cubin);
        assert!(!image.is_linked);
        assert_eq!((image.registers, image.static_smem, image.stack), (Some(24), Some(20), None));
    }
}

/// Sections that share the prefix but belong to no kernel, or to the second copy of the code that `sm_100` has.
#[test]
fn sections_with_similar_names() {
    let mut cubin = Cubin::abi8(0x0600_6402).kernel("k", &Kernel { shared: Some(1028), ..Kernel::default() });
    for (name, kind, info, size) in [
        (".nv.shared.reserved.0", NOBITS, 0, 0x60),
        (".nv.merc.nv.shared.k", NOBITS, 4, 5000),
        (".nv.local.k", NOBITS, 4, 6000),
        (".nv.global", NOBITS, 0, 7000),
    ] {
        cubin.section(name, kind, info, &[]);
        cubin.sections.last_mut().unwrap().size = size;
    }
    cubin.section(".nv.merc.nv.info.k", 0x7000_0083, 4, &byte(0x4c, 9));
    let image = only(&cubin);
    assert_eq!((image.static_smem, image.barriers), (Some(4), Some(0)));
}

/// `bar.sync 0` and `bar.sync 5` are 6 barriers, a number in a register is 16.
#[test]
fn barriers() {
    let barriers = |cubin: Cubin, code_flags, info| {
        only(&cubin.kernel("k", &Kernel { code_flags, info, ..Kernel::default() })).barriers
    };
    let (abi7, abi8) = (Cubin::abi7(0x7c, 0x005a_055a), Cubin::abi8(0x0600_5a04));
    assert_eq!(barriers(abi7.clone(), 0x60_0006, vec![]), Some(6));
    assert_eq!(barriers(abi7.clone(), 0x100_0006, vec![]), Some(16));
    assert_eq!(barriers(abi7, 6, vec![]), Some(0));
    assert_eq!(barriers(abi8.clone(), 6, byte(0x4c, 6)), Some(6));
    assert_eq!(barriers(abi8.clone(), 6, byte(0x4c, 16)), Some(16));
    assert_eq!(barriers(abi8, 6, vec![]), Some(0));
}

/// A kernel with local calls: 12.4 writes 152, then 0; the log of 13.5 says `152 bytes cumulative stack size`.
/// Recursion is `STACK:UNKNOWN` for `cuobjdump`.
#[test]
fn stack() {
    let stack = |function: &[(u8, u32)]| {
        let kernel = Kernel { function: function.to_vec(), ..Kernel::default() };
        only(&Cubin::abi7(0x7c, 0x004b_054b).kernel("k", &kernel)).stack
    };
    assert_eq!(stack(&[(0x12, 152), (0x11, 0), (0x12, 0)]), Some(Stack::Bytes(152)));
    assert_eq!(stack(&[(0x12, 0), (0x11, 136)]), Some(Stack::Bytes(136)));
    assert_eq!(stack(&[(0x11, 40), (0x12, 168)]), Some(Stack::Bytes(168)));
    assert_eq!(stack(&[(0x11, 16), (0x12, u32::MAX)]), Some(Stack::Unbounded));
    assert_eq!(stack(&[(0x11, 16)]), None);
}

/// PTX directives, and the records `ptxas` makes of them.
#[test]
fn bounds() {
    let bounds = |info: &[Vec<u8>]| {
        let kernel = Kernel { info: info.concat(), ..Kernel::default() };
        only(&Cubin::abi8(0x0600_5a04).kernel("k", &kernel)).bounds.unwrap()
    };
    let none = Bounds::default();
    // .maxntid 16,16,1
    let found = bounds(&[sized(0x05, &[16, 16, 1]), half(0x1b, 255)]);
    assert_eq!(found, Bounds { max_threads: Some([16, 16, 1]), ..none });
    // .maxntid 256 .minnctapersm 3
    let found = bounds(&[half(0x1b, 80), sized(0x05, &[256, 1, 1])]);
    assert_eq!(found, Bounds { max_threads: Some([256, 1, 1]), max_registers: Some(80), ..none });
    // .reqntid 8,4,2
    let found = bounds(&[sized(0x10, &[8, 4, 2]), half(0x1b, 255)]);
    assert_eq!(found, Bounds { launch: none.launch.required_block([8, 4, 2]), ..none });
    // __cluster_dims__(2, 1, 1)
    let found = bounds(&[sized(0x3d, &[2, 1, 1]), flag(0x3e), half(0x1b, 255)]);
    let launch = none.launch.required_cluster([2, 1, 1]).needs_cluster(true);
    assert_eq!(found, Bounds { launch, ..none });
    // __launch_bounds__(256, 1, 4)
    let found = bounds(&[sized(0x05, &[256, 1, 1]), sized(0x3f, &[4])]);
    let launch = none.launch.max_cluster_blocks(4);
    assert_eq!(found, Bounds { max_threads: Some([256, 1, 1]), launch, ..none });
    // __block_size__((32, 4, 1), (2, 2, 1))
    let found = bounds(&[sized(0x10, &[32, 4, 1]), sized(0x3d, &[2, 2, 1]), flag(0x5b)]);
    let launch = none.launch.required_block([32, 4, 1]).required_cluster([2, 2, 1]).grid_counts_clusters(true);
    assert_eq!(found, Bounds { launch, ..none });
}

/// What `ptxas` 12.5.82 wrote into `.nv.info.k` for a kernel with `.maxntid 384,1,1`, `.minnctapersm 1` and
/// `setmaxnreg`, whose log has `Used 168 registers`.
#[test]
fn records_of_a_kernel_with_setmaxnreg() {
    let info = [
        0x04, 0x37, 0x04, 0x00, 0x7d, 0x00, 0x00, 0x00, 0x04, 0x17, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0xf0, 0x21, 0x00, 0x03, 0x50, 0x00, 0x00, 0x03, 0x1b, 0xa8, 0x00, 0x01, 0x54, 0x00, 0x00,
        0x04, 0x1c, 0x04, 0x00, 0x90, 0x00, 0x00, 0x00, 0x04, 0x05, 0x0c, 0x00, 0x80, 0x01, 0x00, 0x00, 0x01, 0x00,
        0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x03, 0x19, 0x08, 0x00, 0x04, 0x0a, 0x08, 0x00, 0x05, 0x00, 0x00, 0x00,
        0x10, 0x02, 0x08, 0x00, 0x04, 0x36, 0x04, 0x00, 0x08, 0x00, 0x00, 0x00,
    ];
    let kernel = Kernel { info: info.to_vec(), ..Kernel::default() };
    let image = only(&Cubin::abi7(0x7d, 0x005a_0d5a).kernel("k", &kernel));
    assert_eq!(image.setmaxnreg, Some(true));
    assert_eq!(image.toolkit, Some(Toolkit { major: 12, minor: 5 }));
    let bounds = image.bounds.unwrap();
    assert_eq!((bounds.max_threads, bounds.max_registers), (Some([384, 1, 1]), Some(168)));
}

/// `ptxas` 12.0 and 12.4 leave no trace of `setmaxnreg`, which only `sm_90a` has there.
#[test]
fn setmaxnreg_without_a_record() {
    let setmaxnreg = |cubin: Cubin| only(&cubin.kernel("k", &Kernel::default())).setmaxnreg;
    assert_eq!(setmaxnreg(Cubin::abi7(0x7c, 0x005a_0d5a)), None);
    assert_eq!(setmaxnreg(Cubin::abi7(0x7d, 0x005a_0d5a)), Some(false));
    assert_eq!(setmaxnreg(Cubin::abi7(0x7c, 0x005a_055a)), Some(false));
    assert_eq!(setmaxnreg(Cubin::abi7(0x7c, 0x004b_054b)), Some(false));
}

/// `tcgen05.alloc.cta_group::1` and `::2`.
#[test]
fn tensor_memory() {
    let tensor_memory = |info| {
        only(&Cubin::abi8(0x0600_640a).kernel("k", &Kernel { info, ..Kernel::default() })).tensor_memory.unwrap()
    };
    assert_eq!(tensor_memory(flag(0x41)), TensorMemory::Unused);
    assert_eq!(tensor_memory(flag(0x51)), TensorMemory::OneBlock);
    assert_eq!(tensor_memory(flag(0x52)), TensorMemory::TwoBlocks);
}

/// Only entry points that are defined here are kernels: not the functions of an object for device linking, nor what is
/// declared, nor what is no function.
#[test]
fn symbols_that_are_not_kernels() {
    let mut cubin = Cubin::abi8(0x0600_4b04).kernel("k", &Kernel::default());
    cubin.symbol(b"device_function", 0x12, 0, 4);
    cubin.symbol(b"declared", 0x12, 0x10, 0);
    cubin.symbol(b"object", 0x11, 0x10, 4);
    // Static and weak kernels are kernels.
    cubin.symbol(b"local", 0x02, 0x10, 4);
    cubin.symbol(b"weak", 0x22, 0x10, 4);
    let names: Vec<_> = read(&cubin.bytes()).unwrap().iter().map(|image| image.name.to_string()).collect();
    assert_eq!(names, ["k", "local", "weak"]);
}

#[test]
fn cubin_without_kernels() {
    assert_eq!(read(&Cubin::abi8(0x0600_4b04).bytes()), Ok(Vec::new()));
}

#[test]
fn name_that_is_not_utf8() {
    let mut cubin = Cubin::abi8(0x0600_4b04).kernel("k", &Kernel::default());
    cubin.symbol(b"a\xff", 0x12, 0x10, 4);
    let expected = Problem::Unexpected { what: "the name of a kernel", expected: "UTF-8", found: 0xff };
    assert_eq!(problem(&cubin), expected);
}
