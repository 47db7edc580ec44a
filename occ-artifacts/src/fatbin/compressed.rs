//! Reads entries of all kinds, on all cores if much has to be decompressed.

use super::entry::{Entry, Kind, Section, entries};
use crate::budget::Budget;
use crate::compression::Decompressor;
use crate::error::{Error, Problem};
use crate::image::KernelImage;
use crate::images::{Images, Selection};
use crate::origin::Origin;
use crate::parallel;
use std::thread;

/// Adds the kernels of all containers. Returns whether a container holds link-time code.
pub(crate) fn read(sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let budget = images.budget();
    let (state, count) = (budget.state(), images.count());
    let workers = workers(sections, budget, images.selection());
    if workers == 1 {
        return read_sequentially(sections, images);
    }
    match read_in_parallel(workers, sections, images) {
        // Several threads need more memory at once. Whether the file is too large must not depend on how they were scheduled.
        Err(Error { problem: Problem::TooLarge { .. }, .. }) => {
            images.truncate(count);
            budget.restore(state);
            read_sequentially(sections, images)
        }
        result => result,
    }
}

fn read_sequentially(sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let decompressor = &mut Decompressor::new(images.budget());
    let mut has_link_time_code = false;
    for (entry, origin) in all_entries(sections) {
        let entry = entry?;
        has_link_time_code |= entry.kind == Kind::LinkTimeCode;
        if entry.is_selected(images.selection()) {
            entry.read(entry.content(decompressor)?, origin, images)?;
        }
    }
    Ok(has_link_time_code)
}

fn read_in_parallel(workers: usize, sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let (budget, selection) = (images.budget(), images.selection());
    let work = |decompressor: &mut Decompressor<'_>, (entry, origin): (Result<Entry<'_>, Error>, &Origin)| {
        let entry = entry?;
        let mut images = Images::part(budget, selection);
        if entry.is_selected(selection) {
            entry.read(entry.content(decompressor)?, origin, &mut images)?;
        }
        // The list may have to wait for those of earlier entries.
        let mut list = images.into_list();
        list.shrink_to_fit();
        Ok((entry.kind, list))
    };
    let mut has_link_time_code = false;
    let deliver = |result: Result<(Kind, Vec<KernelImage>), Error>| {
        let (kind, list) = result?;
        has_link_time_code |= kind == Kind::LinkTimeCode;
        images.append(list);
        Ok(())
    };
    parallel::in_order(workers, all_entries(sections), || Decompressor::new(budget), work, deliver)?;
    Ok(has_link_time_code)
}

/// Returns the number of threads: one, unless there is much to decompress and enough memory.
fn workers(sections: &[Section<'_>], budget: &Budget, selection: Selection) -> usize {
    const MIN_PARALLEL: u64 = 1 << 20;
    let sizes = || {
        all_entries(sections)
            .filter_map(|(entry, _)| entry.ok())
            .filter(|entry| entry.is_selected(selection) && entry.compression.is_some())
            .map(|entry| entry.uncompressed_size)
    };
    let total = sizes().fold(0, u64::saturating_add);
    let largest = sizes().max().unwrap_or(0);
    if total < MIN_PARALLEL {
        return 1;
    }
    let max_workers = usize::try_from(budget.left() / 2 / largest).unwrap_or(usize::MAX);
    thread::available_parallelism().map_or(1, usize::from).min(max_workers).max(1)
}

fn all_entries<'s, 'a>(sections: &'s [Section<'a>]) -> impl Iterator<Item = (Result<Entry<'a>, Error>, &'s Origin)> {
    sections.iter().flat_map(|section| entries(section.bytes).map(|entry| (entry, &section.origin)))
}
