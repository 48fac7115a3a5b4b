//! Writes to the memory store: each one is accepted whole, or refused without a trace.

use super::super::rules::{self, Ownership};
use super::super::writes::{Append, AsideDecision, InboxPost, NewRun, Poster, ReviewChange, Then, Write, Written};
use super::super::{Due, InboxItem, Refused, ReviewRow, RunRow, limits};
use super::state::{Held, Item, Runs};
use crate::decide::Head;
use crate::run::{RunId, Timestamp};

impl Runs {
    pub(super) fn write(&mut self, write: Write, now: Timestamp) -> Result<Written, Refused> {
        limits::check(&write)?;
        match write {
            Write::Create(run) => self.create(run, now),
            Write::Append(append) => self.append(append, now),
            Write::Post(post) => self.post(post, now),
        }
    }

    fn create(&mut self, new: NewRun, now: Timestamp) -> Result<Written, Refused> {
        if let Some(there) = self.keys.get(&new.key).and_then(|run| self.runs.get(run)) {
            let theirs = &there.row.definition;
            rules::same_run(
                &new.key,
                there.row.run,
                (&theirs.saga, theirs.version, &there.input_digest),
                (&new.definition.saga, new.definition.version, &new.input_digest),
            )?;
            return Ok(Written::Existing(Box::new(there.read())));
        }
        if self.runs.contains_key(&new.run) {
            return Err(rules::identity_taken(new.run));
        }
        let (run, at) = (new.run, rules::stamp(now, Timestamp(0)));
        let then = if new.then == Then::Keep { Then::Release(Due::Now) } else { new.then };
        let ended = new.head.state.is_terminal();
        let (worker, fence, due) = match (new.claim, rules::ownership(new.head.state, then, now, false)) {
            (Some((worker, lease)), _) if !ended => (Some(worker), 1, Some(now.plus(lease))),
            (_, Ownership::Free(due)) => (None, 0, due),
            (_, Ownership::Kept) => (None, 0, None),
        };
        let row = RunRow {
            run,
            key: new.key.clone(),
            definition: new.definition,
            owner: new.owner,
            state: new.head.state,
            step: None,
            why: None,
            error: None,
            past_pivot: false,
            cancel_requested: false,
            length: 0,
            inbox_last: 0,
            unconsumed_signals: 0,
            fence,
            worker: None,
            due: None,
            claims: u32::try_from(fence).unwrap_or(1),
            quarantined: None,
            created: at,
            updated: at,
        };
        let mut held = Held {
            row,
            input_digest: new.input_digest,
            journal: Vec::new(),
            inbox: Vec::new(),
            cancel: None,
            aside: None,
        };
        held.set_head(new.head);
        held.push(new.entries, at);
        self.keys.insert(new.key, run);
        self.created.insert((at, run));
        self.runs.insert(run, held);
        self.hand(run, worker, due);
        Ok(Written::Created { at })
    }

    fn append(&mut self, append: Append, now: Timestamp) -> Result<Written, Refused> {
        let run = append.run;
        let held = self.runs.get(&run).ok_or(Refused::NoSuchRun(run))?;
        held.standing().append(&append)?;
        for change in &append.reviews {
            if let ReviewChange::Open(review) = change {
                rules::open_review(run, review.review, self.reviews.contains_key(&(run, review.review)))?;
            }
        }
        let held = self.runs.get_mut(&run).ok_or(Refused::NoSuchRun(run))?;
        let at = rules::stamp(now, held.row.updated);
        if !append.entries.is_empty() {
            held.row.updated = at;
        }
        held.row.claims = 0;
        held.push(append.entries, at);
        for item in &mut held.inbox {
            item.taken |= append.inbox_taken.contains(&item.stored.number);
        }
        let wanted = held
            .inbox
            .iter()
            .any(|item| !item.taken && rules::wants(item.is_signal, item.stored.number, append.inbox_seen));
        let ownership = rules::ownership(append.head.state, append.then, now, wanted);
        held.set_head(append.head);
        let saga = held.row.definition.saga.clone();
        let repaired = held.row.quarantined.take().is_some();
        held.aside = None;
        if let Ownership::Free(due) = ownership {
            self.hand(run, None, due);
        }
        if repaired {
            let (decision, by) = rules::REPAIRED;
            self.settle(run, rules::SET_ASIDE, decision, by, at);
        }
        for change in append.reviews {
            self.change_review(run, &saga, change, at);
        }
        Ok(Written::Appended { at })
    }

