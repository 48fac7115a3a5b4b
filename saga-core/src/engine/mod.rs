//! Who owns a run, and the edge that acts.
use crate::saga::{Provides, Step};
use std::marker::PhantomData;
/// The steps an engine can run.
#[derive(Debug)]
pub struct StepTable<P>(PhantomData<P>);
impl<P> StepTable<P> {
    pub(crate) fn add<S: Step>(&mut self)
    where
        P: Provides<S::Env>,
    {
    }
}
