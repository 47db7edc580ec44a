//! Fragments with operators in a body, which the attribute must not tear apart.
#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

const BLOCK: u32 = 256;

macro_rules! functions {
    ($plain:ident, $inner:ident, $both:expr, $sum:expr, $negative:literal, $most:pat, $text:ty) => {
        #[launch_config(arch = "sm_80", block = BLOCK, registers = 40)]
        fn $plain(n: i32) -> (bool, i32, bool, $text) {
            let text: $text = "x";
            (!$both, 10 - $sum * $negative, matches!(n, $most), text)
        }

        #[launch_config(arch = "sm_80", block = BLOCK, registers = 40)]
        fn $inner(n: i32) -> (bool, i32, bool) {
            #![allow(clippy::let_and_return)]
            let neither = !$both;
            let rest = 10 - $sum;
            let is_most = match n {
                $most => true,
                _ => false,
            };
            let all = (neither, rest, is_most);
            all
        }
    };
}

functions!(plain, inner, 1 < 2 && 2 < 1, 3 - 1, -3, 0 | 2, &'static str);

fn main() {
    assert_eq!(plain(2), (true, 16, true, "x"));
    assert_eq!(inner(2), (true, 8, true));
}
