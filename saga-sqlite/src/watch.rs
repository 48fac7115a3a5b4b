//! Whether the path still names the file that was opened.
//!
//! Decides that nothing is acknowledged into a file that nobody can find any more: on some systems one that is removed or
//! replaced stays writable for whoever has it open.

use crate::options::Place;
use saga_core::store::StoreError;
use std::path::{Path, PathBuf};

/// The file that a store was opened in.
#[derive(Debug, Clone)]
pub(crate) struct Watch(Option<(PathBuf, Identity)>);

/// What tells one file from another, whatever it is called: device and number.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// Here an open file can be neither removed nor replaced.
#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<Identity> {
    Some((0, 0))
}

impl Watch {
    /// Watches the file that was just opened there.
    pub(crate) fn over(place: &Place) -> Watch {
        match place {
            Place::File(path) => Watch(identity(path).map(|identity| (path.clone(), identity))),
            Place::Memory => Watch(None),
        }
    }

    /// Looks at the path: one call of the system, without touching the disk.
    ///
    /// # Errors
    /// [`StoreError::Replaced`], as long as the path names nothing or another file.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let Some((path, opened)) = &self.0 else { return Ok(()) };
        let how = match identity(path) {
            Some(found) if found == *opened => return Ok(()),
            Some(_) => "was replaced by another file",
            None => "was removed",
        };
        Err(StoreError::Replaced(format!("{} {how}", path.display())))
    }
}
