//! The list of kernels that reading fills, within the memory it may take.

use crate::budget::Budget;
use crate::error::Error;
use crate::image::KernelImage;
use std::collections::HashSet;
use std::sync::Arc;

/// Kernels found so far.
pub(crate) struct Images<'b> {
    list: Vec<KernelImage>,
    /// Names so far; `None` in a part of a list, whose names are looked at when it is appended.
    names: Option<HashSet<Arc<str>>>,
    budget: &'b Budget,
    wanted: Wanted,
}

/// What of a fatbin is read.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Wanted {
    All,
    MachineCode,
}

impl<'b> Images<'b> {
    pub(crate) fn new(budget: &'b Budget, wanted: Wanted) -> Self {
        // Without containers a file has few kernels, and hashing takes long where nothing is optimised, as in macros.
        let names = cfg!(feature = "containers").then(HashSet::new);
        Images { list: Vec::new(), names, budget, wanted }
    }

    /// A list to be appended to another one.
    #[cfg(feature = "containers")]
    pub(crate) fn part(budget: &'b Budget, wanted: Wanted) -> Self {
        Images { names: None, ..Images::new(budget, wanted) }
    }

    /// Adds a kernel, whose name is counted as if it were its own.
    pub(crate) fn push(&mut self, image: KernelImage) -> Result<(), Error> {
        // A growing list holds up to twice what is in it, and while it moves three times; a name has its counts and its
        // place in the set.
        const NAME: u64 = 64;
        let bytes = 3 * size_of::<KernelImage>() as u64 + NAME + image.name.len() as u64;
        self.budget.take(bytes, image.origin.offset, "the list of kernels")?;
        self.add(image);
        Ok(())
    }

    /// Adds a kernel with its name once in memory, however many have it: most kernels are there for several targets.
    fn add(&mut self, mut image: KernelImage) {
        if let Some(names) = &mut self.names {
            match names.get(&image.name) {
                Some(known) => image.name = known.clone(),
                None => drop(names.insert(image.name.clone())),
            }
        }
        self.list.push(image);
    }

    /// Adds kernels that were counted already.
    #[cfg(feature = "containers")]
    pub(crate) fn append(&mut self, list: Vec<KernelImage>) {
        for image in list {
            self.add(image);
        }
    }

    /// Takes back all but the first kernels.
    #[cfg(feature = "containers")]
    pub(crate) fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }

    #[cfg(feature = "containers")]
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn wanted(&self) -> Wanted {
        self.wanted
    }

    pub(crate) fn budget(&self) -> &'b Budget {
        self.budget
    }

    #[cfg(not(feature = "containers"))]
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn into_list(self) -> Vec<KernelImage> {
        self.list
    }
}
