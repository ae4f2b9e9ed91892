//! What windows show: trees as records, their names, what was read of them; and single elements looked at closely.

pub(crate) mod ancestry;
pub(crate) mod app_cache;
pub(crate) mod capture_cache;
pub(crate) mod cells;
pub(crate) mod clipping;
pub(crate) mod content_names;
pub(crate) mod doubted_cells;
pub(crate) mod drop_downs;
pub(crate) mod frames;
pub(crate) mod hidden_pages;
pub(crate) mod hit_test;
pub(crate) mod labels;
pub(crate) mod menu_bars;
pub(crate) mod names;
pub(crate) mod overlaps;
pub(crate) mod popovers;
pub(crate) mod probe;
pub(crate) mod reach;
pub(crate) mod reading;
pub(crate) mod screen_place;
pub(crate) mod scrollbars;
pub(crate) mod sorted_tables;
pub(crate) mod spreadsheet;
pub(crate) mod tree;
pub(crate) mod window_group;
pub(crate) mod window_tree;
