use saga_tests::prelude::*;

#[derive(Environment)]
pub struct All {
    pub first: Gateway,
    pub second: Gateway,
}

fn main() {}
