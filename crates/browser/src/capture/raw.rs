//! One document as it was looked at, by either capture.

use handeye_scene::{Extra, NodeKind, Rect};

/// A document as it was found.
#[derive(Debug, Clone)]
pub(crate) struct Look {
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Pixels of the device to one CSS pixel.
    pub(crate) scale: f64,
    pub(crate) hosts: Vec<u32>,
    pub(crate) rows_left: bool,
    pub(crate) nodes: Vec<Row>,
}

/// One node of it.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The element's number; 0 for text.
    pub(crate) n: u32,
    /// Its place among the nodes before.
    pub(crate) parent: Option<usize>,
    pub(crate) kind: NodeKind,
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) value: Option<String>,
    pub(crate) states: u32,
    pub(crate) rect: Rect,
    /// In a box: most have none, and there may be thousands.
    pub(crate) extra: Option<Box<Extra>>,
}
