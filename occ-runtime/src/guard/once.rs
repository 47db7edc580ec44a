//! A check that is made once, however many threads ask for it at the same time.

#[cfg(loom)]
use loom::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};
#[cfg(not(loom))]
use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

use std::sync::PoisonError;

/// A verdict, and what it is tied to: a number that is asked for again, and must be the same for the verdict to hold.
///
/// Once it has passed, asking takes one atomic load and no lock.
pub(crate) struct Once<E> {
    /// The number that passed, and 1; 0 while none has.
    passed: AtomicU64,
    /// Held by the thread that checks; the number that was refused, and why.
    refused: Mutex<Option<(u32, E)>>,
}

/// What a check came to.
pub(crate) enum Outcome<E> {
    /// It passes, for as long as the number is this.
    Passed(u32),
    /// It is refused, for as long as the number is this.
    Refused(u32, E),
    /// There is no verdict: the next one checks again.
    Failed(E),
}

impl<E: Clone> Once<E> {
    pub(crate) fn new() -> Self {
        Once { passed: AtomicU64::new(0), refused: Mutex::new(None) }
    }

    /// The number that passed.
    pub(crate) fn number(&self) -> Option<u32> {
        self.passed.load(Ordering::Acquire).checked_sub(1).map(|number| number as u32)
    }

    /// The verdict: that of `check`, which runs if nobody has checked yet, or if `ask` gives another number than the
    /// one the verdict is tied to.
    pub(crate) fn run(&self, ask: impl Fn() -> Result<u32, E>, check: impl FnOnce() -> Outcome<E>) -> Result<(), E> {
        if self.holds(&ask)? {
            return Ok(());
        }
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have checked while this one waited.
        if self.holds(&ask)? {
            return Ok(());
        }
        if let Some((number, error)) = &*refused
            && ask()? == *number
        {
            return Err(error.clone());
        }
        *refused = None;
        self.passed.store(0, Ordering::Release);
        match check() {
            Outcome::Passed(number) => {
                self.passed.store(u64::from(number) + 1, Ordering::Release);
                Ok(())
            }
            Outcome::Refused(number, error) => {
                *refused = Some((number, error.clone()));
                Err(error)
            }
            Outcome::Failed(error) => Err(error),
        }
    }

    fn holds(&self, ask: &impl Fn() -> Result<u32, E>) -> Result<bool, E> {
        match self.passed.load(Ordering::Acquire) {
            0 => Ok(false),
            passed => Ok(u64::from(ask()?) + 1 == passed),
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;
    use loom::thread;

    /// In every order in which three threads can run, one checks, and all of them see what came of it.
    #[test]
    fn one_of_many_checks() {
        for passes in [true, false] {
            loom::model(move || {
                let once = Arc::new(Once::new());
                let checks = Arc::new(AtomicUsize::new(0));
                let race = {
                    let (once, checks) = (once.clone(), checks.clone());
                    move || {
                        let verdict = once.run(
                            || Ok(4),
                            || {
                                checks.fetch_add(1, Ordering::Relaxed);
                                if passes { Outcome::Passed(4) } else { Outcome::Refused(4, "refused") }
                            },
                        );
                        assert_eq!(verdict.is_ok(), passes);
                    }
                };
                let others = [thread::spawn(race.clone()), thread::spawn(race.clone())];
                race();
                for other in others {
                    other.join().unwrap();
                }
                assert_eq!(checks.load(Ordering::Relaxed), 1);
            });
        }
    }

    /// A function that is replaced while threads launch it: whoever sees the new number has it checked first.
    #[test]
    fn no_stale_verdict() {
        loom::model(|| {
            let once = Arc::new(Once::new());
            let number = Arc::new(AtomicUsize::new(8));
            let checked = Arc::new(AtomicUsize::new(0));
            let launch = {
                let (once, number, checked) = (once.clone(), number.clone(), checked.clone());
                move || {
                    let asked = || Ok::<_, ()>(number.load(Ordering::SeqCst) as u32);
                    once.run(asked, || {
                        let number = number.load(Ordering::SeqCst);
                        checked.fetch_add(number, Ordering::SeqCst);
                        Outcome::Passed(number as u32)
                    })
                }
            };
            launch().unwrap();
            let other = thread::spawn({
                let (number, launch) = (number.clone(), launch.clone());
                move || {
                    number.store(2, Ordering::SeqCst);
                    launch().unwrap();
                }
            });
            launch().unwrap();
            other.join().unwrap();
            // The first once, the second once: no more, and none left out.
            assert_eq!(checked.load(Ordering::SeqCst), 8 + 2);
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_verdict_holds_while_its_number_does() {
        let once = Once::new();
        let checks = Cell::new(0);
        let run = |number: u32, outcome: fn(u32) -> Outcome<&'static str>| {
            once.run(
                || Ok(number),
                || {
                    checks.set(checks.get() + 1);
                    outcome(number)
                },
            )
        };
        assert_eq!(run(4, Outcome::Passed), Ok(()));
        assert_eq!(run(4, |_| Outcome::Failed("not asked")), Ok(()));
        assert_eq!(checks.get(), 1);
        assert_eq!(run(2, |number| Outcome::Refused(number, "too few")), Err("too few"));
        assert_eq!(run(2, Outcome::Passed), Err("too few"));
        assert_eq!(checks.get(), 2);
        assert_eq!(run(4, |_| Outcome::Failed("the driver failed")), Err("the driver failed"));
        assert_eq!(run(4, Outcome::Passed), Ok(()), "a failure is no verdict");
        assert_eq!(checks.get(), 4);
    }
}
