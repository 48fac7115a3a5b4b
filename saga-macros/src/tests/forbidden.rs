//! What a body may not read, by every way in which it can be written; and what only looks like it.

use crate::check::forbidden;
use crate::errors::Errors;

fn found(body: &str) -> Vec<String> {
    let mut errors = Errors::default();
    forbidden::check(&syn::parse_str(&format!("{{ {body} }}")).unwrap(), &mut errors);
    let name = |words: String| words.split('`').nth(1).unwrap().to_owned();
    errors.words().into_iter().map(name).collect()
}

#[test]
fn a_read_is_found_however_it_is_written() {
    for (body, path) in [
        ("let t = std::time::Instant::now();", "std::time::Instant::now"),
        ("let t = known.unwrap_or_else(SystemTime::now);", "SystemTime::now"),
        ("let t = <SystemTime>::now();", "<SystemTime>::now"),
        ("let t = <Instant as Clock>::now();", "<Instant as Clock>::now"),
        ("let t = vec![Instant::now()];", "Instant::now"),
        ("let t = vec![<Instant>::now()];", "Instant::now"),
        ("println!(\"{:?}\", std::time::Instant::now());", "std::time::Instant::now"),
        ("let t = format!(\"{}\", { let x = 0..fastrand::u8(..); x });", "fastrand::u8"),
        ("mine!(at: ::std::env::var_os(\"HOME\"))", "std::env::var_os"),
        ("let a = std::env::args_os();", "std::env::args_os"),
        ("let a = env::vars_os().count();", "env::vars_os"),
        ("let h = RandomState::new();", "RandomState::new"),
        ("let n: u8 = rand::random();", "rand::random"),
        ("let n = ids.map(|_| rand::random::<u8>());", "rand::random::<u8>"),
        ("let n = thread_rng().next_u64();", "thread_rng"),
        ("assert!(OsRng.next_u64() > 0);", "OsRng"),
        ("let id = id.unwrap_or_else(Uuid::new_v4);", "Uuid::new_v4"),
        ("let t = Utc::now();", "Utc::now"),
        ("let t = chrono::Local::now();", "chrono::Local::now"),
        ("let t = OffsetDateTime::now_utc();", "OffsetDateTime::now_utc"),
        ("getrandom::fill(&mut bytes)?;", "getrandom::fill"),
        ("getrandom(&mut bytes)?;", "getrandom"),
        ("fastrand::shuffle(&mut ids);", "fastrand::shuffle"),
    ] {
        assert_eq!(
            found(body).iter().map(|name| name.replace(' ', "")).collect::<Vec<_>>(),
            [path.replace(' ', "")],
            "{body}"
        );
    }
}

#[test]
fn what_is_the_users_own_stays_legal() {
    for body in [
        "let t = clock.now();",
        "println!(\"{}\", clock.now());",
        "println!(\"{}\", self.env.var);",
        "let t = Clock::now(&inputs);",
        "let t = saga_core::now(cx).await;",
        "let now = 3; println!(\"{now}\");",
        "let rng = rand::rngs::StdRng::seed_from_u64(seed);",
        "let limit = fs::LIMIT;",
        "let kind = rand::Kind;",
        "let t: Instant = start;",
        "let f = move |env: u8| env + 1;",
        "assert!(a > b && random < 3);",
        "let o = std::env::consts::OS;",
    ] {
        assert_eq!(found(body), Vec::<String>::new(), "{body}");
    }
}
