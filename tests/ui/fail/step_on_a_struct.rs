use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub struct Pay;

fn main() {}
