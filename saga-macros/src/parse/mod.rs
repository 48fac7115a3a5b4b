//! The first pass: from tokens to syntax. Decides what can be read; knows no rule about what may be combined.

pub(crate) mod duration;
mod item;
mod properties;

pub(crate) use item::FunctionItem;
pub(crate) use properties::{Settings, read};
