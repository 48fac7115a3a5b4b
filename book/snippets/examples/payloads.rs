//! Payloads are encrypted on their way to the store, and the key is changed while runs are open.
#![allow(missing_docs)]

use book_snippets::settings;
use saga_core::store::{MemoryStore, Store};
use saga_core::time::millis;
use saga_core::{CodecError, Engine, PayloadCodec, RunOutcome, Saga, saga};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

/// Stands for a real cipher with authentication: this one protects nothing.
mod cipher {
    pub(crate) fn seal(key: u8, plain: &[u8]) -> Vec<u8> {
        plain.iter().map(|byte| byte ^ key).chain([key]).collect()
    }

    pub(crate) fn open(key: u8, sealed: &[u8]) -> Option<Vec<u8>> {
        let (last, sealed) = sealed.split_last()?;
        (*last == key).then(|| sealed.iter().map(|byte| byte ^ key).collect())
    }
}

// ANCHOR: codec
struct Vault {
    keys: BTreeMap<u8, u8>, // the keys by their number
    newest: u8,
}

impl PayloadCodec for Vault {
    fn encode(&self, plain: &[u8]) -> Result<Vec<u8>, CodecError> {
        let key = self.keys.get(&self.newest).ok_or("the newest key is missing")?;
        let mut coded = vec![self.newest]; // the number of the key comes first, so that keys can be changed
        coded.extend(cipher::seal(*key, plain));
        Ok(coded)
    }

    fn decode(&self, coded: &[u8]) -> Result<Vec<u8>, CodecError> {
        let (number, sealed) = coded.split_first().ok_or("there is nothing")?;
        let key = self.keys.get(number).ok_or_else(|| format!("there is no key {number}"))?;
        cipher::open(*key, sealed).ok_or_else(|| "it was changed, or the key is another one".into())
    }
}
// ANCHOR_END: codec

#[derive(Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[error("nothing went wrong")]
pub struct Never;

#[saga(version = 1, owner = "editors")]
pub async fn keep(cx: &mut Saga, text: String) -> Result<String, Never> {
    saga_core::sleep(cx, millis(1_200)).await;
    Ok(text)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let store = Arc::new(MemoryStore::new());
    let vault = Vault { keys: BTreeMap::from([(1, 0x5a)]), newest: 1 };
    // ANCHOR: set
    let engine = Engine::builder(store.clone(), ()).saga::<keep>().codec(vault).settings(settings());
    let engine = engine.start().await?;
    let run = engine.start(keep("what nobody should read".to_owned())).await?;
    let stored = store.journal(run.run(), 0, 1).await?.remove(0).body;
    assert!(!String::from_utf8(stored)?.contains("nobody"));
    // ANCHOR_END: set
    assert!(engine.stop(millis(100)).await);

    let vault = Vault { keys: BTreeMap::from([(1, 0x5a), (2, 0xc3)]), newest: 2 };
    let engine = Engine::builder(store, ()).saga::<keep>().codec(vault).settings(settings()).start().await?;
    let run = engine.run::<keep>(run.run()).await?;
    assert_eq!(run.outcome().await?, RunOutcome::Completed("what nobody should read".to_owned()));
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
