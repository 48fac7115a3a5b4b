//! The machine that is read from a body, as a table: where each state leads.

use crate::errors::Errors;
use crate::model::{Kind, On, Returned, SagaModel};

/// `name -> to (on), ..` for every state, with `Ok`, `Err` and `?` for the ends.
fn machine(body: &str) -> Vec<String> {
    let source = format!("async fn order(cx: &mut Saga, id: u64) -> Result<(), E> {{ {body} }}");
    let mut errors = Errors::default();
    let saga = SagaModel::new(syn::parse_str(&source).unwrap(), Default::default(), &mut errors);
    assert_eq!(errors.words(), Vec::<String>::new());
    let name = |index: usize| match &saga.graph.nodes[index].kind {
        Kind::Start => "start".to_owned(),
        Kind::Site(site) => saga.graph.paths[site.path].segments.last().unwrap().ident.to_string(),
        Kind::Branch(label) => format!("[{label}]"),
        Kind::Return(Returned::Ok) => "Ok".to_owned(),
        Kind::Return(Returned::Err) => "Err".to_owned(),
        Kind::Return(Returned::Either) => "?".to_owned(),
    };
    let edge = |edge: &crate::model::GraphEdge| match edge.on {
        On::Any => name(edge.to),
        On::Done => format!("+{}", name(edge.to)),
        On::Refused => format!("-{}", name(edge.to)),
    };
    let nodes = saga.graph.nodes.iter().enumerate().filter(|(_, node)| !node.next.is_empty());
    nodes
        .map(|(index, node)| format!("{}: {}", name(index), node.next.iter().map(edge).collect::<Vec<_>>().join(" ")))
        .collect()
}

fn reads(body: &str, expected: &[&str]) {
    assert_eq!(machine(body), expected, "{body}");
}

#[test]
fn a_question_mark_leads_out_where_the_step_is_refused() {
    reads("a(cx).await?; Ok(())", &["start: a", "a: -Err +Ok"]);
    reads("a(cx).await.map(drop).map_err(E::from)", &["start: a", "a: +Ok -Err"]);
    reads("Ok(a(cx).await?.into_inner())", &["start: a", "a: -Err +Ok"]);
}

#[test]
fn a_match_parts_done_from_refused() {
    reads(
        "match a(cx).await { Ok(_) => { b(cx).await?; } Err(_) => { c(cx).await?; } } Ok(())",
        &["start: a", "a: +b -c", "b: -Err +Ok", "c: -Err +Ok"],
    );
    reads("let r = a(cx).await; match r { Err(e) => Err(e), other => Ok(()) }", &["start: a", "a: +Ok -Err"]);
    reads("if a(cx).await.is_err() { return Err(E); } Ok(())", &["start: a", "a: -Err +Ok"]);
    reads(
        "let Ok(x) = a(cx).await else { return Ok(()); }; b(cx).await?; Ok(())",
        &["start: a", "a: -Ok +b", "b: -Err +Ok"],
    );
}

#[test]
fn a_result_that_is_hidden_may_be_either() {
    reads("let r = a(cx).await; look(r)", &["start: a", "a: ?"]);
    reads("let mut r = a(cx).await; match r { Ok(_) => Ok(()), Err(e) => Err(e) }", &["start: a", "a: Ok Err"]);
    reads("ensure!(id > 0); Ok(())", &["start: ? Ok"]);
}

#[test]
fn branches_join_and_loops_feed_back() {
    reads(
        "if id > 0 { a(cx).await?; } b(cx).await?; Ok(())",
        &["start: [id > 0]", "[id > 0]: a b", "a: -Err +b", "b: -Err +Ok"],
    );
    reads("loop { if a(cx).await.is_ok() { break; } } Ok(())", &["start: [loop]", "[loop]: a", "a: -[loop] +Ok"]);
    reads(
        "'o: for x in y { while a(cx).await.is_ok() { continue 'o; } } Ok(())",
        &[
            "start: [for x in y]",
            "[for x in y]: [while a(cx).await.is_ok()] Ok",
            "[while a(cx).await.is_ok()]: a",
            "a: [for x in y]",
        ],
    );
}

