//! Sagas that are wrong, each in one way; the simulator finds each, and its schedule shows it again.

use super::Gone;
use saga_core::simulate::{Explore, World, explore};
use saga_core::{Found, RunsOn, Saga, SagaType, StepCx, StepError, saga, step};

/// One step in a saga that ends with a refusal, so that it is undone.
macro_rules! broken {
    ($name:ident, [$($class:tt)*], |$cx:ident| $run:expr, |$ux:ident, $made:ident| $undo:expr, |$fx:ident| $find:expr) => {
        pub mod $name {
            use super::*;

            #[step($($class)*)]
            pub async fn act($cx: &StepCx<World>) -> Result<u64, Gone> {
                let _ = $cx.key();
                $run
            }
            #[allow(dead_code)]
            pub async fn undo($ux: &StepCx<World>, $made: Option<&u64>) -> Result<(), Gone> {
                let _ = $made;
                $undo
            }
            #[allow(dead_code)]
            pub async fn find($fx: &StepCx<World>) -> Result<Found<u64>, Gone> {
                $find
            }
            #[saga(version = 1, owner = "desk")]
            pub async fn order(cx: &mut Saga) -> Result<(), StepError<Gone>> {
                act(cx).await?;
                last(cx).await?;
                Ok(())
            }
        }
    };
}

#[step(read_only, idempotent)]
pub async fn last(_cx: &StepCx<World>) -> Result<(), Gone> {
    Ok(())
}

fn applied(cx: &StepCx<World>) -> Result<u64, Gone> {
    cx.env().apply(cx.key());
    Ok(1)
}

fn reverted(cx: &StepCx<World>) -> Result<(), Gone> {
    cx.env().revert(cx.effect_key());
    Ok(())
}

fn looked(cx: &StepCx<World>) -> Result<Found<u64>, Gone> {
    Ok(if cx.env().holds(cx.effect_key()) { Found::Applied(1) } else { Found::NotApplied })
}

broken!(right, [compensable(undo = undo), idempotent(key)], |cx| applied(cx), |cx, made| reverted(cx), |cx| looked(cx));
broken!(
    forgets_the_unknown,
    [compensable(undo = undo), idempotent(key)],
    |cx| applied(cx),
    |cx, made| if made.is_some() { reverted(cx) } else { Ok(()) },
    |cx| looked(cx)
);
broken!(
    undoes_nothing,
    [compensable(undo = undo), idempotent(key)],
    |cx| applied(cx),
    |_cx, made| Ok(()),
    |cx| looked(cx)
);
broken!(
    undo_only_once,
    [compensable(undo = undo), idempotent(key)],
    |cx| applied(cx),
    |cx, made| if cx.env().revert(cx.effect_key()) { Ok(()) } else { Err(Gone::Refused) },
    |cx| looked(cx)
);
broken!(
    no_key_passed_on,
    [compensable(undo = undo), idempotent(key)],
    |cx| {
        cx.env().apply("the same for all");
        Ok(1)
    },
    |cx, made| reverted(cx),
    |cx| looked(cx)
);
broken!(
    not_deduplicated,
    [compensable(undo = undo), idempotent(key)],
    |cx| {
        cx.env().add(cx.key());
        Ok(1)
    },
    |cx, made| reverted(cx),
    |cx| looked(cx)
);
broken!(not_read_only, [read_only, idempotent], |cx| applied(cx), |cx, made| reverted(cx), |cx| looked(cx));
broken!(
    lying_check,
    [compensable(undo = undo), verifiable(check = find, settle = "10s"), not_idempotent],
    |cx| applied(cx),
    |cx, made| reverted(cx),
    |_cx| Ok(Found::NotApplied)
);
broken!(
    believing_check,
    [compensable(undo = undo), verifiable(check = find, settle = "10s"), not_idempotent],
    |cx| applied(cx),
    |cx, made| reverted(cx),
    |_cx| Ok(Found::Applied(1))
);

fn finds<S: SagaType + RunsOn<World>>(walk: impl Fn() -> Explore<S, World>, words: &str) {
    let found = walk().faults(2).run().expect_err("it is wrong, and nothing was found");
    assert!(found.fault.contains(words), "{found}");
    assert!(found.to_string().contains(&format!(".replay(\"{}\")", found.schedule)), "{found}");
    let again = walk().replay(&found.schedule).expect_err("the schedule does not show it again");
    assert_eq!(again.fault, found.fault);
}

fn of<S: SagaType>(order: impl Fn() -> saga_core::Start<S> + Send + Sync + 'static) -> Explore<S, World> {
    explore(order).environment(World::clone)
}

#[test]
fn the_same_saga_without_a_mistake_passes() {
    let summary = of(right::order).faults(2).run().unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.schedules > 100, "{summary}");
}

#[test]
fn an_undo_that_forgets_the_unknown_case_is_found() {
    finds(|| of(forgets_the_unknown::order), "because the outcome was unknown");
}

#[test]
fn an_undo_that_undoes_nothing_is_found() {
    finds(|| of(undoes_nothing::order), "undone, and");
}

#[test]
fn an_undo_that_works_only_once_is_found() {
    finds(|| of(undo_only_once::order), "an undo may come twice");
}

#[test]
fn a_key_that_is_not_passed_on_is_found() {
    finds(|| of(no_key_passed_on::order), "pass `cx.key()` on");
}

#[test]
fn a_remote_that_does_not_deduplicate_is_found() {
    finds(|| of(not_deduplicated::order), "took effect 2 times");
}

#[test]
fn an_effect_of_a_read_only_step_is_found() {
    finds(|| of(not_read_only::order), "declared `read_only`");
}

#[test]
fn a_check_that_denies_what_is_there_is_found() {
    finds(|| of(lying_check::order), "says that it is not there, and it is");
}

#[test]
fn a_check_that_affirms_what_is_not_there_is_found() {
    finds(|| of(believing_check::order), "says that it is there, and it is not");
}
