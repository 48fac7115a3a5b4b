use saga_tests::prelude::*;

#[derive(Signal)]
pub struct Paid;

fn main() {}
