//! Every property that a user can write has a case that misuses it, beside the compiler's words.

use crate::table::{PROPERTIES, Property};
use std::path::Path;

fn misused(property: &Property) -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/fail");
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.ends_with(".stderr") && name.starts_with(&format!("{}_", property.name))
    })
}

#[test]
fn every_property_has_a_misuse_golden() {
    for property in PROPERTIES {
        assert!(misused(property), "no tests/ui/fail/{0}_*.stderr: `{0}` has no misuse golden", property.name);
    }
}

#[test]
fn a_property_is_listed_once_per_place() {
    for (index, property) in PROPERTIES.iter().enumerate() {
        let twice =
            PROPERTIES[..index].iter().any(|other| (other.place, other.name) == (property.place, property.name));
        assert!(!twice, "{} is listed twice", property.name);
    }
}
