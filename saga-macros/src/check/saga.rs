//! The rules of a saga's declaration that syntax alone can tell. Order is decided by the compiler, from the machine.

use super::forbidden;
use crate::errors::Errors;
use crate::messages;
use crate::model::SagaModel;

/// Reports everything that is wrong with a saga's declaration.
pub(crate) fn check(saga: &SagaModel, errors: &mut Errors) {
    let signature = &saga.item.signature;
    if signature.asyncness.is_none() {
        errors.at(signature.fn_token, messages::SAGA_NOT_ASYNC);
    }
    if !signature.generics.params.is_empty() {
        errors.at(&signature.generics.params, messages::SAGA_GENERIC);
    }
    if let Some(clause) = &signature.generics.where_clause {
        errors.at(clause, messages::SAGA_GENERIC);
    }
    let missing = |name: &str| saga.settings.get(name).is_none() && !saga.settings.mentioned(name);
    if missing("version") {
        errors.at(&signature.ident, messages::no_version(&signature.ident));
    }
    if missing("owner") {
        errors.at(&signature.ident, messages::no_owner(&signature.ident));
    }
    if let Some(body) = &saga.body {
        forbidden::check(body, errors);
    }
    if saga.graph.nodes.len() > LONGEST_BODY {
        errors.at(&signature.ident, messages::too_long(&signature.ident, saga.graph.nodes.len()));
    }
}

/// `saga_core::definition::LONGEST_BODY`; a test of `saga-tests` compares them.
const LONGEST_BODY: usize = 256;
