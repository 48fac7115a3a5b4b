//! What was written is what is read: every byte, every digit, every text.

use super::bench::{Bench, append, entry, head_in, new_run, post, worker_id};
use crate::decide::State;
use crate::run::CallNumber;
use crate::store::{Append, InboxPost, NewEntry, NewRun, Poster, StoreError, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a NUL and what looks like an escaped NUL stay apart", nul => ["appended", "4 bodies as written true"];
    "bytes that are not UTF-8 come back", not_utf8 => ["appended", "3 bodies as written true"];
    "numbers keep their digits", numbers => ["appended", "9 bodies as written true"];
    "every byte comes back", every_byte => ["appended", "2 bodies as written true"];
    "an empty body comes back empty", empty_body => ["appended", "1 bodies as written true"];
    "a body that looks like SQL is a body", sql => ["appended", "2 bodies as written true"];
    "kind, call and step of an entry come back", fields => ["appended", "all fields true"];
    "the texts of a head come back, NUL included", head_texts => ["appended", "why true", "error true", "step true"];
    "keys are told apart by every character", keys => ["created", "created", "created", "created", "4 found"];
    "the texts of an item come back, NUL included", item_texts => ["posted 1", "note true", "by true", "body true"];
    "a worker's name comes back", worker_name => ["true"];
}

async fn come_back(bench: &Bench, bodies: Vec<Vec<u8>>) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let entries = bodies.iter().map(|body| entry(body.clone())).collect();
    let appended = bench.write(Write::Append(Append { entries, ..append(run, 1) })).await?;
    let read: Vec<Vec<u8>> = bench.store.journal(run, 1, 1_000).await?.into_iter().map(|entry| entry.body).collect();
    Ok(vec![appended, format!("{} bodies as written {}", read.len(), read == bodies)])
}

async fn nul(bench: &Bench) -> Lines {
    let texts: [&[u8]; 4] = [b"\"a\0b\"", br#""a\u0000b""#, br#""a\\u0000b""#, br#"{"a\u0000":"\ud800"}"#];
    come_back(bench, texts.map(<[u8]>::to_vec).to_vec()).await
}

async fn not_utf8(bench: &Bench) -> Lines {
    come_back(bench, vec![vec![0xff, 0xfe, 0x00], vec![0xc3, 0x28], vec![0xed, 0xa0, 0x80]]).await
}

async fn numbers(bench: &Bench) -> Lines {
    let numbers = [
        i64::MIN.to_string(),
        u64::MAX.to_string(),
        i128::MIN.to_string(),
        u128::MAX.to_string(),
        "\"0.1000\"".to_owned(),
        "12345678901234567890.123456789".to_owned(),
        "16.4".to_owned(),
        format!("{:e}", f64::from_bits(1)),
        "1e999".to_owned(),
    ];
    come_back(bench, numbers.map(String::into_bytes).to_vec()).await
}

async fn every_byte(bench: &Bench) -> Lines {
    come_back(bench, vec![(0..=255).collect(), (0..=255).rev().collect()]).await
}

async fn empty_body(bench: &Bench) -> Lines {
    come_back(bench, vec![Vec::new()]).await
}

async fn sql(bench: &Bench) -> Lines {
    let texts: [&[u8]; 2] = [b"'); DROP TABLE saga_runs; --", b"$1 ?1 :a @b {} %s \\"];
    come_back(bench, texts.map(<[u8]>::to_vec).to_vec()).await
}

async fn fields(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let call = Some(CallNumber(u32::MAX));
    let one = NewEntry { kind: "step_done", call, step: Some("zahlung_\u{e4}\u{0}".to_owned()), ..entry("{}") };
    let appended =
        bench.write(Write::Append(Append { entries: vec![one.clone(), entry("{}")], ..append(run, 1) })).await?;
    let read = bench.store.journal(run, 1, 9).await?;
    let same = read.len() == 2
        && (read[0].kind.as_str(), read[0].call, &read[0].step, read[0].sequence) == (one.kind, one.call, &one.step, 2)
        && (read[1].call, &read[1].step, read[1].sequence) == (None, &None, 3);
    Ok(vec![appended, format!("all fields {same}")])
}

async fn head_texts(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut head = head_in(State::Running);
    head.why = Some("bad\0byte \\u0000 \u{202e}\u{1F980}".to_owned());
    head.error = Some(String::new());
    head.step = Some("'; --".to_owned());
    let appended = bench.write(Write::Append(Append { head: head.clone(), ..append(run, 1) })).await?;
    let row = bench.store.run(run).await?;
    let same = |part: fn(&crate::store::RunRow) -> &Option<String>, wanted| {
        row.as_ref().is_some_and(|row| part(row) == wanted)
    };
    Ok(vec![
        appended,
        format!("why {}", same(|row| &row.why, &head.why)),
        format!("error {}", same(|row| &row.error, &head.error)),
        format!("step {}", same(|row| &row.step, &head.step)),
    ])
}

async fn keys(bench: &Bench) -> Lines {
    let keys = ["k\u{e9}y", "ke\u{301}y", "K\u{e9}Y", "k\u{e9}y "];
    let (mut lines, mut found) = (Vec::new(), 0);
    for key in keys {
        lines.push(bench.write(Write::Create(new_run(key))).await?);
    }
    for key in keys {
        found += u32::from(bench.store.find(key).await?.is_some_and(|row| row.key == key));
    }
    lines.push(format!("{found} found"));
    Ok(lines)
}

async fn item_texts(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    let sent = InboxPost {
        body: b"\0\xff".to_vec(),
        by: "\u{43e}\u{43b}\u{44c}\u{433}\u{430}".to_owned(),
        note: "because\0 of \\u0000\n".to_owned(),
        ..post(run, Poster::Signal { name: "S".to_owned() })
    };
    let posted = bench.write(Write::Post(sent.clone())).await?;
    let item = bench.store.inbox(run, 0, 9).await?.pop();
    let same = |same: bool, what: &str| format!("{what} {same}");
    Ok(vec![
        posted,
        same(item.as_ref().is_some_and(|item| item.note == sent.note), "note"),
        same(item.as_ref().is_some_and(|item| item.by == sent.by), "by"),
        same(item.is_some_and(|item| item.body == sent.body), "body"),
    ])
}

async fn worker_name(bench: &Bench) -> Lines {
    let worker = worker_id("k\u{e4}se 'n' \"q\"");
    let new = NewRun { claim: Some((worker.clone(), bench.ticks(5))), ..new_run("a") };
    let run = new.run;
    bench.write(Write::Create(new)).await?;
    let held = bench.store.renew(&worker, bench.ticks(5)).await?;
    let row = bench.store.run(run).await?;
    Ok(vec![(held.len() == 1 && row.is_some_and(|row| row.worker == Some(worker))).to_string()])
}
