//! What an object in the page consists of.

use serde::Deserialize;
use serde_json::value::RawValue;

/// `Runtime.getProperties`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Properties {
    result: Vec<Property>,
    internal_properties: Vec<Property>,
}

/// `Runtime.PropertyDescriptor`, `Runtime.InternalPropertyDescriptor`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Property {
    name: String,
    value: PropertyValue,
}

/// `Runtime.RemoteObject`, of a property.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PropertyValue {
    value: Option<Box<RawValue>>,
    object_id: Option<String>,
}

/// `Debugger.Location`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    script_id: String,
}

impl Properties {
    /// The objects of an array, in its order.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &str> {
        self.result.iter().filter_map(|p| p.value.object_id.as_deref())
    }

    /// The script that a function is of.
    pub(crate) fn script(&self) -> Option<String> {
        let place = self.internal_properties.iter().find(|p| p.name == "[[FunctionLocation]]")?;
        let location: Location = serde_json::from_str(place.value.value.as_ref()?.get()).ok()?;
        Some(location.script_id)
    }
}
