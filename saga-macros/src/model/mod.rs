//! The second pass: from syntax to what the user meant. Decides what the flow of a body is; only what cannot be read is
//! reported here, all other rules are checked later.

mod bindings;
mod body;
mod conditional;
mod control;
mod ends;
mod graph;
mod jumps;
mod macros;
mod parameters;
mod patterns;
mod placed;
mod saga;
mod sites;
mod step;
mod values;

#[cfg(test)]
pub(crate) use graph::GraphEdge;
pub(crate) use graph::{Graph, Kind, On, Returned, Site};
pub(crate) use parameters::{Borrowed, Evidence, Parameter, Passed};
pub(crate) use saga::SagaModel;
pub(crate) use step::{StepModel, krate_span, path_inside};
