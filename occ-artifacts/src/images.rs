//! The list of kernels that a reader fills, within its budget.

use crate::budget::Budget;
use crate::error::Error;
use crate::image::KernelImage;
use std::collections::HashSet;
use std::sync::Arc;

/// Kernels found so far.
pub(crate) struct Images<'b> {
    list: Vec<KernelImage>,
    /// The names found so far, each allocated once; `None` in a partial list, whose names are shared when it is appended.
    names: Option<HashSet<Arc<str>>>,
    budget: &'b Budget,
    selection: Selection,
}

/// The entries of a fatbin that are read.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Selection {
    All,
    MachineCode,
}

impl<'b> Images<'b> {
    pub(crate) fn new(budget: &'b Budget, selection: Selection) -> Self {
        // Without containers a file has few kernels, and hashing is slow in unoptimised builds, such as those of macros.
        let names = cfg!(feature = "containers").then(HashSet::new);
        Images { list: Vec::new(), names, budget, selection }
    }

    /// Creates a list that will be appended to another one.
    #[cfg(feature = "containers")]
    pub(crate) fn part(budget: &'b Budget, selection: Selection) -> Self {
        Images { names: None, ..Images::new(budget, selection) }
    }

    /// Adds a kernel. The budget counts its name even if another kernel shares it.
    pub(crate) fn push(&mut self, image: KernelImage) -> Result<(), Error> {
        // A vector holds up to twice its length, three times while it grows. `NAME` is for the reference counts and the set.
        const NAME: u64 = 64;
        let bytes = 3 * size_of::<KernelImage>() as u64 + NAME + image.name.len() as u64;
        self.budget.take(bytes, image.origin.offset, "the list of kernels")?;
        self.add(image);
        Ok(())
    }

    /// Adds a kernel whose name is shared with the kernels of the same name: most are compiled for several targets.
    fn add(&mut self, mut image: KernelImage) {
        if let Some(names) = &mut self.names {
            match names.get(&image.name) {
                Some(known) => image.name = known.clone(),
                None => drop(names.insert(image.name.clone())),
            }
        }
        self.list.push(image);
    }

    /// Adds kernels that the budget has counted already.
    #[cfg(feature = "containers")]
    pub(crate) fn append(&mut self, list: Vec<KernelImage>) {
        for image in list {
            self.add(image);
        }
    }

    /// Removes all but the first `count` kernels.
    #[cfg(feature = "containers")]
    pub(crate) fn truncate(&mut self, count: usize) {
        self.list.truncate(count);
    }

    #[cfg(feature = "containers")]
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn selection(&self) -> Selection {
        self.selection
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
