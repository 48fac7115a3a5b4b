//! A method called `now`, or a function of one's own type, is no clock.

use saga_tests::prelude::*;

#[derive(Debug, Serialize, Deserialize)]
pub struct Calendar {
    today: u64,
}

impl Calendar {
    fn now(&self) -> u64 {
        self.today
    }
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, calendar: Calendar, started: Option<u64>) -> Result<(), Refusal> {
    println!("{} {:?}", calendar.now(), Calendar::now(&calendar));
    let id = started.unwrap_or_else(|| calendar.now());
    publish(cx, id).await?;
    Ok(())
}

fn main() {}
