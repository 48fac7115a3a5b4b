use saga_tests::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("busy")]
#[failure(temporary)]
pub struct Busy;

fn main() {}
