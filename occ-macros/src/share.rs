//! Which of a function's launches each of its `launch_config` attributes is for.

use crate::arguments::Arguments;
use crate::diagnostics::Diagnostics;
use crate::item::Item;
use crate::kernel_name::is_same_kernel;
use crate::keys::Key;
use crate::launch_site::{LaunchSite, Launches, axes_in_launch};

/// Returns the arguments of the `launch_config` attributes below the one that is expanded.
pub(crate) fn siblings(item: &Item) -> Vec<Arguments> {
    // Mistakes in them are reported when they are expanded.
    let mut ignored = Diagnostics::default();
    let siblings = item.siblings.iter().map(|tokens| Arguments::parse(tokens.clone(), &mut ignored)).collect();
    drop(ignored.into_errors());
    siblings
}

/// Keeps the launches of the kernel that an attribute names; if there are none, those of unknown kernels.
pub(crate) fn of_kernel(mut launches: Launches, arguments: &Arguments) -> Launches {
    if let Some(kernel) = arguments.kernel() {
        let is_of = |site: &LaunchSite| site.kernel.as_ref().is_some_and(|launched| is_same_kernel(&kernel, launched));
        let is_known = launches.sites.iter().any(is_of);
        launches.sites.retain(|site| if is_known { is_of(site) } else { site.kernel.is_none() });
    }
    launches
}

/// Returns whether an attribute can be for a launch: whether what both know agrees.
pub(crate) fn may_be_for(arguments: &Arguments, site: &LaunchSite) -> bool {
    let agree = |key: Key, launched: Option<[u32; 3]>| {
        let declared = arguments.get(key).and_then(|argument| axes_in_launch(&argument.value));
        declared.is_none() || launched.is_none() || declared == launched
    };
    let is_of_another = match (arguments.kernel(), &site.kernel) {
        (Some(declared), Some(launched)) => !is_same_kernel(&declared, launched),
        _ => false,
    };
    !is_of_another
        && agree(Key::Block, axes_in_launch(&site.block))
        && agree(Key::DynamicSmem, axes_in_launch(&site.dynamic_smem))
}

/// The launches of a function that one of its attributes is for.
pub(crate) struct Share<'a> {
    arguments: &'a Arguments,
    /// The kernels that the other attributes name.
    others: Vec<String>,
}

impl<'a> Share<'a> {
    /// Returns the share of the attribute with these arguments.
    pub(crate) fn of(arguments: &'a Arguments, item: &Item) -> Self {
        let below = siblings(item).iter().filter_map(Arguments::kernel).collect();
        Share { arguments, others: [arguments.kernels_above.clone(), below].concat() }
    }

    /// Returns whether the attribute is for a launch. One that names no kernel is not for a kernel that another names.
    pub(crate) fn includes(&self, site: &LaunchSite) -> bool {
        let is_named_by_another = self.arguments.kernel().is_none()
            && site
                .kernel
                .as_ref()
                .is_some_and(|launched| self.others.iter().any(|name| is_same_kernel(name, launched)));
        !is_named_by_another && may_be_for(self.arguments, site)
    }
}
