use saga_tests::prelude::*;

#[derive(Serialize, Deserialize, Signal)]
#[signal(name = "")]
pub struct Paid;

fn main() {}
