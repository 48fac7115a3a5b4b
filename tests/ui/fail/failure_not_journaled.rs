use saga_tests::prelude::*;

#[derive(Debug, thiserror::Error, Failure)]
#[error("busy")]
#[failure(transient)]
pub struct Busy;

fn main() {}
