//! Loops of every kind, with labels, before the pivot.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, ids: Vec<u64>) -> Result<(), Refusal> {
    let mut found;
    'search: loop {
        for id in &ids {
            if *id == 0 {
                continue;
            }
            if *look(cx).await? {
                found = *id;
                break 'search;
            }
        }
        while !*look(cx).await? {
            sleep(cx, seconds(1)).await;
        }
        if ids.is_empty() {
            return Err(Refusal::No);
        }
    }
    publish(cx, found).await?;
    while let Ok(more) = announce(cx).await {
        drop(more);
        if found > 3 {
            break;
        }
        found += 1;
    }
    Ok(())
}

fn main() {}
