//! Macros that everybody uses hide nothing, also in loops and behind the pivot; unknown ones are fine where no rule depends on them.

use saga_tests::prelude::*;

macro_rules! doubled {
    ($value:expr) => {
        $value * 2
    };
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, ids: Vec<u64>) -> Result<String, Refusal> {
    assert!(!ids.is_empty(), "none");
    for id in &ids {
        let twice = doubled!(*id);
        tracing::info!(id, ?ids, twice = %twice, "looks at {}", id);
        let found = look(cx).await.map(|found| *found);
        if !matches!(found, Ok(true)) {
            continue;
        }
    }
    reserve(cx, vec![1, 2].len() as u64).await?;
    publish_any(cx).await?;
    loop {
        println!("{:?}", dbg!(&ids));
        debug_assert_eq!(ids.len(), ids.len());
        tracing::debug!(count = ?ids.len());
        if announce(cx).await.is_ok() {
            break;
        }
    }
    Ok(format!("{ids:?}"))
}

fn main() {}
