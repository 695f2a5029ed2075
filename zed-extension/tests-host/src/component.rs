//! A component as a file: what Zed keeps of it, and what it looks for in it.

use std::mem;

use anyhow::{Result, bail};
use wasm_encoder::{ComponentSectionId, Encode, RawSection, Section};
use wasmparser::{Parser, Payload};

const API_VERSION: &str = "zed:api-version";

/// The component as Zed packages it: without the custom sections that it has no use for.
pub fn packed(component: &[u8]) -> Result<Vec<u8>> {
    let mut output = Vec::new();
    // What is around the part that is being read.
    let mut outer: Vec<Vec<u8>> = Vec::new();
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload?;
        match payload {
            Payload::Version { encoding, .. } => output.extend_from_slice(match encoding {
                wasmparser::Encoding::Component => &wasm_encoder::Component::HEADER,
                wasmparser::Encoding::Module => &wasm_encoder::Module::HEADER,
            }),
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => {
                outer.push(mem::take(&mut output));
                continue;
            }
            Payload::End(_) => {
                let Some(mut parent) = outer.pop() else {
                    break;
                };
                let id = if output.starts_with(&wasm_encoder::Component::HEADER) {
                    ComponentSectionId::Component
                } else {
                    ComponentSectionId::CoreModule
                };
                parent.push(id as u8);
                output.encode(&mut parent);
                output = parent;
            }
            _ => {}
        }
        if let Payload::CustomSection(section) = &payload
            && !is_kept(section.name())
        {
            continue;
        }
        if let Some((id, range)) = payload.as_section() {
            let data = component.get(range).unwrap_or_default();
            RawSection { id, data }.append_to(&mut output);
        }
    }
    Ok(output)
}

fn is_kept(name: &str) -> bool {
    matches!(name, "name" | "dylink.0" | API_VERSION) || name.starts_with("component-type:")
}

/// The names of all custom sections, at any depth.
pub fn sections(component: &[u8]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(component) {
        if let Payload::CustomSection(section) = payload? {
            names.push(section.name().to_owned());
        }
    }
    Ok(names)
}

/// Three numbers of two bytes, from which Zed knows which world the extension was built for.
pub fn api_version(component: &[u8]) -> Result<String> {
    for payload in Parser::new(0).parse_all(component) {
        if let Payload::CustomSection(section) = payload?
            && section.name() == API_VERSION
        {
            let &[a, b, c, d, e, f] = section.data() else {
                bail!("{API_VERSION} has {} bytes", section.data().len());
            };
            let numbers = [[a, b], [c, d], [e, f]].map(u16::from_be_bytes);
            return Ok(numbers.map(|number| number.to_string()).join("."));
        }
    }
    bail!("there is no section {API_VERSION}")
}
