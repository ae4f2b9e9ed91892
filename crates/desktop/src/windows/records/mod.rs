//! What the system tells, as records, and what becomes of them: without a call, so that every platform compiles and tests it.

pub mod automation;
pub mod classes;
pub mod control;
pub mod element;
pub mod ids;
pub mod keys;
pub mod slots;
pub mod window_list;
