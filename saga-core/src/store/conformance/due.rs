//! When a run is due: after a release, and after something arrives.

use super::bench::{Bench, append, head_in, post, signal};
use crate::decide::State;
use crate::run::RunId;
use crate::store::{Append, Due, Poster, StoreError, Then, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a run is due when it was released for", released_for =>
        ["running length 2 fence 1 free due claims 0", "running length 2 fence 1 free due later claims 0",
         "running length 2 fence 1 free never due claims 0"];
    "a run is due at an instant that came from the store", at_instant =>
        ["nothing claimed", "claimed a fence 2"];
    "something that arrives makes a run due that nobody has", arrives =>
        ["waiting length 2 fence 1 free never due claims 0", "posted 1",
         "waiting length 2 fence 1 free due claims 0 inbox 1 signals 1", "claimed a fence 2"];
    "something that arrives leaves a lease alone", arrives_leased =>
        ["posted 1", "running length 1 fence 1 leased due later claims 1 inbox 1 signals 1", "nothing claimed"];
    "something that arrives brings a later time forward", arrives_early =>
        ["nothing claimed", "posted 1", "claimed a fence 2"];
    "a release with a signal that was not seen is due now", unseen =>
        ["appended", "waiting length 2 fence 1 free due claims 0 inbox 1 signals 1"];
    "a run does not spin on a signal that it has seen and does not want", seen =>
        ["appended", "waiting length 2 fence 1 free never due claims 0 inbox 1 signals 1", "posted 2", "claimed a fence 2"];
    "a release with a cancel that was not taken up is due now, even if it was seen", untaken_cancel =>
        ["appended", "running length 2 fence 1 free due claims 0 inbox 1 signals 0 cancel"];
    "a release that takes everything up is due as said", all_taken =>
        ["appended", "running length 2 fence 1 free never due claims 0 inbox 1 signals 0 cancel"];
    "an ended run is not due, whatever its inbox has", ended_with_inbox =>
        ["appended", "completed length 2 fence 1 free never due claims 0 inbox 2 signals 1 cancel", "nothing claimed"];
    "a run in review is not due until something arrives", in_review =>
        ["appended", "nothing claimed", "posted 1", "claimed a fence 2"];
}

fn released(run: RunId, due: Due) -> Append {
    Append { then: Then::Release(due), ..append(run, 1) }
}

async fn released_for(bench: &Bench) -> Lines {
    let mut lines = Vec::new();
    for (key, due) in [("a", Due::Now), ("b", Due::After(bench.ticks(1))), ("c", Due::Never)] {
        let run = bench.leased(key, "w1").await?;
        bench.write(Write::Append(released(run, due))).await?;
        lines.push(bench.head(run).await?);
    }
    Ok(lines)
}

async fn at_instant(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let at = bench.store.now().await?.plus(bench.ticks(2));
    bench.write(Write::Append(released(run, Due::At(at)))).await?;
    let early = bench.claimed("w1").await?;
    bench.pass(2).await;
    Ok(vec![early, bench.claimed("w1").await?])
}

async fn arrives(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    let before = bench.head(run).await?;
    let posted = bench.write(Write::Post(signal(run))).await?;
    Ok(vec![before, posted, bench.head(run).await?, bench.claimed("w1").await?])
}

async fn arrives_leased(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let posted = bench.write(Write::Post(signal(run))).await?;
    Ok(vec![posted, bench.head(run).await?, bench.claimed("w2").await?])
}

async fn arrives_early(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.write(Write::Append(released(run, Due::After(bench.ticks(90))))).await?;
    let early = bench.claimed("w1").await?;
    Ok(vec![early, bench.write(Write::Post(signal(run))).await?, bench.claimed("w1").await?])
}

/// A leased run with one item, released with `change`.
async fn with_item(
    bench: &Bench,
    kind: Poster,
    change: impl FnOnce(&mut Append),
) -> Result<(RunId, Vec<String>), StoreError> {
    let run = bench.leased("a", "w1").await?;
    bench.write(Write::Post(post(run, kind))).await?;
    let mut append = released(run, Due::Never);
    change(&mut append);
    let appended = bench.write(Write::Append(append)).await?;
    Ok((run, vec![appended, bench.head(run).await?]))
}

fn other_signal() -> Poster {
    Poster::Signal { name: "Other".to_owned() }
}

async fn unseen(bench: &Bench) -> Lines {
    Ok(with_item(bench, other_signal(), |append| append.head = head_in(State::Waiting)).await?.1)
}

async fn seen(bench: &Bench) -> Lines {
    let (run, mut lines) = with_item(bench, other_signal(), |append| {
        append.head = head_in(State::Waiting);
        append.inbox_seen = Some(1);
    })
    .await?;
    lines.extend([bench.write(Write::Post(signal(run))).await?, bench.claimed("w1").await?]);
    Ok(lines)
}

async fn untaken_cancel(bench: &Bench) -> Lines {
    Ok(with_item(bench, Poster::Cancel, |append| append.inbox_seen = Some(1)).await?.1)
}

async fn all_taken(bench: &Bench) -> Lines {
    Ok(with_item(bench, Poster::Cancel, |append| append.inbox_taken = vec![1]).await?.1)
}

async fn ended_with_inbox(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.commit(vec![Write::Post(signal(run)), Write::Post(post(run, Poster::Cancel))]).await?;
    let end = Append { head: head_in(State::Completed), ..released(run, Due::Now) };
    Ok(vec![bench.write(Write::Append(end)).await?, bench.head(run).await?, bench.claimed("w1").await?])
}

async fn in_review(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let rest = Append { head: head_in(State::Review), ..released(run, Due::Never) };
    let mut lines = vec![bench.write(Write::Append(rest)).await?, bench.claimed("w1").await?];
    lines.extend([bench.write(Write::Post(post(run, Poster::Cancel))).await?, bench.claimed("w1").await?]);
    Ok(lines)
}