    fn change_review(&mut self, run: RunId, saga: &str, change: ReviewChange, at: Timestamp) {
        match change {
            ReviewChange::Open(review) => {
                let review = ReviewRow { run, saga: saga.to_owned(), opened: at, ..*review };
                self.tell(run, review.review, at);
                self.reviews.insert((run, review.review), review);
            }
            ReviewChange::Settle { review, decision, by } => self.settle(run, review, &decision, &by, at),
            ReviewChange::Escalate { review, owner } => {
                if let Some(row) = self.open_review(run, review) {
                    row.owner = owner;
                    row.requested = None;
                    self.tell(run, review, at);
                }
            }
            ReviewChange::Refuse { review } => {
                if let Some(row) = self.open_review(run, review) {
                    row.requested = None;
                }
            }
        }
    }

    pub(super) fn open_review(&mut self, run: RunId, review: u32) -> Option<&mut ReviewRow> {
        self.reviews.get_mut(&(run, review)).filter(|row| row.settled.is_none())
    }

    fn settle(&mut self, run: RunId, review: u32, decision: &str, by: &str, at: Timestamp) {
        if let Some(row) = self.open_review(run, review) {
            row.settled = Some((decision.to_owned(), by.to_owned(), at));
            row.requested = None;
            self.to_tell.remove(&(run, review));
        }
    }

    fn post(&mut self, post: InboxPost, now: Timestamp) -> Result<Written, Refused> {
        let run = post.run;
        let held = self.runs.get(&run).ok_or(Refused::NoSuchRun(run))?;
        if let Some(first) = held.inbox.iter().find(|item| post.once.is_some() && item.once == post.once) {
            return Ok(Written::Posted { number: first.stored.number, at: first.stored.at });
        }
        let standing = held.standing();
        let at = rules::stamp(now, held.row.updated);
        match &post.kind {
            Poster::Signal { .. } => standing.signal()?,
            Poster::Cancel => {
                let number = standing.cancel()?;
                if let Some(first) = held.inbox.iter().find(|item| Some(item.stored.number) == number) {
                    return Ok(Written::Posted { number: first.stored.number, at: first.stored.at });
                }
            }
            Poster::Decision { review } => {
                let question = self.open_review(run, *review);
                standing.decision(*review, question.as_ref().map(|row| row.requested.clone()))?;
                if let Some(row) = question {
                    row.requested = Some((post.by.clone(), at));
                }
            }
            Poster::Aside(decision) => {
                let question = self.open_review(run, rules::SET_ASIDE);
                standing.decide_aside(question.map(|row| row.reason), decision, &post.note)?;
            }
        }
        let held = self.runs.get_mut(&run).ok_or(Refused::NoSuchRun(run))?;
        held.row.inbox_last += 1;
        let number = held.row.inbox_last;
        if post.kind == Poster::Cancel {
            held.cancel = Some(number);
        }
        held.inbox.push(Item {
            stored: InboxItem { number, at, body: post.body, by: post.by.clone(), note: post.note },
            is_signal: matches!(post.kind, Poster::Signal { .. }),
            once: post.once,
            taken: matches!(post.kind, Poster::Aside(_)),
        });
        match post.kind {
            Poster::Aside(decision) => self.decide_aside(run, decision, &post.by, at, now),
            _ if held.row.worker.is_none() => self.hand(run, None, Some(now)),
            _ => {}
        }
        Ok(Written::Posted { number, at })
    }

    fn decide_aside(&mut self, run: RunId, decision: AsideDecision, by: &str, at: Timestamp, now: Timestamp) {
        let Some(held) = self.runs.get_mut(&run) else { return };
        let action = decision.action().name();
        match decision {
            AsideDecision::Escalate { owner } => {
                let escalated = ReviewChange::Escalate { review: rules::SET_ASIDE, owner };
                self.change_review(run, "", escalated, at);
            }
            AsideDecision::Retry => {
                (held.row.quarantined, held.aside, held.row.claims) = (None, None, 0);
                if held.row.worker.is_none() {
                    self.hand(run, None, Some(now));
                }
                self.settle(run, rules::SET_ASIDE, action, by, at);
            }
            AsideDecision::Abandon { entries, head, .. } => {
                (held.row.quarantined, held.aside, held.row.updated) = (None, None, at);
                held.push(entries, at);
                held.set_head(head);
                self.hand(run, None, None);
                let open: Vec<u32> =
                    self.reviews.range((run, 0)..=(run, u32::MAX)).map(|((_, number), _)| *number).collect();
                for review in open {
                    self.settle(run, review, action, by, at);
                }
            }
        }
    }
}

impl Held {
    fn set_head(&mut self, head: Head) {
        self.row.state = head.state;
        self.row.step = head.step;
        self.row.why = head.why;
        self.row.error = head.error;
        self.row.past_pivot = head.past_pivot;
    }
}
