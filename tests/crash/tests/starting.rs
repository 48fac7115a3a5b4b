//! Whoever starts a run is killed around the commit that creates it, and somebody starts it again with the same key: there is
//! one run, and it is done once.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use saga_core::store::{Page, RunFilter};
use saga_crash::sagas::{Plan, begin};
use std::time::Duration;
use support::{Files, settled, was_killed};

#[tokio::test]
async fn a_start_that_was_killed_is_started_again_with_its_key() {
    for (death, there) in [("before-commit:started", 0), ("after-commit:started", 1)] {
        let files = Files::new();
        let client = files.client();
        let mut starter = files.worker(&["--begin", "keyed", "--die", death]);
        let status = starter.ended_within(Duration::from_secs(20)).await;
        assert!(status.is_some_and(was_killed), "{death}: {status:?}");
        let runs = client.store().list(RunFilter::default(), Page::first(10)).await.unwrap();
        assert_eq!(runs.len(), there, "{death}: a commit is there whole or not at all");

        let again = begin(&client, "keyed", Plan { item: "item".to_owned(), refuse: false }).await.unwrap();
        assert!(runs.iter().all(|row| row.run == again), "{death}: the same key is the same run");
        let _worker = files.worker(&[]);
        let end = settled(&client, again, Duration::from_secs(60)).await;
        assert_eq!(end.as_deref(), Some("completed"), "{death}\n{}", files.journal(again));
        assert_eq!(client.store().list(RunFilter::default(), Page::first(10)).await.unwrap().len(), 1, "{death}");
        let count = files.ledger().count(&again.to_string(), "reserve").unwrap();
        assert_eq!((count.made, count.sent), (1, 1), "{death}");
    }
}
