// A step or a saga may have any name, also one that generated code might like for itself.

use saga_tests::prelude::*;

#[step(read_only, idempotent)]
pub async fn act(_cx: &StepCx<Gateway>, reader: u64) -> Result<u64, Refused> {
    Ok(reader)
}

#[step(compensable(undo = made), idempotent)]
pub async fn reader(_cx: &StepCx<Gateway>, act: &u64, input1: u64) -> Result<u64, Refused> {
    Ok(*act + input1)
}

pub async fn made(_cx: &StepCx<Gateway>, _act: &u64, _input1: u64, _made: Option<&u64>) -> Result<(), Refused> {
    Ok(())
}

#[step(read_only, idempotent)]
pub async fn cx(_cx: &StepCx<Gateway>, saga: u64, inputs: u64) -> Result<u64, Refused> {
    Ok(saga + inputs)
}

#[step(read_only, idempotent)]
pub async fn input0(_cx: &StepCx<Gateway>, inputs: u64) -> Result<u64, Refused> {
    Ok(inputs)
}

#[saga(version = 1, owner = "me")]
pub async fn inputs(saga: &mut Saga, table: u64) -> Result<u64, Refusal> {
    let one = act(saga, table).await?;
    let two = reader(saga, &one, 2).await?;
    let three = cx(saga, *two, 3).await?;
    Ok(input0(saga, *three).await?.into_inner())
}

#[saga(version = 1, owner = "me")]
pub async fn saga(cx: &mut Saga, reader: u64) -> Result<u64, Refusal> {
    Ok(act(cx, reader).await?.into_inner())
}

fn main() {}
