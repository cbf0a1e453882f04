//! Quality of the knowledge base on labelled data.