#[test]
fn a_condition_of_several_parts_is_one_diamond() {
    reads(
        "if id > 0 && id < 9 { return Err(E); } a(cx).await?; Ok(())",
        &["start: [id > 0 && id < 9]", "[id > 0 && id < 9]: Err a", "a: -Err +Ok"],
    );
    reads("if let Ok(_) = a(cx).await && id > 0 { b(cx).await?; } Ok(())", &["start: a", "a: +b Ok", "b: -Err +Ok"]);
}

#[test]
fn only_what_can_be_reached_is_connected() {
    reads("return Ok(()); a(cx).await?; Ok(())", &["start: Ok", "a: -Err +Ok"]);
    reads(
        "let x: u64 = 'b: { if id > 0 { break 'b 1; } 2 }; a(cx).await?; Ok(())",
        &["start: [id > 0]", "[id > 0]: a", "a: -Err +Ok"],
    );
    reads("if id > 0 { panic!(\"no\") } Ok(())", &["start: [id > 0]", "[id > 0]: Ok"]);
}

#[test]
fn waits_say_nothing_about_results() {
    reads(
        "match signal::<D>(cx).within(x).await { Some(D::A) => a(cx).await?, _ => return Err(E) }; Ok(())",
        &["start: signal", "signal: a Err", "a: -Err +Ok"],
    );
}

/// What is wrong with a body, in our words.
fn mistakes(body: &str) -> Vec<String> {
    let source = format!("async fn order(cx: &mut Saga, id: u64) -> Result<(), E> {{ {body} }}");
    let mut errors = Errors::default();
    SagaModel::new(syn::parse_str(&source).unwrap(), Default::default(), &mut errors);
    errors.words()
}

#[test]
fn a_call_that_is_not_awaited_is_found_in_a_loop_as_outside() {
    for body in [
        "a(cx); Ok(())",
        "for _ in 0..id { let _ = a(cx); } Ok(())",
        "while id > 0 { a(cx); } Ok(())",
        "loop { if id > 0 { break; } a(cx); } Ok(())",
        "'out: loop { loop { a(cx); continue 'out; } } Ok(())",
    ] {
        assert_eq!(mistakes(body).len(), 1, "{body}: {:?}", mistakes(body));
    }
    assert!(mistakes("for _ in 0..id { if id > 1 { break; } else { continue; } } Ok(())").is_empty());
}

#[test]
fn what_a_guard_awaited_has_happened_in_the_arms_behind_it() {
    let machine = machine("match id { k if a(cx).await.is_ok() => Ok(()), k => Err(E) }");
    let after = machine.iter().find(|line| line.starts_with("a: ")).unwrap();
    assert!(after.contains("Ok") && after.contains("Err"), "{machine:?}");
}

#[test]
fn what_the_body_binds_is_not_taken_for_a_step() {
    for body in [
        "use other::a; a(cx).await?; Ok(())",
        "use other::b as a; a(cx).await?; Ok(())",
        "async fn a(cx: &mut Saga) -> Result<(), E> { Ok(()) } a(cx).await?; Ok(())",
        "let a = fake::plain; a(cx).await?; Ok(())",
        "macro_rules! go { () => { a(cx).await? } } Ok(())",
    ] {
        assert_eq!(mistakes(body).len(), 1, "{body}: {:?}", mistakes(body));
    }
    assert!(mistakes("let a = a(cx).await?; let b = b(cx, a).await?; fn c() {} c(); Ok(())").is_empty());
}

