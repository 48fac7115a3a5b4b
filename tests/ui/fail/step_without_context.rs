use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_amount: u64) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
