//! What stands at an awaited place of a body, as `#[saga]` asks the compiler.
//!
//! Every step and every wait is also a *type* of the same name. `#[saga]` imports the awaited path under a fixed name over a
//! glob import of [`fallback`]: if the path is only a function, the import brings no type, the fallback is found instead,
//! and the machine gets a `NotJournaled` node that our own message reports. If there is nothing of that name at all, the fallback
//! *value* is found as well, and we leave it to rustc to say so.

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
    /// Adds it to the steps an engine can run, if it is one.
    fn register(table: &mut StepTable<P>) {
        let _ = table;
    }
}

impl<S: Step> Site for S {
    const NODE: NodeKind = NodeKind::Step(&S::CONTRACT);
}

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
        impl<P> SiteOn<P> for $name {}
    )*};
}

waits! {
    /// The type behind [`crate::sleep()`].
    sleep => NodeKind::Sleep;
    /// The type behind [`crate::now()`].
    now => NodeKind::Value("now");
    /// The type behind [`crate::new_uuid()`].
    new_uuid => NodeKind::Value("new_uuid");
    /// What stands where a body awaits something that is neither a step nor a wait.
    NotAStep => NodeKind::NotJournaled("");
}

/// The type behind [`crate::signal()`].
#[allow(non_camel_case_types)]
#[derive(Debug)]
pub struct signal<M>(PhantomData<fn() -> M>);

impl<M: Signal> signal<M> {
    /// Its place in the machine. Found before that of [`NotASignal`], which stands in where `M` is no signal.
    pub const NODE: NodeKind = NodeKind::Signal { name: M::NAME, bounded: true };
}

/// Stands in where the awaited type is no signal: the body itself says so, and once is enough.
pub trait NotASignal {
    /// A wait without a name.
    const NODE: NodeKind = NodeKind::Signal { name: "", bounded: true };
}

impl<M> NotASignal for signal<M> {}

macro_rules! fallbacks {
    ($($name:ident)*) => {
        /// Names for awaited paths that turn out to be no types. Never used by hand.
        #[doc(hidden)]
        #[allow(non_camel_case_types, non_upper_case_globals, missing_docs)]
        pub mod fallback {
            pub use super::NotASignal;
            $(pub type $name = super::NotAStep;)*
            $(pub const $name: u8 = 0;)*
        }
    };
}

fallbacks! {
    __s0 __s1 __s2 __s3 __s4 __s5 __s6 __s7 __s8 __s9 __s10 __s11 __s12 __s13 __s14 __s15 __s16 __s17 __s18 __s19
    __s20 __s21 __s22 __s23 __s24 __s25 __s26 __s27 __s28 __s29 __s30 __s31 __s32 __s33 __s34 __s35 __s36 __s37 __s38
    __s39 __s40 __s41 __s42 __s43 __s44 __s45 __s46 __s47 __s48 __s49 __s50 __s51 __s52 __s53 __s54 __s55 __s56 __s57
    __s58 __s59 __s60 __s61 __s62 __s63 __s64 __s65 __s66 __s67 __s68 __s69 __s70 __s71 __s72 __s73 __s74 __s75 __s76
    __s77 __s78 __s79 __s80 __s81 __s82 __s83 __s84 __s85 __s86 __s87 __s88 __s89 __s90 __s91 __s92 __s93 __s94 __s95
    __s96 __s97 __s98 __s99 __s100 __s101 __s102 __s103 __s104 __s105 __s106 __s107 __s108 __s109 __s110 __s111 __s112
    __s113 __s114 __s115 __s116 __s117 __s118 __s119 __s120 __s121 __s122 __s123 __s124 __s125 __s126 __s127 __s128
    __s129 __s130 __s131 __s132 __s133 __s134 __s135 __s136 __s137 __s138 __s139 __s140 __s141 __s142 __s143 __s144
    __s145 __s146 __s147 __s148 __s149 __s150 __s151 __s152 __s153 __s154 __s155 __s156 __s157 __s158 __s159 __s160
    __s161 __s162 __s163 __s164 __s165 __s166 __s167 __s168 __s169 __s170 __s171 __s172 __s173 __s174 __s175 __s176
    __s177 __s178 __s179 __s180 __s181 __s182 __s183 __s184 __s185 __s186 __s187 __s188 __s189 __s190 __s191 __s192
    __s193 __s194 __s195 __s196 __s197 __s198 __s199 __s200 __s201 __s202 __s203 __s204 __s205 __s206 __s207 __s208
    __s209 __s210 __s211 __s212 __s213 __s214 __s215 __s216 __s217 __s218 __s219 __s220 __s221 __s222 __s223 __s224
    __s225 __s226 __s227 __s228 __s229 __s230 __s231 __s232 __s233 __s234 __s235 __s236 __s237 __s238 __s239 __s240
    __s241 __s242 __s243 __s244 __s245 __s246 __s247 __s248 __s249 __s250 __s251 __s252 __s253 __s254 __s255
}
