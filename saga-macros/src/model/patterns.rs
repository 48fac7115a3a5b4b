//! Which of `Ok` and `Err` a pattern lets through. Where it cannot be told, both.

use syn::Pat;

/// What a pattern does with the two sides of a `Result`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cover {
    /// May match an `Ok`.
    pub(crate) ok: bool,
    /// May match an `Err`.
    pub(crate) err: bool,
    /// Matches every `Ok`: none is left for later arms.
    pub(crate) all_ok: bool,
    /// Matches every `Err`.
    pub(crate) all_err: bool,
}

const NOTHING: Cover = Cover { ok: false, err: false, all_ok: false, all_err: false };
const SOME: Cover = Cover { ok: true, err: true, all_ok: false, all_err: false };
const ALL: Cover = Cover { ok: true, err: true, all_ok: true, all_err: true };

/// What a pattern covers.
pub(crate) fn cover(pat: &Pat) -> Cover {
    match pat {
        Pat::TupleStruct(variant) => {
            let all = variant.elems.iter().all(irrefutable);
            match variant.path.segments.last() {
                Some(last) if last.ident == "Ok" => Cover { ok: true, all_ok: all, ..NOTHING },
                Some(last) if last.ident == "Err" => Cover { err: true, all_err: all, ..NOTHING },
                _ => SOME,
            }
        }
        Pat::Paren(inner) => cover(&inner.pat),
        Pat::Reference(inner) => cover(&inner.pat),
        Pat::Type(inner) => cover(&inner.pat),
        Pat::Guard(guarded) => Cover { all_ok: false, all_err: false, ..cover(&guarded.pat) },
        Pat::Or(either) => either.cases.iter().map(cover).fold(NOTHING, |left, right| Cover {
            ok: left.ok || right.ok,
            err: left.err || right.err,
            all_ok: left.all_ok || right.all_ok,
            all_err: left.all_err || right.all_err,
        }),
        Pat::Ident(ident) => match &ident.subpat {
            Some((_, inner)) => cover(inner),
            None if irrefutable(pat) => ALL,
            None => SOME,
        },
        Pat::Wild(_) => ALL,
        _ => SOME,
    }
}

/// Whether a pattern certainly matches every value. A capitalised name may be a constant or a variant.
fn irrefutable(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Ident(ident) => match &ident.subpat {
            Some((_, inner)) => irrefutable(inner),
            None => !ident.ident.to_string().starts_with(char::is_uppercase),
        },
        Pat::Tuple(tuple) => tuple.elems.iter().all(irrefutable),
        Pat::Paren(inner) => irrefutable(&inner.pat),
        Pat::Reference(inner) => irrefutable(&inner.pat),
        Pat::Type(inner) => irrefutable(&inner.pat),
        _ => false,
    }
}
