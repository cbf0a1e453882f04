//! The BERT encoder, built from its weights with ONNX Runtime's graph editor.
//!
//! The post-norm transformer encoder of Devlin et al., "BERT", NAACL 2019, on the operators that
//! ONNX Runtime runs fastest on processors: `MultiHeadAttention`, which goes through keys block by
//! block where nothing is masked, `SkipLayerNormalization`, and `Gelu` with the exact error
//! function. Everything but attention works on rows of [batch · tokens, hidden].
//!
//! Two of the biases of attention need no work per token. The key's adds the same to all scores of
//! a token, which softmax does not see. The value's comes out of attention as it went in, because
//! weights sum to 1, and so becomes part of the bias that follows.

use ort::editor::{Graph, Model, Node, ONNX_DOMAIN, Opset};
use ort::memory::Allocator;
use ort::operator::Attribute;
use ort::value::{Outlet, Shape, SymbolicDimensions, Tensor, TensorElementType, ValueType};

use super::weights::{Layout, Weights};
use crate::EmbedError;

const FUSED: &str = "com.microsoft";
/// The first opset with `Gelu`.
const OPSET: u32 = 20;
/// Name of the shape [batch, tokens, hidden] of this run.
const TEXTS: &str = "shape.texts";
/// Name of the shape [batch · tokens, hidden].
const ROWS: &str = "shape.rows";

/// What the weights do not say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BertShape {
    /// Attention heads per layer.
    pub(crate) heads: i64,
    /// The small number under the root of a layer normalisation.
    pub(crate) epsilon: f32,
}

/// Builds the encoder: inputs `input_ids` and `token_type_ids` as 32-bit integers of shape
/// [batch, tokens], output `last_hidden_state` of shape [batch, tokens, hidden]. There is no mask:
/// the texts of a batch are of equal length.
pub(crate) fn encoder(weights: &Weights<'_>, shape: BertShape) -> Result<Model, EmbedError> {
    let mut bert = Bert {
        graph: Graph::new()?,
        weights,
        shape,
    };
    let inputs = ["input_ids", "token_type_ids"];
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
    bert.reshape(&state, TEXTS, "last_hidden_state")?;
    let mut model = Model::new([Opset::new(ONNX_DOMAIN, OPSET)?, Opset::new(FUSED, 1)?])?;
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
    /// Word, position and segment embeddings, summed and normalised, as rows.
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
        let outputs = ["embedded", "embedded.mask"];
        let node = Node::new(
            "EmbedLayerNormalization",
            FUSED,
            "embed",
            inputs,
            outputs,
            [epsilon],
        )?;
        self.graph.add_node(node)?;
        self.node("Shape", ONNX_DOMAIN, &["embedded"], TEXTS, &[])?;
        let mut rows = Tensor::<i64>::new(&Allocator::default(), [2_usize])?;
        let hidden = self.weights.hidden()?;
        rows.extract_tensor_mut().1.copy_from_slice(&[-1, hidden]);
        self.graph.add_initializer(ROWS, rows, false)?;
        self.reshape("embedded", ROWS, "state.0")
    }

    /// One encoder layer: attention and feed-forward, each with its residual and normalisation.
    fn layer(&mut self, layer: usize, state: &str) -> Result<String, EmbedError> {
        let at = |name: &str| format!("encoder.layer.{layer}.{name}");
        let attended = self.attention(layer, state)?;
        let bias = at("attention.output.bias");
        let (shape, values) = self.weights.attention_bias(layer)?;
        self.initializer(&bias, &shape, &values)?;
        let attended = self.residual(&at("attention.output"), &bias, &attended, state)?;
        let wide = self.affine(&at("intermediate.dense"), &attended)?;
        let active = at("active");
        self.node("Gelu", ONNX_DOMAIN, &[&wide], &active, &[])?;
        let bias = self.weight(&at("output.dense.bias"), Layout::AsStored)?;
        self.residual(&at("output"), &bias, &active, &attended)
    }

    /// Attention within each text, without the value's bias.
    fn attention(&mut self, layer: usize, state: &str) -> Result<String, EmbedError> {
        let at = |name: &str| format!("encoder.layer.{layer}.attention.self.{name}");
        let rows = [
            self.affine(&at("query"), state)?,
            self.project(&at("key"), state)?,
            self.project(&at("value"), state)?,
        ];
        let mut texts = Vec::with_capacity(rows.len());
        for row in &rows {
            texts.push(self.reshape(row, TEXTS, &format!("{row}.texts"))?);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (attended, heads) = (at("attended"), [("num_heads", self.shape.heads)]);
        self.node("MultiHeadAttention", FUSED, &texts, &attended, &heads)?;
        self.reshape(&attended, ROWS, &at("attended.rows"))
    }

    /// Dense projection, bias, residual, layer normalisation.
    fn residual(
        &mut self,
        name: &str,
        bias: &str,
        input: &str,
        skip: &str,
    ) -> Result<String, EmbedError> {
        let projected = self.project(&format!("{name}.dense"), input)?;
        let [gamma, beta] = self.norm(&format!("{name}.LayerNorm"))?;
        let (inputs, output) = (
            [&projected, skip, &gamma, &beta, bias],
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

    /// Dense projection.
    fn project(&mut self, name: &str, input: &str) -> Result<String, EmbedError> {
        let matrix = self.weight(&format!("{name}.weight"), Layout::Transposed)?;
        let output = format!("{name}.product");
        self.node("MatMul", ONNX_DOMAIN, &[input, &matrix], &output, &[])?;
        Ok(output)
    }

    /// Dense projection and bias.
    fn affine(&mut self, name: &str, input: &str) -> Result<String, EmbedError> {
        let matrix = self.weight(&format!("{name}.weight"), Layout::Transposed)?;
        let bias = self.weight(&format!("{name}.bias"), Layout::AsStored)?;
        let output = format!("{name}.sum");
        self.node("Gemm", ONNX_DOMAIN, &[input, &matrix, &bias], &output, &[])?;
        Ok(output)
    }

    fn reshape(&mut self, input: &str, shape: &str, output: &str) -> Result<String, EmbedError> {
        self.node("Reshape", ONNX_DOMAIN, &[input, shape], output, &[])?;
        Ok(output.to_owned())
    }

    fn norm(&mut self, name: &str) -> Result<[String; 2], EmbedError> {
        let gamma = self.weight(&format!("{name}.weight"), Layout::AsStored)?;
        let beta = self.weight(&format!("{name}.bias"), Layout::AsStored)?;
        Ok([gamma, beta])
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
