//! Steps that have the names of macros, and bodies that use these macros.

use saga_tests::prelude::*;

mod steps {
    use super::*;

    #[step(read_only, idempotent)]
    pub async fn log(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
        Ok(())
    }
}
use steps::*;

macro_rules! log {
    ($value:expr) => {
        println!("{}", $value)
    };
}

#[step(read_only, idempotent)]
pub async fn print(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

#[step(read_only, idempotent)]
pub async fn r#match(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    print(cx).await?;
    log(cx).await?;
    r#match(cx).await?;
    print!("{}", 1);
    log!(2);
    Ok(())
}

fn main() {}
