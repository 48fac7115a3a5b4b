//! Sizes: what is accepted at the limit and refused above it, before anything is stored.

use super::bench::{Bench, append, entry, new_run, post, signal};
use crate::store::limits::{LARGEST_ENTRY, LARGEST_PAYLOAD, LONGEST_BATCH, LONGEST_NAME, LONGEST_NOTE};
use crate::store::{Append, InboxPost, NewRun, Page, Poster, RunFilter, StoreError, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a key has 1 to 255 bytes and no control characters", keys =>
        ["created", "a key: bad text", "a key: bad text", "a key: bad text", "a key: bad text", "1 runs"];
    "a saga's name has 1 to 255 bytes", names => ["created", "a saga's name: bad text"];
    "an input at the limit is accepted, and refused above it", inputs =>
        ["created", "the input: 1048577 over 1048576", "the input: 10485760 over 1048576", "1 runs"];
    "an entry at the limit is accepted, and refused above it", entries =>
        ["appended", "an entry: 8388609 over 8388608", "an entry: 83886080 over 8388608",
         "running length 2 fence 1 leased due later claims 0", "as written true"];
    "an append has at most 1000 entries", many_entries =>
        ["the number of entries of one append: 1001 over 1000", "appended",
         "running length 1001 fence 1 leased due later claims 0"];
    "a message and a note have limits", messages =>
        ["posted 1", "the note: 8193 over 8192", "the message: 8388609 over 8388608", "the sender: bad text", "1 items"];
    "a run with the largest entries can still be cancelled and listed", still_usable => ["appended", "posted 1", "1 runs"];
    "an oversized write does not disturb its neighbours", neighbours =>
        ["created", "the input: 10485760 over 1048576", "created", "2 runs"];
}

async fn count(bench: &Bench) -> Result<String, StoreError> {
    Ok(format!("{} runs", bench.store.list(RunFilter::default(), Page::first(9)).await?.len()))
}

async fn keys(bench: &Bench) -> Lines {
    let mut lines = Vec::new();
    let long = "k".repeat(LONGEST_NAME);
    for key in [long.as_str(), &format!("{long}k"), "", "a\0b", "a\nb"] {
        lines.push(bench.write(Write::Create(new_run(key))).await?);
    }
    lines.push(count(bench).await?);
    Ok(lines)
}

async fn names(bench: &Bench) -> Lines {
    let mut lines = Vec::new();
    for (key, length) in [("a", LONGEST_NAME), ("b", LONGEST_NAME + 1)] {
        let mut new = new_run(key);
        new.definition.saga = "s".repeat(length);
        lines.push(bench.write(Write::Create(new)).await?);
    }
    Ok(lines)
}

fn sized(key: &str, input_size: usize) -> Write {
    Write::Create(NewRun { input_size, ..new_run(key) })
}

async fn inputs(bench: &Bench) -> Lines {
    let mut lines = Vec::new();
    for (key, size) in [("a", LARGEST_PAYLOAD), ("b", LARGEST_PAYLOAD + 1), ("c", 10 * LARGEST_PAYLOAD)] {
        lines.push(bench.write(sized(key, size)).await?);
    }
    lines.push(count(bench).await?);
    Ok(lines)
}

async fn entries(bench: &Bench) -> Lines {
    let run = bench.leased_for("a", "w1", 500).await?;
    let mut lines = Vec::new();
    for (length, size) in [(1, LARGEST_ENTRY), (2, LARGEST_ENTRY + 1), (2, 10 * LARGEST_ENTRY)] {
        let large = Append { entries: vec![entry(vec![b'x'; size])], ..append(run, length) };
        lines.push(bench.write(Write::Append(large)).await?);
    }
    lines.push(bench.head(run).await?);
    let read = bench.store.journal(run, 1, 9).await?;
    let same = read.len() == 1 && read[0].body.len() == LARGEST_ENTRY && read[0].body.iter().all(|byte| *byte == b'x');
    lines.push(format!("as written {same}"));
    Ok(lines)
}

async fn many_entries(bench: &Bench) -> Lines {
    let run = bench.leased_for("a", "w1", 500).await?;
    let many = |count: usize| Append { entries: vec![entry("{}"); count], ..append(run, 1) };
    let most = LONGEST_BATCH as usize;
    let over = bench.write(Write::Append(many(most + 1))).await?;
    Ok(vec![over, bench.write(Write::Append(many(most))).await?, bench.head(run).await?])
}

async fn messages(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    let note = |length| InboxPost { note: "n".repeat(length), ..signal(run) };
    let posts = [
        InboxPost { body: vec![b'x'; LARGEST_ENTRY], ..note(LONGEST_NOTE) },
        note(LONGEST_NOTE + 1),
        InboxPost { body: vec![b'x'; LARGEST_ENTRY + 1], ..signal(run) },
        InboxPost { by: String::new(), ..signal(run) },
    ];
    let mut lines = Vec::new();
    for post in posts {
        lines.push(bench.write(Write::Post(post)).await?);
    }
    lines.push(format!("{} items", bench.store.inbox(run, 0, 9).await?.len()));
    Ok(lines)
}

async fn still_usable(bench: &Bench) -> Lines {
    let run = bench.leased_for("a", "w1", 500).await?;
    let large = Append { entries: vec![entry(vec![b'x'; LARGEST_ENTRY]); 3], ..append(run, 1) };
    let mut lines = vec![bench.write(Write::Append(large)).await?];
    lines.extend([bench.write(Write::Post(post(run, Poster::Cancel))).await?, count(bench).await?]);
    Ok(lines)
}

async fn neighbours(bench: &Bench) -> Lines {
    let writes = vec![sized("a", 1), sized("b", 10 * LARGEST_PAYLOAD), sized("c", 1)];
    let mut lines = bench.commit(writes).await?;
    lines.push(count(bench).await?);
    Ok(lines)
}
