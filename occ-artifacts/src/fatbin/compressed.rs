//! Entries of all kinds, on all cores where there is much to decompress.

use super::entry::{Entry, Kind, Section, entries};
use crate::budget::Budget;
use crate::compression::Decompressor;
use crate::error::{Error, Problem};
use crate::image::KernelImage;
use crate::images::{Images, Wanted};
use crate::origin::Origin;
use crate::parallel;
use std::thread;

/// Adds the kernels of all containers. Returns whether there is link-time code too.
pub(crate) fn read(sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let budget = images.budget();
    let (state, count) = (budget.state(), images.count());
    let workers = workers(sections, budget, images.wanted());
    if workers == 1 {
        return read_in_turn(sections, images);
    }
    match read_with(workers, sections, images) {
        // Threads hold more at once: whether that is too much must not depend on how they ran.
        Err(Error { problem: Problem::TooLarge { .. }, .. }) => {
            images.truncate(count);
            budget.restore(state);
            read_in_turn(sections, images)
        }
        result => result,
    }
}

fn read_in_turn(sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let decompressor = &mut Decompressor::new(images.budget());
    let mut has_link_time_code = false;
    for (entry, place) in all_entries(sections) {
        let entry = entry?;
        has_link_time_code |= entry.kind == Kind::LinkTimeCode;
        if entry.is_wanted(images.wanted()) {
            entry.read(entry.content(decompressor)?, place, images)?;
        }
    }
    Ok(has_link_time_code)
}

fn read_with(workers: usize, sections: &[Section<'_>], images: &mut Images<'_>) -> Result<bool, Error> {
    let (budget, wanted) = (images.budget(), images.wanted());
    let work = |decompressor: &mut Decompressor<'_>, (entry, place): (Result<Entry<'_>, Error>, &Origin)| {
        let entry = entry?;
        let mut images = Images::part(budget, wanted);
        if entry.is_wanted(wanted) {
            entry.read(entry.content(decompressor)?, place, &mut images)?;
        }
        // It may have to wait for the entries before.
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

/// How many threads shall read: one, unless there is much to decompress, and room for it.
fn workers(sections: &[Section<'_>], budget: &Budget, wanted: Wanted) -> usize {
    const MUCH: u64 = 1 << 20;
    let sizes = || {
        all_entries(sections)
            .filter_map(|(entry, _)| entry.ok())
            .filter(|entry| entry.is_wanted(wanted) && entry.compression.is_some())
            .map(|entry| entry.uncompressed_size)
    };
    let all = sizes().fold(0, u64::saturating_add);
    let largest = sizes().max().unwrap_or(0);
    if all < MUCH {
        return 1;
    }
    let room = usize::try_from(budget.left() / 2 / largest).unwrap_or(usize::MAX);
    thread::available_parallelism().map_or(1, usize::from).min(room).max(1)
}

fn all_entries<'s, 'a>(sections: &'s [Section<'a>]) -> impl Iterator<Item = (Result<Entry<'a>, Error>, &'s Origin)> {
    sections.iter().flat_map(|section| entries(section.bytes).map(|entry| (entry, &section.place)))
}
