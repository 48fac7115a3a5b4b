use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<Found, Refusal> {
    Ok(Found {
        #[cfg(unix)]
        found: look(cx).await?.into_inner(),
    })
}

#[derive(Serialize, Deserialize)]
pub struct Found {
    #[cfg(unix)]
    found: bool,
}

fn main() {}
