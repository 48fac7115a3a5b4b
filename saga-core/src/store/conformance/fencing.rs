//! Appends: only by who has the run, only to the journal that they were computed from.

use super::bench::{Bench, append, head_in, signal};
use crate::decide::State;
use crate::run::RunId;
use crate::store::{Append, Due, StoreError, Then, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "entries are appended in order by who has the run", in_order =>
        ["appended", "appended", "1 2 3", "running length 3 fence 1 leased due later claims 0"];
    "the same append twice is refused", twice => ["appended", "wrong length 1, found 2", "1 2"];
    "an append that would leave a gap is refused", gap => ["wrong length 3, found 1", "1"];
    "who lost the run to another worker can neither append nor release", taken_over =>
        ["claimed order-1 fence 2", "stale fence 1", "stale fence 1", "appended",
         "running length 2 fence 2 leased due later claims 0"];
    "a run that nobody has is not appended to", not_claimed => ["created", "stale fence 0", "stale fence 1"];
    "a run that was released is not appended to", released => ["appended", "stale fence 1"];
    "a fence or a length that was never given is stale", never_given =>
        ["stale fence 18446744073709551615", "wrong length 18446744073709551615, found 1"];
    "an append to a run that is not there is refused", unknown => ["no such run"];
    "an ended run takes no more entries, and says so first", ended => ["already completed", "already completed"];
    "a lease that has ended is good until somebody else claims", lease_over =>
        ["appended", "claimed order-1 fence 2", "stale fence 1"];
    "an append that has not seen the inbox is refused", inbox_moved =>
        ["posted 1", "inbox moved to 1", "appended", "appended"];
    "refusals come in the order fence, length, inbox", order_of_refusals =>
        ["stale fence 9", "wrong length 7, found 1", "inbox moved to 1"];
    "an end frees the run whatever is asked", end_frees =>
        ["appended", "cancelled length 2 fence 1 free never due claims 0", "nothing claimed"];
    "an append without entries only releases", without_entries =>
        ["appended", "running length 1 fence 1 free due claims 0", "unchanged true"];
    "an append carries the head", carries_head => ["appended", "step charge why waiting error none", "pivot true"];
}

async fn journal(bench: &Bench, run: RunId) -> Result<String, StoreError> {
    let entries = bench.store.journal(run, 0, 100).await?;
    Ok(entries.iter().map(|entry| entry.sequence.to_string()).collect::<Vec<_>>().join(" "))
}

async fn appends(bench: &Bench, appends: Vec<Append>) -> Lines {
    let mut lines = Vec::new();
    for append in appends {
        lines.push(bench.write(Write::Append(append)).await?);
    }
    Ok(lines)
}

async fn in_order(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    let mut lines = appends(bench, vec![append(run, 1), append(run, 2)]).await?;
    lines.extend([journal(bench, run).await?, bench.head(run).await?]);
    Ok(lines)
}

async fn twice(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    let mut lines = appends(bench, vec![append(run, 1), append(run, 1)]).await?;
    lines.push(journal(bench, run).await?);
    Ok(lines)
}

async fn gap(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    let mut lines = appends(bench, vec![append(run, 3)]).await?;
    lines.push(journal(bench, run).await?);
    Ok(lines)
}

async fn taken_over(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    bench.pass(5).await;
    let mut lines = vec![bench.claimed("w1").await?];
    let release = Append { entries: Vec::new(), then: Then::Release(Due::Now), ..append(run, 1) };
    let taken = Append { fence: 2, ..append(run, 1) };
    lines.extend(appends(bench, vec![append(run, 1), release, taken]).await?);
    lines.push(bench.head(run).await?);
    Ok(lines)
}

async fn not_claimed(bench: &Bench) -> Lines {
    let new = super::bench::new_run("order-1");
    let run = new.run;
    let mut lines = vec![bench.write(Write::Create(new)).await?];
    lines.extend(appends(bench, vec![Append { fence: 0, ..append(run, 1) }, append(run, 1)]).await?);
    Ok(lines)
}

async fn released(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    appends(bench, vec![Append { then: Then::Release(Due::Now), ..append(run, 1) }, append(run, 2)]).await
}

async fn never_given(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    appends(bench, vec![Append { fence: u64::MAX, ..append(run, 1) }, append(run, u64::MAX)]).await
}

async fn unknown(bench: &Bench) -> Lines {
    appends(bench, vec![append(RunId::fresh(), 1)]).await
}

async fn ended(bench: &Bench) -> Lines {
    let run = bench.ended("order-1").await?;
    appends(bench, vec![append(run, 2), Append { fence: 9, ..append(run, 9) }]).await
}

async fn lease_over(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    bench.pass(6).await;
    let mut lines = appends(bench, vec![append(run, 1)]).await?;
    lines.push(bench.claimed("w2").await?);
    lines.extend(appends(bench, vec![append(run, 2)]).await?);
    Ok(lines)
}

async fn inbox_moved(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    let mut lines = vec![bench.write(Write::Post(signal(run))).await?];
    let seen = |inbox_seen, length| Append { inbox_seen, ..append(run, length) };
    lines.extend(appends(bench, vec![seen(Some(0), 1), seen(Some(1), 1), seen(None, 2)]).await?);
    Ok(lines)
}

async fn order_of_refusals(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    bench.write(Write::Post(signal(run))).await?;
    let all = Append { fence: 9, inbox_seen: Some(0), ..append(run, 7) };
    let length = Append { fence: 1, ..all.clone() };
    appends(bench, vec![all, length.clone(), Append { length: 1, ..length }]).await
}

async fn end_frees(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    let end = Append { head: head_in(State::Cancelled), then: Then::Keep, ..append(run, 1) };
    let mut lines = appends(bench, vec![end]).await?;
    bench.pass(10).await;
    lines.extend([bench.head(run).await?, bench.claimed("w2").await?]);
    Ok(lines)
}

async fn without_entries(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    let before = bench.store.run(run).await?.map(|row| row.updated);
    bench.pass(1).await;
    let release = Append { entries: Vec::new(), then: Then::Release(Due::Now), ..append(run, 1) };
    let mut lines = appends(bench, vec![release]).await?;
    lines.push(bench.head(run).await?);
    lines.push(format!("unchanged {}", before == bench.store.run(run).await?.map(|row| row.updated)));
    Ok(lines)
}

async fn carries_head(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    let mut head = head_in(State::Running);
    head.step = Some("charge".to_owned());
    head.why = Some("waiting".to_owned());
    head.past_pivot = true;
    let mut lines = appends(bench, vec![Append { head, ..append(run, 1) }]).await?;
    let row = bench.store.run(run).await?;
    let text = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
    if let Some(row) = row {
        lines.push(format!("step {} why {} error {}", text(row.step), text(row.why), text(row.error)));
        lines.push(format!("pivot {}", row.past_pivot));
    }
    Ok(lines)
}
