//! The last pass: from what the user meant to code. Decides the shape of the expansion; reports nothing.

mod broken;
mod inputs;
mod saga;
mod step;

pub(crate) use saga::expand as expand_saga;
pub(crate) use step::expand as expand_step;
