//! Work on all cores whose results come out in the order of its items.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Has `workers` threads, this one among them, do `work` on the items, and delivers each result in the order of the
/// items. `tools` makes what a thread uses for one item after another.
///
/// # Errors
///
/// The first that `deliver` gives, after which nothing is delivered.
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
            // The lock is let go before the work begins.
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
            // Without this thread the others have more to do.
            drop(thread::Builder::new().spawn_scoped(scope, worker));
        }
        worker();
    });
    outbox.into_inner().unwrap_or_else(PoisonError::into_inner).outcome
}

/// Results on their way out.
struct Outbox<R, D, E> {
    /// Which result is delivered next.
    next: usize,
    /// Results that wait for earlier ones.
    early: BTreeMap<usize, R>,
    deliver: D,
    outcome: Result<(), E>,
}

impl<R, D: FnMut(R) -> Result<(), E>, E> Outbox<R, D, E> {
    /// Takes a result. Returns whether more are wanted.
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
    use std::time::Duration;

    /// Items whose work takes the longer the earlier they come.
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
}
