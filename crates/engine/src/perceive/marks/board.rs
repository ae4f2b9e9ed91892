//! What stands where in a picture: targets, labels and lines, found by place.

use handeye_scene::{Point, Rect};

/// Least side of a cell, and most cells along a side.
const CELL: f64 = 64.0;
const CELLS: f64 = 64.0;

/// Rectangles by place.
#[derive(Debug)]
pub(super) struct Grid {
    cell: f64,
    columns: usize,
    rows: usize,
    cells: Vec<Vec<usize>>,
    rects: Vec<Rect>,
}

impl Grid {
    /// For a picture of this size.
    pub(super) fn new((width, height): (f64, f64)) -> Self {
        let cell = CELL.max(width.max(height) / CELLS);
        let count = |side: f64| (side / cell) as usize + 1;
        let (columns, rows) = (count(width), count(height));
        Self { cell, columns, rows, cells: vec![Vec::new(); columns * rows], rects: Vec::new() }
    }

    pub(super) fn put(&mut self, rect: Rect) {
        for at in self.around(&rect) {
            self.cells[at].push(self.rects.len());
        }
        self.rects.push(rect);
    }

    /// The rectangles that share an area with one, by number; some more than once.
    pub(super) fn meeting(&self, rect: Rect) -> impl Iterator<Item = usize> {
        let here = self.around(&rect).flat_map(|at| self.cells[at].iter().copied());
        here.filter(move |number| self.rects[*number].intersects(&rect))
    }

    pub(super) fn is_free(&self, rect: &Rect) -> bool {
        self.meeting(*rect).next().is_none()
    }

    /// The cells that a rectangle reaches into.
    fn around(&self, rect: &Rect) -> impl Iterator<Item = usize> + use<> {
        let side = |from: f64, to: f64, count: usize| {
            let at = |place: f64| ((place / self.cell).max(0.0) as usize).min(count - 1);
            at(from)..=at(to)
        };
        let columns = side(rect.x, rect.x + rect.width, self.columns);
        let rows = side(rect.y, rect.y + rect.height, self.rows);
        let wide = self.columns;
        rows.flat_map(move |row| columns.clone().map(move |column| row * wide + column))
    }
}

/// Small rectangles along a line, outside of what it begins in.
pub(super) fn steps((from, to): (Point, Point), outside: Rect) -> impl Iterator<Item = Rect> {
    /// Side of a step.
    const STEP: f64 = 2.0;
    let length = (to.x - from.x).hypot(to.y - from.y);
    let count = (length / STEP).ceil().max(1.0);
    (0..=count as u32).filter_map(move |step| {
        let part = f64::from(step) / count;
        let (x, y) = (from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
        let step = Rect::new(x - STEP / 2.0, y - STEP / 2.0, STEP, STEP);
        (!outside.intersects(&step)).then_some(step)
    })
}