#[test]
fn a_macro_that_is_not_known_may_leave_by_every_way_that_is_open() {
    reads("loop { leave!(); } a(cx).await?; Ok(())", &["start: [loop]", "[loop]: ? [loop] a", "a: -Err +Ok"]);
    reads("'b: { leave!(); a(cx).await?; } b(cx).await?; Ok(())", &["start: ? a b", "a: -Err +b", "b: -Err +Ok"]);
    reads(
        "while id > 0 { a(cx).await?; leave!(); return Ok(()); } Ok(())",
        &["start: [while id > 0]", "[while id > 0]: a Ok", "a: -Err +? +[while id > 0] +Ok"],
    );
    reads(
        "loop { info!(id = ?id, ?id, \"{}\", id); a(cx).await?; break; } Ok(())",
        &["start: [loop]", "[loop]: a", "a: -Err +Ok"],
    );
    reads("loop { info!(\"{}\", id?); a(cx).await?; break; } Ok(())", &["start: [loop]", "[loop]: ? a", "a: -Err +Ok"]);
    reads(
        "loop { print!(\"{}\", break); } a(cx).await?; Ok(())",
        &["start: [loop]", "[loop]: ? [loop] a", "a: -Err +Ok"],
    );
}

#[test]
fn a_variable_that_a_macro_may_have_bound_is_not_followed() {
    reads("let r = a(cx).await; forget!(r); match r { Err(e) => Err(e), _ => Ok(()) }", &["start: a", "a: ? Ok Err"]);
}

#[test]
fn a_condition_on_something_awaited_is_found_whatever_its_form() {
    for body in [
        "#[cfg(x)] unsafe { a(cx).await?; } Ok(())",
        "#[cfg(x)] { a(cx).await?; } Ok(())",
        "#[cfg(x)] id = a(cx).await?; Ok(())",
        "#[cfg(x)] id += a(cx).await?; Ok(())",
        "#[cfg(x)] a(cx).await? as u8; Ok(())",
        "#[cfg(x)] (a(cx).await?, 1); Ok(())",
        "#[cfg(x)] [a(cx).await?]; Ok(())",
        "#[cfg(x)] Pair { left: a(cx).await? }; Ok(())",
        "#[cfg(x)] &a(cx).await?; Ok(())",
        "#[cfg(x)] !a(cx).await?; Ok(())",
        "#[cfg(x)] a(cx).await?.left; Ok(())",
        "#[cfg(x)] a(cx).await?[0]; Ok(())",
        "#[cfg(x)] return a(cx).await; Ok(())",
        "#[cfg(x)] let b = a(cx).await?; Ok(())",
        "#[cfg(x)] if id > 0 { a(cx).await?; } Ok(())",
        "#[cfg_attr(y, cfg(x))] a(cx).await?; Ok(())",
        "match id { #[cfg(x)] 0 => a(cx).await?, _ => {} } Ok(())",
        "match id { #[cfg(x)] 0 if a(cx).await? => {} _ => {} } Ok(())",
        "let p = Pair { #[cfg(x)] left: a(cx).await?, right: 1 }; Ok(())",
        "let p = [#[cfg(x)] a(cx).await?]; Ok(())",
        "look(#[cfg(x)] a(cx).await?); Ok(())",
        "#[cfg(x)] a(cx).await.map(drop).map_err(E::from)",
    ] {
        assert_eq!(mistakes(body).len(), 1, "{body}: {:?}", mistakes(body));
    }
    assert!(mistakes("if id > 0 { #[cfg(x)] look(); a(cx).await?; } Ok(())").is_empty());
    assert!(mistakes("#[allow(unused)] a(cx).await?; Ok(())").is_empty());
}

#[test]
fn what_is_conditional_and_leaves_may_also_not_be_there() {
    reads("#[cfg(x)] return Ok(()); a(cx).await?; Ok(())", &["start: Ok a", "a: -Err +Ok"]);
    reads("#[cfg(x)] unsafe { return Ok(()) } a(cx).await?; Ok(())", &["start: Ok a", "a: -Err +Ok"]);
    reads("look(#[cfg(x)] return Ok(())); a(cx).await?; Ok(())", &["start: Ok a", "a: -Err +Ok"]);
    reads(
        "let p = Pair { #[cfg(x)] left: return Ok(()), right: 1 }; a(cx).await?; Ok(())",
        &["start: Ok a", "a: -Err +Ok"],
    );
}
