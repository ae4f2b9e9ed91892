//! Pictures as files.

use handeye_scene::{Code, Problem};

/// Red, green and blue of each pixel as a PNG.
pub(crate) fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    written.map_err(|e| Problem::new(Code::Bug, format!("the picture can't be encoded: {e}")))?;
    Ok(bytes)
}
