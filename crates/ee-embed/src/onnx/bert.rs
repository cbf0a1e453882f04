//! The BERT encoder, built from its weights with ONNX Runtime's graph editor.
//!
//! The post-norm transformer encoder of Devlin et al., "BERT", NAACL 2019, on ONNX Runtime's fused
//! operators (`com.microsoft`): `Attention`, `SkipLayerNormalization`, and `BiasGelu`, which uses
//! the exact error function.

use ort::editor::{Graph, Model, Node, ONNX_DOMAIN, Opset};
use ort::memory::Allocator;
use ort::operator::Attribute;
use ort::value::{Outlet, Shape, SymbolicDimensions, Tensor, TensorElementType, ValueType};

use super::weights::{Layout, Weights};
use crate::EmbedError;

const FUSED: &str = "com.microsoft";

/// What the weights do not say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BertShape {
    /// Attention heads per layer.
    pub(crate) heads: i64,
    /// The small number under the root of a layer normalisation.
    pub(crate) epsilon: f32,
}

/// Builds the encoder: inputs `input_ids`, `token_type_ids` and `attention_mask` as 32-bit integers
/// of shape [batch, tokens], output `last_hidden_state` of shape [batch, tokens, hidden].
pub(crate) fn encoder(weights: &Weights<'_>, shape: BertShape) -> Result<Model, EmbedError> {
    let mut bert = Bert {
        graph: Graph::new()?,
        weights,
        shape,
    };
    let inputs = ["input_ids", "token_type_ids", "attention_mask"];
    bert.graph
        .set_inputs(inputs.map(|name| outlet(name, TensorElementType::Int32, &[-1, -1])))?;
    let states = outlet(
        "last_hidden_state",
        TensorElementType::Float32,
        &[-1, -1, -1],
    );
    bert.graph.set_outputs([states])?;
    let mut state = bert.embed()?;
    for layer in 0..weights.layers() {
        state = bert.layer(layer, &state)?;
    }
    bert.node("Identity", ONNX_DOMAIN, &[&state], "last_hidden_state", &[])?;
    let mut model = Model::new([Opset::new(ONNX_DOMAIN, 17)?, Opset::new(FUSED, 1)?])?;
    model.set_graph(bert.graph)?;
    Ok(model)
}

fn outlet(name: &str, ty: TensorElementType, shape: &[i64]) -> Outlet {
    let (shape, dimensions) = (Shape::new(shape.iter().copied()), shape.len());
    let dimension_symbols = SymbolicDimensions::empty(dimensions);
    Outlet::new(
        name,
        ValueType::Tensor {
            ty,
            shape,
            dimension_symbols,
        },
    )
}

struct Bert<'a> {
    graph: Graph,
    weights: &'a Weights<'a>,
    shape: BertShape,
}

