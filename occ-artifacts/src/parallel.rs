//! Runs work on several threads and delivers the results in the order of the items.

use std::collections::BTreeMap;
#[cfg(feature = "build")]
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Runs `work` on the items with `workers` threads, including the calling one, and delivers the results in the order of the
/// items. `tools` creates the state that a thread keeps between items.
///
/// # Errors
///
/// Returns the first error of `deliver`, after which nothing is delivered.
pub(crate) fn in_order<T, W, R: Send, E: Send>(
    workers: usize,
    items: impl Iterator<Item = T> + Send,
    tools: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, T) -> R + Sync,
    deliver: impl FnMut(R) -> Result<(), E> + Send,
) -> Result<(), E> {
    let items = Mutex::new(items.enumerate());
    let outbox = Mutex::new(Outbox { next: 0, early: BTreeMap::new(), deliver, outcome: Ok(()) });
    let worker = || {
        let mut tools = tools();
        loop {
            // A statement of its own, so that the lock is released before the work starts.
            let item = lock(&items).next();
            let Some((index, item)) = item else { break };
            let result = work(&mut tools, item);
            if !lock(&outbox).accept(index, result) {
                break;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..workers {
            // If a thread cannot be spawned, the others do its work.
            drop(thread::Builder::new().spawn_scoped(scope, worker));
        }
        worker();
    });
    outbox.into_inner().unwrap_or_else(PoisonError::into_inner).outcome
}

/// Runs `work` on each item with `workers` threads. After a failure, work in progress finishes and no more is started.
///
/// # Errors
///
/// Returns the error of the first item, in their order, that failed.
#[cfg(feature = "build")]
pub(crate) fn each<T: Sync, R: Send, E: Send>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let has_failed = AtomicBool::new(false);
    let items = items.iter().take_while(|_| !has_failed.load(Ordering::Relaxed));
    let work = |(): &mut (), item| {
        let result = work(item);
        has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
        result
    };
    let mut results = Vec::new();
    let deliver = |result: Result<R, E>| {
        results.push(result?);
        Ok(())
    };
    in_order(workers, items, || (), work, deliver)?;
    Ok(results)
}

/// The delivery of results in order.
struct Outbox<R, D, E> {
    /// The index of the next result to deliver.
    next: usize,
    /// Results that wait for an earlier one, by index.
    early: BTreeMap<usize, R>,
    deliver: D,
    outcome: Result<(), E>,
}

impl<R, D: FnMut(R) -> Result<(), E>, E> Outbox<R, D, E> {
    /// Accepts a result, and delivers all that are due. Returns whether to continue.
    fn accept(&mut self, index: usize, result: R) -> bool {
        self.early.insert(index, result);
        while self.outcome.is_ok()
            && let Some(result) = self.early.remove(&self.next)
        {
            self.outcome = (self.deliver)(result);
            self.next += 1;
        }
        self.outcome.is_ok()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "build")]
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    /// Squares 20 numbers; earlier items take longer.
    fn squares(workers: usize, deliver: impl FnMut(u64) -> Result<(), u64> + Send) -> Result<(), u64> {
        let work = |(): &mut (), item: u64| {
            thread::sleep(Duration::from_millis(20 - item));
            item * item
        };
        in_order(workers, 0..20, || (), work, deliver)
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for workers in [1, 2, 8] {
            let mut results = Vec::new();
            squares(workers, |result| {
                results.push(result);
                Ok(())
            })
            .unwrap();
            assert_eq!(results, (0..20).map(|item| item * item).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_error_is_the_same_for_any_number_of_workers() {
        for workers in [1, 2, 8] {
            let mut delivered = Vec::new();
            let outcome = squares(workers, |result| {
                delivered.push(result);
                if result >= 25 { Err(result) } else { Ok(()) }
            });
            assert_eq!(outcome, Err(25));
            assert_eq!(delivered, [0, 1, 4, 9, 16, 25]);
        }
    }

    #[cfg(feature = "build")]
    #[test]
    fn each_result_has_the_place_of_its_item() {
        let items: Vec<u32> = (0..100).collect();
        let doubled: Result<Vec<u32>, ()> = each(&items, 7, |item| Ok(item * 2));
        assert_eq!(doubled, Ok((0..100).map(|item| item * 2).collect()));
        assert_eq!(each::<u32, u32, ()>(&[], 7, |_| Err(())), Ok(Vec::new()));
    }

    #[cfg(feature = "build")]
    #[test]
    fn at_most_workers_run_at_once() {
        let (running, max_running) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let _: Result<Vec<()>, ()> = each(&[(); 20], 3, |()| {
            max_running.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(5));
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        });
        assert!((2..=3).contains(&max_running.load(Ordering::SeqCst)), "{max_running:?}");
    }

    #[cfg(feature = "build")]
    #[test]
    fn nothing_is_started_after_a_failure() {
        let started = AtomicUsize::new(0);
        let items: Vec<usize> = (0..100).collect();
        let result: Result<Vec<()>, usize> = each(&items, 1, |&item| {
            started.fetch_add(1, Ordering::Relaxed);
            if item >= 3 { Err(item) } else { Ok(()) }
        });
        assert_eq!((result, started.into_inner()), (Err(3), 4));
    }
}
