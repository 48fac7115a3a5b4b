//! placeholder
/// m
#[derive(Debug)]
pub struct MemoryStore;
