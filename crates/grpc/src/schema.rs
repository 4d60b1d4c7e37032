//! Where methods come from: protos, a set of descriptors, a server.

use std::path::{Path, PathBuf};

use prost::Message as _;
use prost_reflect::DescriptorPool;
use prost_reflect::prost_types::{FileDescriptorProto, FileDescriptorSet};
use protox::file::FileResolver as _;

use crate::error::SchemaError;
use crate::method::Method;
use crate::protos::{Folders, OneFile, in_words};

/// Services and their messages.
#[derive(Debug, Clone)]
pub struct Schema {
    pool: DescriptorPool,
}

impl Schema {
    /// Compiles protos; what they import is looked for in `imports`, and in the folder of each where there are none.
    ///
    /// # Errors
    /// When one cannot be read or compiled.
    pub fn compile(protos: &[PathBuf], imports: &[PathBuf]) -> Result<Self, SchemaError> {
        let folder = |proto: &PathBuf| match proto.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let own = protos.iter().filter(|_| imports.is_empty()).map(folder);
        let folders = || Folders(imports.iter().cloned().chain(own.clone()).collect());
        let mut compiler = protox::Compiler::with_file_resolver(folders());
        compiler.include_imports(true);
        for proto in protos {
            refuse_shadowed(proto, &folders())?;
            compiler.open_file(proto).map_err(|error| SchemaError::Unusable(in_words(&error)))?;
        }
        Self::of(compiler.file_descriptor_set())
    }

    /// Compiles a proto that is at hand as text; it may import nothing but Google's well-known types.
    ///
    /// # Errors
    /// When it cannot be compiled.
    pub fn of_text(name: &str, text: &str) -> Result<Self, SchemaError> {
        let file = OneFile { name: name.to_owned(), text: text.to_owned() };
        let mut compiler = protox::Compiler::with_file_resolver(file);
        compiler.include_imports(true);
        compiler.open_file(name).map_err(|error| SchemaError::Unusable(in_words(&error)))?;
        Self::of(compiler.file_descriptor_set())
    }

    /// Reads a `FileDescriptorSet`, as `protoc --include_imports --descriptor_set_out` writes it.
    ///
    /// # Errors
    /// When the bytes are none.
    pub fn from_set(bytes: &[u8]) -> Result<Self, SchemaError> {
        let set =
            FileDescriptorSet::decode(bytes).map_err(|error| SchemaError::Unusable(error.to_string()))?;
        Self::of(set)
    }

    /// What stands in a set of descriptors is untrusted: a server's reflection sends one.
    pub(crate) fn of(set: FileDescriptorSet) -> Result<Self, SchemaError> {
        // prost-reflect 0.16.5 panics at any other syntax.
        let known =
            |file: &&FileDescriptorProto| matches!(file.syntax.as_deref(), None | Some("proto2" | "proto3"));
        if let Some(file) = set.file.iter().find(|file| !known(file)) {
            return Err(SchemaError::Unusable(format!(
                "`{}` has the syntax `{}`: expected proto2 or proto3",
                file.name().escape_debug(),
                file.syntax().escape_debug()
            )));
        }
        let pool = DescriptorPool::from_file_descriptor_set(set);
        pool.map(|pool| Self { pool }).map_err(|error| SchemaError::Unusable(error.to_string()))
    }

    /// The services' full names.
    pub fn services(&self) -> Vec<String> {
        self.pool.services().map(|service| service.full_name().to_owned()).collect()
    }

    /// The method with a name as in `package.Service/Method` or `package.Service.Method`.
    ///
    /// # Errors
    /// When it is not there.
    pub fn method(&self, name: &str) -> Result<Method, SchemaError> {
        let (service, method) = split(name)?;
        let found = self.pool.get_service_by_name(service);
        let found = found
            .ok_or_else(|| SchemaError::NoService { service: service.to_owned(), known: self.services() })?;
        let descriptor = found.methods().find(|known| known.name() == method);
        descriptor.map(Method::new).ok_or_else(|| SchemaError::NoMethod {
            service: service.to_owned(),
            method: method.to_owned(),
            known: found.methods().map(|known| known.name().to_owned()).collect(),
        })
    }
}

/// Refuses a proto that is not there, that no folder is above, or that an earlier folder has another one of.
fn refuse_shadowed(proto: &Path, folders: &Folders) -> Result<(), SchemaError> {
    let shown = proto.display();
    let is_own = |found: &Path| found.canonicalize().ok() == proto.canonicalize().ok();
    let what = match folders.resolve_path(proto).map(|name| folders.find(&name)) {
        Some(Some(found)) if !is_own(&found) => {
            format!("`{shown}` is hidden by `{}`\n  expected its --import-path first", found.display())
        }
        Some(Some(_)) => return Ok(()),
        // Named as an import is.
        None if proto.is_relative() && proto.to_str().is_some_and(|name| folders.find(name).is_some()) => {
            return Ok(());
        }
        None if proto.exists() => {
            format!("`{shown}` is below no --import-path\n  expected one that it is below")
        }
        _ => format!("`{shown}` is not there\n  expected a file of protos"),
    };
    Err(SchemaError::Unusable(what))
}

/// Service and method.
pub(crate) fn split(name: &str) -> Result<(&str, &str), SchemaError> {
    let bare = name.strip_prefix('/').unwrap_or(name);
    let parts = bare.split_once('/').or_else(|| bare.rsplit_once('.'));
    parts
        .filter(|(service, method)| !service.is_empty() && !method.is_empty() && !method.contains('/'))
        .ok_or_else(|| SchemaError::NotAMethod(name.to_owned()))
}
