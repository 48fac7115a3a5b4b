//! The sagas an engine knows: several versions of one side by side.

use super::body::Body;
#[cfg(feature = "simulate")]
use super::table::AnyStep;
use super::table::StepTable;
use crate::definition::Definition;
use crate::payload::Payload;
use crate::run::RunId;
use crate::saga::{DecodeError, RunsOn, SagaType};
use crate::store::DefinitionRow;
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

/// One registered saga.
pub(crate) struct Registered<P> {
    pub(crate) definition: &'static Definition,
    pub(crate) row: DefinitionRow,
    pub(crate) steps: StepTable<P>,
    build: fn(RunId, &Payload) -> Result<Body, DecodeError>,
    /// Two sagas may have one name, one version and one shape, and still be two.
    saga: TypeId,
}

impl<P> Registered<P> {
    pub(crate) fn of<S: RunsOn<P>>() -> Registered<P> {
        let mut steps = StepTable::new();
        S::register(&mut steps);
        Registered {
            definition: definition_of::<S>(),
            row: row_of::<S>(),
            steps,
            build: Body::build::<S>,
            saga: TypeId::of::<S>(),
        }
    }

    pub(crate) fn body(&self, run: RunId, inputs: &Payload) -> Result<Body, DecodeError> {
        (self.build)(run, inputs)
    }
}

pub(crate) fn definition_of<S: SagaType>() -> &'static Definition {
    const { &S::DEFINITION }
}

pub(crate) fn row_of<S: SagaType>() -> DefinitionRow {
    DefinitionRow {
        saga: S::DEFINITION.name.to_owned(),
        version: S::DEFINITION.version,
        fingerprint: const { S::DEFINITION.fingerprint() },
    }
}

/// All registered sagas.
pub(crate) struct Registry<P> {
    sagas: HashMap<DefinitionRow, Arc<Registered<P>>>,
}

impl<P> Registry<P> {
    pub(crate) fn new() -> Self {
        Registry { sagas: HashMap::new() }
    }

    /// Adds a saga; `false` if its name and version are taken by another saga.
    pub(crate) fn add<S: RunsOn<P>>(&mut self) -> bool {
        let registered = Registered::of::<S>();
        let clashes = self.sagas.keys().any(|known| {
            (&known.saga, known.version) == (&registered.row.saga, registered.row.version) && *known != registered.row
        }) || self.sagas.get(&registered.row).is_some_and(|known| known.saga != registered.saga);
        self.sagas.insert(registered.row.clone(), Arc::new(registered));
        !clashes
    }

    #[cfg(feature = "simulate")]
    pub(crate) fn wrap(&mut self, wrap: impl Fn(Arc<dyn AnyStep<P>>) -> Arc<dyn AnyStep<P>>) {
        for registered in self.sagas.values_mut().filter_map(Arc::get_mut) {
            registered.steps.wrap(&wrap);
        }
    }

    pub(crate) fn get(&self, row: &DefinitionRow) -> Option<&Arc<Registered<P>>> {
        self.sagas.get(row)
    }

    pub(crate) fn rows(&self) -> Vec<DefinitionRow> {
        let mut rows: Vec<DefinitionRow> = self.sagas.keys().cloned().collect();
        rows.sort_by(|left, right| (&left.saga, left.version).cmp(&(&right.saga, right.version)));
        rows
    }
}
