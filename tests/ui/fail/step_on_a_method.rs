use saga_tests::prelude::*;

pub struct Bank;

impl Bank {
    #[step(irreversible, idempotent)]
    pub async fn pay(&self, _cx: &StepCx<Gateway>) -> Result<(), Refused> {
        Ok(())
    }
}

fn main() {}
