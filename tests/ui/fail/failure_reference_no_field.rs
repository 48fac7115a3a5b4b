use saga_tests::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("lost {id}")]
#[failure(unknown, reference = payment)]
pub struct Lost {
    pub id: String,
}

fn main() {}
