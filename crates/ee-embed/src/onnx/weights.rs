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

    /// Query, key and value of one layer side by side: the matrix [hidden, 3 · hidden] and the
    /// bias [3 · hidden].
    pub(crate) fn query_key_value(&self, layer: usize) -> Result<(Dense, Dense), EmbedError> {
        let name = |part, what| format!("encoder.layer.{layer}.attention.self.{part}.{what}");
        let (mut stacked, mut bias, mut hidden) = (Vec::new(), Vec::new(), 0);
        for part in ["query", "key", "value"] {
            let (shape, values) = self.tensor(&name(part, "weight"), Layout::AsStored)?;
            hidden = shape.first().copied().unwrap_or_default() as usize;
            stacked.extend(values);
            bias.extend(self.tensor(&name(part, "bias"), Layout::AsStored)?.1);
        }
        let matrix = (
            shape(&[hidden, 3 * hidden]),
            transposed(&stacked, 3 * hidden, hidden),
        );
        Ok((matrix, (shape(&[3 * hidden]), bias)))
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
