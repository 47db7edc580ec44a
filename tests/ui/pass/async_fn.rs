#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", block = 256, registers = 40)]
async fn literal(x: &u32) -> u32 {
    *x
}

#[launch_config(arch = "sm_80", block = BLOCK, registers = 40)]
async fn constant(x: &u32) -> u32 {
    literal(x).await + 1
}

fn main() {
    let future = pin!(constant(&1));
    assert_eq!(future.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(2));
}
