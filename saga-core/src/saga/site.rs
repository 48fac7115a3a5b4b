//! What stands at an awaited place of a body, as `#[saga]` asks the compiler.
//!
//! Every step and every wait is also a *type* of the same name. `#[saga]` imports the awaited path under a fixed name over a
//! glob import of [`fallback`]: if the path is only a function, the import brings no type, the fallback is found instead,
//! and the machine gets a `NotJournaled` node that our own message reports.

use super::environment::Provides;
use super::message::Signal;
use super::step::Step;
use crate::definition::NodeKind;
use crate::engine::StepTable;
use std::marker::PhantomData;

/// Something that may be awaited in a body.
pub trait Site {
    /// Its place in the machine.
    const NODE: NodeKind;
}

/// A site whose needs an engine with environment `P` meets.
#[diagnostic::on_unimplemented(
    message = "an engine with environment `{P}` cannot run `{Self}`",
    label = "a step of this saga needs an environment that `{P}` does not provide"
)]
pub trait SiteOn<P>: Site {
    /// Adds it to the steps an engine can run.
    fn register(table: &mut StepTable<P>);
}

impl<S: Step> Site for S {
    const NODE: NodeKind = NodeKind::Step(&S::CONTRACT);
}

#[diagnostic::do_not_recommend]
impl<S: Step, P: Provides<S::Env>> SiteOn<P> for S {
    fn register(table: &mut StepTable<P>) {
        table.add::<S>();
    }
}

macro_rules! waits {
    ($($(#[$doc:meta])* $name:ident => $node:expr;)*) => {$(
        $(#[$doc])*
        #[allow(non_camel_case_types)]
        #[derive(Debug)]
        pub enum $name {}
        impl Site for $name {
            const NODE: NodeKind = $node;
        }
        impl<P> SiteOn<P> for $name {
            fn register(_: &mut StepTable<P>) {}
        }
    )*};
}

waits! {
    /// The type behind [`crate::sleep()`].
    sleep => NodeKind::Sleep;
    /// The type behind [`crate::now()`].
    now => NodeKind::Value("now");
    /// The type behind [`crate::uuid()`].
    uuid => NodeKind::Value("uuid");
    /// What stands where a body awaits something that is neither a step nor a wait.
    NotAStep => NodeKind::NotJournaled("");
}

/// The type behind [`crate::signal()`].
#[allow(non_camel_case_types)]
#[derive(Debug)]
pub struct signal<M>(PhantomData<fn() -> M>);

impl<M: Signal> Site for signal<M> {
    const NODE: NodeKind = NodeKind::Signal { name: M::NAME, bounded: true };
}

impl<M: Signal, P> SiteOn<P> for signal<M> {
    fn register(_: &mut StepTable<P>) {}
}

macro_rules! fallbacks {
    ($($name:ident)*) => {
        /// Names for awaited paths that turn out to be no types. Never used by hand.
        #[doc(hidden)]
        #[allow(non_camel_case_types, missing_docs)]
        pub mod fallback {
            $(pub type $name = super::NotAStep;)*
        }
    };
}

fallbacks! {
    __s0 __s1 __s2 __s3 __s4 __s5 __s6 __s7 __s8 __s9 __s10 __s11 __s12 __s13 __s14 __s15 __s16 __s17 __s18 __s19 __s20
    __s21 __s22 __s23 __s24 __s25 __s26 __s27 __s28 __s29 __s30 __s31 __s32 __s33 __s34 __s35 __s36 __s37 __s38 __s39 __s40
    __s41 __s42 __s43 __s44 __s45 __s46 __s47 __s48 __s49 __s50 __s51 __s52 __s53 __s54 __s55 __s56 __s57 __s58 __s59 __s60
    __s61 __s62 __s63
}
