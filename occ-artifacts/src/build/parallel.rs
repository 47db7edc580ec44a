//! Work on several things at once.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{env, thread};

/// How many compilers may run at once.
pub(crate) fn jobs() -> usize {
    let given = env::var("NUM_JOBS").ok().and_then(|number| number.parse().ok());
    given.filter(|&number| number > 0).unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Does the work for each item. What was begun is finished after a failure, nothing more is begun, and the failure of the
/// first item that failed is returned.
pub(crate) fn each<T, R, E>(items: &[T], jobs: usize, work: impl Fn(&T) -> Result<R, E> + Sync) -> Result<Vec<R>, E>
where
    T: Sync,
    R: Send,
    E: Send,
{
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let worker = || {
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                break;
            };
            let result = work(item);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.push((at, result));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.min(items.len())).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.collect::<Vec<_>>()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        let doubled: Result<Vec<u32>, ()> = each(&items, 7, |item| Ok(item * 2));
        assert_eq!(doubled, Ok((0..100).map(|item| item * 2).collect()));
        assert_eq!(each::<u32, u32, ()>(&[], 7, |_| Err(())), Ok(Vec::new()));
    }

    #[test]
    fn no_more_run_at_once_than_may() {
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let _: Result<Vec<()>, ()> = each(&[(); 20], 3, |()| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(std::time::Duration::from_millis(5));
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        });
        assert!((2..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    }

    #[test]
    fn nothing_is_begun_after_a_failure() {
        let begun = AtomicUsize::new(0);
        let items: Vec<usize> = (0..100).collect();
        let result: Result<Vec<()>, usize> = each(&items, 1, |&item| {
            begun.fetch_add(1, Ordering::Relaxed);
            if item >= 3 { Err(item) } else { Ok(()) }
        });
        assert_eq!((result, begun.into_inner()), (Err(3), 4));
    }
}
