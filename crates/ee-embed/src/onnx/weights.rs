//! A BERT's weights in a safetensors file, in the layouts that the graph takes.

use safetensors::{Dtype, SafeTensors};

use crate::EmbedError;

/// No published BERT has as many layers.
const MOST_LAYERS: usize = 1_000;

/// How a matrix is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As the file has it.
    AsStored,
    /// Rows and columns exchanged: the file keeps linear layers as [out, in].
    Transposed,
}

/// Shape and values of a tensor.
pub(crate) type Dense = (Vec<i64>, Vec<f32>);

/// The weights of one model.
pub(crate) struct Weights<'a>(SafeTensors<'a>);

impl<'a> Weights<'a> {
    /// Reads the header of a safetensors file.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, EmbedError> {
        let tensors = SafeTensors::deserialize(bytes);
        Ok(Self(
            tensors.map_err(|error| EmbedError::weights(error.to_string()))?,
        ))
    }

    /// How many encoder layers there are.
    pub(crate) fn layers(&self) -> usize {
        let has = |layer: &usize| {
            self.0
                .tensor(&format!("encoder.layer.{layer}.output.dense.bias"))
                .is_ok()
        };
        (0..MOST_LAYERS).take_while(has).count()
    }

    /// One tensor, fp32.
    pub(crate) fn tensor(&self, name: &str, layout: Layout) -> Result<Dense, EmbedError> {
        let view = self
            .0
            .tensor(name)
            .map_err(|_| EmbedError::weights(format!("no {name}")))?;
        if view.dtype() != Dtype::F32 {
            return Err(EmbedError::weights(format!(
                "{name} is {:?}, not F32",
                view.dtype()
            )));
        }
        let floats = view.data().chunks_exact(4).map(|bytes| match *bytes {
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
            _ => 0.0,
        });
        let values: Vec<f32> = floats.collect();
        match (layout, view.shape()) {
            (Layout::Transposed, &[rows, columns]) => {
                Ok((shape(&[columns, rows]), transposed(&values, rows, columns)))
            }
            (_, stored) => Ok((shape(stored), values)),
        }
    }

    /// Width of the token states.
    pub(crate) fn hidden(&self) -> Result<i64, EmbedError> {
        let (shape, _) = self.tensor("embeddings.LayerNorm.bias", Layout::AsStored)?;
        Ok(shape.first().copied().unwrap_or_default())
    }

    /// The bias behind the attention of a layer, with the value's bias carried through the output
    /// projection: `b + W · v`.
    pub(crate) fn attention_bias(&self, layer: usize) -> Result<Dense, EmbedError> {
        let get = |name: &str| {
            let name = format!("encoder.layer.{layer}.attention.{name}");
            self.tensor(&name, Layout::AsStored)
        };
        let (_, matrix) = get("output.dense.weight")?;
        let (_, value) = get("self.value.bias")?;
        let (shape, mut bias) = get("output.dense.bias")?;
        for (sum, row) in bias.iter_mut().zip(matrix.chunks_exact(value.len().max(1))) {
            let products = row.iter().zip(&value);
            let carried: f64 = products.map(|(w, v)| f64::from(*w) * f64::from(*v)).sum();
            *sum = (f64::from(*sum) + carried) as f32;
        }
        Ok((shape, bias))
    }
}

fn shape(sizes: &[usize]) -> Vec<i64> {
    sizes.iter().map(|size| *size as i64).collect()
}

fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let cell = |column: usize, row: usize| values.get(row * columns + column).copied();
    let cells = (0..columns).flat_map(|column| (0..rows).map(move |row| cell(column, row)));
    cells.map(Option::unwrap_or_default).collect()
}
