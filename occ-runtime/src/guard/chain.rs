//! A list that only grows: reading it takes no lock, and what was found stays where it is.

use std::boxed::Box;
use std::sync::OnceLock;

pub(super) struct Chain<T> {
    first: OnceLock<Box<Link<T>>>,
}

struct Link<T> {
    value: T,
    next: Chain<T>,
}

impl<T> Chain<T> {
    pub(super) const fn new() -> Self {
        Chain { first: OnceLock::new() }
    }

    pub(super) fn find(&self, is: impl Fn(&T) -> bool) -> Option<&T> {
        let mut at = self;
        while let Some(link) = at.first.get() {
            if is(&link.value) {
                return Some(&link.value);
            }
            at = &link.next;
        }
        None
    }

    /// What is found, or else `value`, which two threads never add both.
    pub(super) fn find_or_add(&self, is: impl Fn(&T) -> bool, value: T) -> &T {
        let mut value = Some(value);
        let mut at = self;
        loop {
            let link = at.first.get_or_init(|| {
                let value = value.take().expect("a value is added once, and then found");
                Box::new(Link { value, next: Chain::new() })
            });
            if value.is_none() || is(&link.value) {
                return &link.value;
            }
            at = &link.next;
        }
    }
}

impl<T> Drop for Chain<T> {
    /// Link by link: a long list must not take a long stack.
    fn drop(&mut self) {
        let mut next = self.first.take();
        while let Some(mut link) = next {
            next = link.next.first.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::vec::Vec;

    #[test]
    fn each_is_added_once() {
        let (most, threads) = if cfg!(miri) { (20, 3) } else { (1_000, 8) };
        let chain = Chain::new();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for number in 0..most {
                        assert_eq!(*chain.find_or_add(|other| *other == number, number), number);
                    }
                });
            }
        });
        let all = RefCell::new(Vec::new());
        chain.find(|number| {
            all.borrow_mut().push(*number);
            false
        });
        let mut all = all.into_inner();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..most));
    }

    #[test]
    fn a_long_list_takes_no_long_stack() {
        let chain = Chain::new();
        let mut at = &chain;
        for number in 0..if cfg!(miri) { 100 } else { 1_000_000 } {
            at = &at.first.get_or_init(|| Box::new(Link { value: number, next: Chain::new() })).next;
        }
    }
}
