//! What a requirement misses of an answer that came from elsewhere, such as a driver.

use super::numbers::{above, below};
use crate::requirement::Requirement;
use crate::text::Text;

impl Requirement {
    /// The first requirement on occupancy that so many blocks per SM miss, with both numbers; empty if they miss none.
    ///
    /// ```
    /// use occ_core::Requirement;
    ///
    /// let half = Requirement::new().min_occupancy(0.5);
    /// // 1 block of 8 warps, where 64 warps could be.
    /// assert_eq!(half.missed(1, 8, 64).as_str(), "occupancy 12.5% is below the required 50%");
    /// assert!(half.missed(4, 8, 64).is_empty());
    /// ```
    pub const fn missed(&self, blocks_per_sm: u32, warps_per_block: u32, max_warps_per_sm: u32) -> Text {
        let mut text = Text::new();
        let warps = blocks_per_sm.saturating_mul(warps_per_block);
        let most = if max_warps_per_sm == 0 { 1 } else { max_warps_per_sm };
        let reached = warps as f64 / most as f64;
        if let Some(required) = self.min_occupancy
            && reached < required
        {
            below(text.str("occupancy "), reached * 100.0, required * 100.0).str("% is below the required ");
            above(&mut text, required * 100.0).str("%");
        } else if let Some(required) = self.min_blocks_per_sm
            && blocks_per_sm < required
        {
            text.num(blocks_per_sm as u64).str(if blocks_per_sm == 1 { " block" } else { " blocks" });
            text.str(" per SM, ").num(required as u64).str(" required");
        } else if let Some(required) = self.min_warps_per_sm
            && warps < required
        {
            text.num(warps as u64).str(if warps == 1 { " warp" } else { " warps" });
            text.str(" per SM, ").num(required as u64).str(" required");
        }
        text
    }
}