impl Bert<'_> {
    /// Word, position and segment embeddings, summed and normalised.
    fn embed(&mut self) -> Result<String, EmbedError> {
        let word = self.weight("embeddings.word_embeddings.weight", Layout::AsStored)?;
        let position = self.weight("embeddings.position_embeddings.weight", Layout::AsStored)?;
        let segment = self.weight("embeddings.token_type_embeddings.weight", Layout::AsStored)?;
        let [gamma, beta] = self.norm("embeddings.LayerNorm")?;
        let inputs = [
            "input_ids",
            "token_type_ids",
            &word,
            &position,
            &segment,
            &gamma,
            &beta,
        ];
        let epsilon = Attribute::new("epsilon", self.shape.epsilon)?;
        let outputs = ["state.0", "state.0.mask"];
        let node = Node::new(
            "EmbedLayerNormalization",
            FUSED,
            "embed",
            inputs,
            outputs,
            [epsilon],
        )?;
        self.graph.add_node(node)?;
        Ok("state.0".to_owned())
    }

    /// One encoder layer: attention and feed-forward, each with its residual and normalisation.
    fn layer(&mut self, layer: usize, state: &str) -> Result<String, EmbedError> {
        let at = |name: &str| format!("encoder.layer.{layer}.{name}");
        let qkv = self.attention_weights(layer)?;
        let attended = at("attended");
        let heads = [("num_heads", self.shape.heads)];
        self.node(
            "Attention",
            FUSED,
            &[state, &qkv.0, &qkv.1, "attention_mask"],
            &attended,
            &heads,
        )?;
        let attended = self.residual(&at("attention.output"), &attended, state)?;
        let wide = self.project(&at("intermediate.dense"), &attended)?;
        let bias = self.weight(&at("intermediate.dense.bias"), Layout::AsStored)?;
        let active = at("active");
        self.node("BiasGelu", FUSED, &[&wide, &bias], &active, &[])?;
        self.residual(&at("output"), &active, &attended)
    }

    /// Dense projection, bias, residual, layer normalisation.
    fn residual(&mut self, name: &str, input: &str, skip: &str) -> Result<String, EmbedError> {
        let projected = self.project(&format!("{name}.dense"), input)?;
        let bias = self.weight(&format!("{name}.dense.bias"), Layout::AsStored)?;
        let [gamma, beta] = self.norm(&format!("{name}.LayerNorm"))?;
        let (inputs, output) = (
            [&projected, skip, &gamma, &beta, &bias],
            format!("{name}.normed"),
        );
        let epsilon = Attribute::new("epsilon", self.shape.epsilon)?;
        let node = Node::new(
            "SkipLayerNormalization",
            FUSED,
            &output,
            inputs,
            [&output],
            [epsilon],
        )?;
        self.graph.add_node(node)?;
        Ok(output)
    }

    fn project(&mut self, name: &str, input: &str) -> Result<String, EmbedError> {
        let matrix = self.weight(&format!("{name}.weight"), Layout::Transposed)?;
        let output = format!("{name}.product");
        self.node("MatMul", ONNX_DOMAIN, &[input, &matrix], &output, &[])?;
        Ok(output)
    }

    fn norm(&mut self, name: &str) -> Result<[String; 2], EmbedError> {
        let gamma = self.weight(&format!("{name}.weight"), Layout::AsStored)?;
        let beta = self.weight(&format!("{name}.bias"), Layout::AsStored)?;
        Ok([gamma, beta])
    }

    /// Query, key and value weights side by side, as the fused operator takes them.
    fn attention_weights(&mut self, layer: usize) -> Result<(String, String), EmbedError> {
        let (matrix, bias) = self.weights.query_key_value(layer)?;
        let names = (
            format!("layer.{layer}.qkv"),
            format!("layer.{layer}.qkv.bias"),
        );
        self.initializer(&names.0, &matrix.0, &matrix.1)?;
        self.initializer(&names.1, &bias.0, &bias.1)?;
        Ok(names)
    }

    fn weight(&mut self, name: &str, layout: Layout) -> Result<String, EmbedError> {
        let (shape, values) = self.weights.tensor(name, layout)?;
        self.initializer(name, &shape, &values)?;
        Ok(name.to_owned())
    }

    fn initializer(&mut self, name: &str, shape: &[i64], values: &[f32]) -> Result<(), EmbedError> {
        let mut tensor = Tensor::<f32>::new(&Allocator::default(), shape.to_vec())?;
        tensor.extract_tensor_mut().1.copy_from_slice(values);
        Ok(self.graph.add_initializer(name, tensor, false)?)
    }

    fn node(
        &mut self,
        operator: &str,
        domain: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&str, i64)],
    ) -> Result<(), EmbedError> {
        let attributes = attributes
            .iter()
            .map(|(name, value)| Attribute::new(name, *value));
        let attributes = attributes.collect::<Result<Vec<_>, _>>()?;
        let node = Node::new(operator, domain, output, inputs, [output], attributes)?;
        Ok(self.graph.add_node(node)?)
    }
}
