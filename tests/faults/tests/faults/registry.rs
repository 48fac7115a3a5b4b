//! The sixty faults: what each was, what is right, and which tests hold it; or what it waits for. One list for the tests and
//! for the table in the book. Decides nothing about engines.

/// One fault.
pub(crate) struct Fault {
    /// Its number, 1 to 60.
    pub(crate) number: u32,
    /// Where it was reported.
    pub(crate) source: &'static str,
    /// What people saw.
    pub(crate) seen: &'static str,
    /// What is right.
    pub(crate) right: &'static str,
    /// The tests that hold it.
    pub(crate) tests: &'static [&'static [Test]],
    /// What is still missing, and why.
    pub(crate) waits: Option<&'static str>,
}

/// A test.
pub(crate) struct Test {
    /// The file it stands in, from the root of the workspace.
    pub(crate) file: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// The test itself, where it stands in this binary.
    pub(crate) here: Option<fn()>,
}

/// Tests of the module in which this is written: they are looked up by the compiler.
macro_rules! here {
    ($($name:ident),* $(,)?) => {
        &[$($crate::registry::Test { file: file!(), name: stringify!($name), here: Some($name) }),*]
    };
}
pub(crate) use here;

/// Tests of another file of the workspace: [`super::table`] looks whether they are there.
macro_rules! elsewhere {
    ($($file:literal: $name:ident),* $(,)?) => {
        &[$($crate::registry::Test { file: $file, name: stringify!($name), here: None }),*]
    };
}
pub(crate) use elsewhere;
