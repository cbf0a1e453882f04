//! The grammars that are built in, and which of their nodes hold items.

use tree_sitter::Language;

pub(super) struct Grammar {
    /// File endings or names of languages.
    names: &'static [&'static str],
    pub(super) language: fn() -> Language,
    /// Nodes whose body holds items: classes, modules, implementations.
    pub(super) containers: &'static [&'static str],
    /// Nodes around an item that belong to it: decorators, `export`, `template`.
    pub(super) wrappers: &'static [&'static str],
    /// Nodes before an item that belong to it, beside comments.
    pub(super) prefixes: &'static [&'static str],
}

/// The grammar of an ending, else of a language.
pub(super) fn of(ending: &str, language: &str) -> Option<&'static Grammar> {
    let named = |name: &str| {
        GRAMMARS
            .iter()
            .find(|grammar| grammar.names.contains(&name))
    };
    named(ending).or_else(|| named(language))
}

static GRAMMARS: [Grammar; 9] = [
    Grammar {
        names: &["rust"],
        language: || tree_sitter_rust::LANGUAGE.into(),
        containers: &["impl_item", "trait_item", "mod_item", "foreign_mod_item"],
        wrappers: &[],
        prefixes: &["attribute_item", "inner_attribute_item"],
    },
    Grammar {
        names: &["python"],
        language: || tree_sitter_python::LANGUAGE.into(),
        containers: &["class_definition"],
        wrappers: &["decorated_definition"],
        prefixes: &[],
    },
    Grammar {
        names: &["javascript"],
        language: || tree_sitter_javascript::LANGUAGE.into(),
        containers: &["class_declaration"],
        wrappers: &["export_statement"],
        prefixes: &["decorator"],
    },
    Grammar {
        names: &["tsx"],
        language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
        containers: TYPESCRIPT_CONTAINERS,
        wrappers: TYPESCRIPT_WRAPPERS,
        prefixes: &["decorator"],
    },
    Grammar {
        names: &["typescript"],
        language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        containers: TYPESCRIPT_CONTAINERS,
        wrappers: TYPESCRIPT_WRAPPERS,
        prefixes: &["decorator"],
    },
    Grammar {
        names: &["go"],
        language: || tree_sitter_go::LANGUAGE.into(),
        containers: &[],
        wrappers: &[],
        prefixes: &[],
    },
    Grammar {
        names: &["java"],
        language: || tree_sitter_java::LANGUAGE.into(),
        containers: &[
            "class_declaration",
            "enum_declaration",
            "interface_declaration",
            "annotation_type_declaration",
            "record_declaration",
        ],
        wrappers: &[],
        prefixes: &[],
    },
    Grammar {
        names: &["c"],
        language: || tree_sitter_c::LANGUAGE.into(),
        containers: &["linkage_specification"],
        wrappers: &[],
        prefixes: &[],
    },
    Grammar {
        names: &["cpp"],
        language: || tree_sitter_cpp::LANGUAGE.into(),
        containers: &[
            "class_specifier",
            "struct_specifier",
            "namespace_definition",
            "linkage_specification",
        ],
        wrappers: &["template_declaration"],
        prefixes: &["access_specifier"],
    },
];

const TYPESCRIPT_CONTAINERS: &[&str] = &[
    "class_declaration",
    "abstract_class_declaration",
    "internal_module",
    "module",
];
const TYPESCRIPT_WRAPPERS: &[&str] = &[
    "export_statement",
    "ambient_declaration",
    "expression_statement",
];
