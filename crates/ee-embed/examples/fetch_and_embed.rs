//! Brings the runtime library and the models named as arguments (the default embedder without
//! any) to the models folder, then embeds two texts and prints how near they are.

use ee_embed::{
    EmbedConfig, EmbedError, Embedder, FetchProgress, Fetcher, HubAccess, Models, OnnxEmbedder,
    registry, runtime_library,
};

/// Prints the steps; a program would draw a bar from the bytes.
struct Steps;

impl FetchProgress for Steps {
    fn bytes(&self, _file: &str, _done: u64, _all: Option<u64>) {}
    fn step(&self, what: &str) {
        eprintln!("{what}");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = EmbedConfig::default();
    let models = Models::in_folder(Models::default_folder().ok_or("there is no home folder")?);
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names.push(config.model.clone());
    }
    fetch(&models, &names)?;

    let library = runtime_library(None, models.folder());
    let embedder = OnnxEmbedder::open(&models.embedder(&config.model)?, &library, &config)?;
    let texts = [
        "How long is a token valid?",
        "Tokens expire after one hour.",
    ];
    let embeddings = embedder.embed_documents(&texts)?;
    if let [first, second] = embeddings.as_slice() {
        let pairs = first.vector.iter().zip(&second.vector);
        let cosine: f32 = pairs.map(|(a, b)| a * b).sum();
        println!("cosine {cosine:.3}, {} tokens", first.tokens.total);
    }
    Ok(())
}

fn fetch(models: &Models, names: &[String]) -> Result<(), EmbedError> {
    let mut fetcher = Fetcher::new(models, HubAccess::from_environment(), &Steps);
    fetcher.asset(&registry::RUNTIME)?;
    names.iter().try_for_each(|name| fetcher.model(name))
}
