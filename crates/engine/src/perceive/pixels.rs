//! Pictures as pixels and as files, and what a part of one looks like.

use handeye_scene::{Code, Picture, Point, Problem, Rect, Shot};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Bytes that the decoder may use: a picture of 16,384 by 16,384 pixels.
const MOST_BYTES: usize = 16_384 * 16_384 * 4;
/// A scale that differs by less from what the picture's size says is taken as told.
const SAME_SCALE: f64 = 0.02;

/// The pixels of a shot, which must be a PNG.
pub fn decode(shot: &Shot) -> Result<Picture, Problem> {
    let unreadable =
        |what: &dyn std::fmt::Display| Problem::new(Code::Bug, format!("the picture can't be read: {what}"));
    let mut decoder =
        png::Decoder::new_with_limits(std::io::Cursor::new(&shot.bytes), png::Limits { bytes: MOST_BYTES });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| unreadable(&e))?;
    let size = reader.output_buffer_size().filter(|size| *size <= MOST_BYTES);
    let mut bytes = vec![0; size.ok_or_else(|| unreadable(&"it is too large"))?];
    let frame = reader.next_frame(&mut bytes).map_err(|e| unreadable(&e))?;
    bytes.truncate(frame.buffer_size());
    let rgba = match frame.color_type {
        png::ColorType::Rgba => bytes,
        png::ColorType::Rgb => bytes.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], u8::MAX]).collect(),
        png::ColorType::GrayscaleAlpha => bytes.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        png::ColorType::Grayscale | png::ColorType::Indexed => {
            bytes.iter().flat_map(|p| [*p, *p, *p, u8::MAX]).collect()
        }
    };
    let measured = f64::from(frame.width) / shot.area.width;
    let scale = match measured.is_finite() && (measured - shot.scale).abs() > SAME_SCALE {
        true => measured,
        false => shot.scale,
    };
    let origin = Point::new(shot.area.x, shot.area.y);
    Picture::new((frame.width, frame.height), rgba, scale, origin).ok_or_else(|| unreadable(&"it has no size"))
}

/// A picture as a PNG.
pub fn encode(picture: &Picture) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(picture.rgba()));
    written.map_err(|e| Problem::new(Code::Bug, format!("the picture can't be encoded: {e}")))?;
    Ok(bytes)
}

/// The same so many times as large: each pixel is a square.
pub fn enlarged(picture: &Picture, times: u32) -> Result<Picture, Problem> {
    let copies = times as usize;
    let mut rgba = Vec::with_capacity(picture.rgba().len() * copies * copies);
    for row in picture.rgba().chunks_exact(picture.width() as usize * 4) {
        let wide: Vec<u8> = row.chunks_exact(4).flat_map(|pixel| pixel.repeat(copies)).collect();
        (0..copies).for_each(|_| rgba.extend_from_slice(&wide));
    }
    let size = (picture.width() * times, picture.height() * times);
    let origin = Point::new(picture.area().x, picture.area().y);
    let larger = Picture::new(size, rgba, picture.scale() * f64::from(times), origin);
    larger.ok_or_else(|| Problem::new(Code::Bug, "the picture can't be made larger"))
}

/// What a part of a picture looks like, as a number that is the same for the same pixels; none where that part isn't all in
/// the picture.
pub fn print(picture: &Picture, part: Rect) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    picture.rows(part)?.for_each(|row| row.hash(&mut hasher));
    Some(hasher.finish())
}

/// Colours that differ by no more, in each of red, green and blue, are one to the eye.
const ALIKE: u8 = 6;

/// Whether a part of a picture is of one colour, or not all in the picture.
pub fn is_plain(picture: &Picture, part: Rect) -> bool {
    let Some(rows) = picture.rows(part) else { return true };
    let (mut least, mut most) = ([u8::MAX; 3], [0; 3]);
    // The first that differs is enough: a model may claim thousands of places.
    rows.flat_map(|row| row.chunks_exact(4)).all(|pixel| {
        pixel.iter().zip(least.iter_mut().zip(&mut most)).all(|(value, (least, most))| {
            (*least, *most) = ((*least).min(*value), (*most).max(*value));
            *most - *least <= ALIKE
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32) -> Picture {
        let rgba = (0..width * height * 4).map(|i| if i % 4 == 3 { 255 } else { (i % 251) as u8 }).collect();
        Picture::new((width, height), rgba, 2.0, Point::new(3.0, -4.0)).unwrap()
    }

    #[test]
    fn a_picture_comes_back_from_its_file() {
        let whole = picture(20, 10);
        let shot = Shot { bytes: encode(&whole).unwrap(), scale: 2.0, area: whole.area() };
        assert_eq!(decode(&shot).unwrap(), whole);
        // The picture's own size has the last word on its scale.
        let stated = Shot { scale: 1.0, ..shot.clone() };
        assert_eq!(decode(&stated).unwrap().scale(), 2.0);
        let cut = Shot { bytes: shot.bytes[..40].to_vec(), ..shot.clone() };
        assert_eq!(decode(&cut).map_err(|p| p.code), Err(Code::Bug));
        assert_eq!(decode(&Shot { bytes: b"<html>".to_vec(), ..shot }).map_err(|p| p.code), Err(Code::Bug));
    }

    #[test]
    fn what_is_made_larger_shows_the_same_area() {
        let small = picture(20, 10);
        let large = enlarged(&small, 2).unwrap();
        assert_eq!((large.width(), large.height(), large.scale(), large.area()), (40, 20, 4.0, small.area()));
        let at = |p: &Picture, x: usize, y: usize| p.rgba()[(y * p.width() as usize + x) * 4];
        assert!((0..40).all(|x| (0..20).all(|y| at(&large, x, y) == at(&small, x / 2, y / 2))));
    }

    #[test]
    fn a_part_is_known_by_its_pixels_alone() {
        let mut now = picture(20, 10);
        let part = Rect::new(4.0, -3.0, 2.0, 2.0);
        let before = print(&now, part);
        assert!(before.is_some());
        now.rgba_mut()[0] ^= 1;
        assert_eq!(print(&now, part), before);
        // Its first pixel: column 2, row 2 of 20 pixels' width.
        now.rgba_mut()[(2 * 20 + 2) * 4] ^= 1;
        assert_ne!(print(&now, part), before);
        assert_eq!(print(&now, Rect::new(12.0, -3.0, 2.0, 2.0)), None);
    }
}
