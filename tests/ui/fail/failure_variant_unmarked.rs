use saga_tests::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum Oops {
    #[failure(transient)]
    #[error("busy")]
    Busy,
    #[error("gone")]
    Gone,
}

fn main() {}
