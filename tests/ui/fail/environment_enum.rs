use saga_tests::prelude::*;

#[derive(Environment)]
pub enum All {
    First(Gateway),
}

fn main() {}
