//! What can happen at one place of a schedule, its price, and its name in a replay.

use std::fmt;
use std::str::FromStr;

/// What happens at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Choice {
    /// All goes well.
    Go,
    /// The attempt fails and applies nothing; it may be tried again.
    Transient,
    /// The attempt is refused and applies nothing.
    Refused,
    /// The effect takes place, and the reply is lost.
    ReplyLost,
    /// The request is lost: nothing takes place, and nobody knows.
    RequestLost,
    /// Nobody knows, and the effect takes place later.
    Late,
    /// The other side is still at it.
    Pending,
    /// The other side cannot tell.
    CannotTell,
    /// The worker dies before the effect, or before the commit.
    DieBefore,
    /// The worker dies after the effect, or after the commit that it never hears of.
    DieAfter,
    /// The store does not answer, and nothing was written.
    StoreFails,
    /// The worker stands still for longer than its lease, and another takes over.
    Freeze,
    /// Somebody cancels the run.
    Cancel,
    /// The saga's deadline passes.
    Deadline,
    /// A message of that number arrives although nobody waits for it yet, or no longer.
    Post(usize),
    /// The message of that number arrives while it is waited for.
    Receive(usize),
    /// Nothing arrives: time passes.
    Nothing,
}

impl Choice {
    /// Faults are counted; what a run may meet on an ordinary day is free.
    pub(crate) fn price(self) -> usize {
        usize::from(!matches!(self, Choice::Go | Choice::Receive(_) | Choice::Nothing))
    }
}

const NAMES: &[(Choice, &str)] = &[
    (Choice::Go, "go"),
    (Choice::Transient, "transient"),
    (Choice::Refused, "refused"),
    (Choice::ReplyLost, "reply-lost"),
    (Choice::RequestLost, "request-lost"),
    (Choice::Late, "late"),
    (Choice::Pending, "pending"),
    (Choice::CannotTell, "cannot-tell"),
    (Choice::DieBefore, "die-before"),
    (Choice::DieAfter, "die-after"),
    (Choice::StoreFails, "store-fails"),
    (Choice::Freeze, "freeze"),
    (Choice::Cancel, "cancel"),
    (Choice::Deadline, "deadline"),
    (Choice::Nothing, "nothing"),
];

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Post(message) => write!(f, "post-{message}"),
            Choice::Receive(message) => write!(f, "receive-{message}"),
            _ => f.write_str(NAMES.iter().find(|(known, _)| known == self).map_or("", |(_, name)| name)),
        }
    }
}

impl FromStr for Choice {
    type Err = String;
    fn from_str(text: &str) -> Result<Choice, String> {
        let numbered = |prefix| text.strip_prefix(prefix).and_then(|number: &str| number.parse().ok());
        if let Some(message) = numbered("post-") {
            return Ok(Choice::Post(message));
        }
        if let Some(message) = numbered("receive-") {
            return Ok(Choice::Receive(message));
        }
        let known = NAMES.iter().find(|(_, name)| *name == text).map(|(choice, _)| *choice);
        known.ok_or_else(|| format!("`{text}` is nothing that can happen in a schedule"))
    }
}

/// What differs from a good day: the number of the place, and what happens there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Schedule(pub(crate) Vec<(usize, Choice)>);

impl Schedule {
    pub(crate) fn price(&self) -> usize {
        self.0.iter().map(|(_, choice)| choice.price()).sum()
    }

    pub(crate) fn with(&self, place: usize, choice: Choice) -> Schedule {
        let mut choices = self.0.clone();
        choices.push((place, choice));
        Schedule(choices)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(|(place, choice)| format!("{place}={choice}")).collect();
        f.write_str(&words.join(" "))
    }
}

impl FromStr for Schedule {
    type Err = String;
    fn from_str(text: &str) -> Result<Schedule, String> {
        let one = |word: &str| {
            let (place, choice) = word.split_once('=').ok_or_else(|| format!("`{word}` is not `place=choice`"))?;
            let place = place.parse().map_err(|_| format!("`{place}` is not the number of a place"))?;
            Ok((place, choice.parse()?))
        };
        text.split_whitespace().map(one).collect::<Result<_, String>>().map(Schedule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_read_as_it_is_written() {
        let mut all: Vec<Choice> = NAMES.iter().map(|(choice, _)| *choice).collect();
        all.extend([Choice::Post(3), Choice::Receive(12)]);
        let schedule = Schedule(all.into_iter().enumerate().collect());
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
        assert!("3".parse::<Schedule>().is_err() && "3=boom".parse::<Schedule>().is_err());
    }
}
