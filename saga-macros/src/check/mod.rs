//! The third pass: what may not be declared. Decides the rules that syntax alone can tell; order is decided by the compiler.

pub(crate) mod forbidden;
mod saga;
mod step;

pub(crate) use saga::check as check_saga;
pub(crate) use step::check as check_step;
