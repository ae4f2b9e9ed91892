//! Parts of pictures, and pictures in another size.

use handeye_scene::{Picture, Point, Rect};

/// A part of a picture, in its pixels, as far as it is inside; at least a pixel.
pub fn crop(picture: &Picture, area: Rect) -> Picture {
    let side = |from: f64, length: f64, most: u32| {
        let first = (from.max(0.0) as u32).min(most.saturating_sub(1));
        let last = ((from + length).ceil().max(0.0) as u32).clamp(first + 1, most.max(first + 1));
        (first as usize, last as usize)
    };
    let (left, right) = side(area.x, area.width, picture.width());
    let (top, bottom) = side(area.y, area.height, picture.height());
    let row = picture.width() as usize * 4;
    let mut rgba = Vec::with_capacity((right - left) * (bottom - top) * 4);
    for line in picture.rgba().chunks_exact(row).skip(top).take(bottom - top) {
        rgba.extend_from_slice(line.get(left * 4..right * 4).unwrap_or_default());
    }
    let at = picture.on_surface(Rect::new(left as f64, top as f64, 0.0, 0.0));
    made(picture, ((right - left) as u32, (bottom - top) as u32), rgba, picture.scale(), Point::new(at.x, at.y))
}

/// The same in another size: each pixel is the mean of those that it covers (a box filter).
pub fn resized(picture: &Picture, width: u32, height: u32) -> Picture {
    let (width, height) = (width.max(1), height.max(1));
    let span = |at: u32, to: u32, from: u32| {
        let first = (u64::from(at) * u64::from(from) / u64::from(to)) as usize;
        let last = (u64::from(at + 1) * u64::from(from)).div_ceil(u64::from(to)) as usize;
        (first, last.max(first + 1))
    };
    let row = picture.width() as usize * 4;
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    let columns: Vec<(usize, usize)> = (0..width).map(|x| span(x, width, picture.width())).collect();
    for y in 0..height {
        let (top, bottom) = span(y, height, picture.height());
        for (left, right) in &columns {
            let (mut sums, mut count) = ([0_u64; 4], 0_u64);
            for line in top..bottom {
                let part = picture.rgba().get(line * row + left * 4..line * row + right * 4).unwrap_or_default();
                for pixel in part.chunks_exact(4) {
                    sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u64::from(*value));
                    count += 1;
                }
            }
            rgba.extend(sums.map(|sum| (sum / count.max(1)) as u8));
        }
    }
    let scale = picture.scale() * f64::from(width) / f64::from(picture.width());
    let area = picture.area();
    made(picture, (width, height), rgba, scale, Point::new(area.x, area.y))
}

/// The same, no longer on any side than `longest`.
pub fn fitted(picture: &Picture, longest: u32) -> Picture {
    let (most, longest) = (picture.width().max(picture.height()), longest.max(1));
    if most <= longest {
        return picture.clone();
    }
    let side = |side: u32| (u64::from(side) * u64::from(longest) / u64::from(most)) as u32;
    resized(picture, side(picture.width()), side(picture.height()))
}

/// These pixels, of which there are as many as the size says.
fn made(from: &Picture, size: (u32, u32), rgba: Vec<u8>, scale: f64, origin: Point) -> Picture {
    Picture::new(size, rgba, scale, origin).unwrap_or_else(|| from.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_cut_and_scaled() {
        let plain = |width: u32, height: u32| {
            let rgba = [10, 200, 30, 255].repeat(width as usize * height as usize);
            Picture::new((width, height), rgba, 2.0, Point::new(-5.0, 7.0)).unwrap()
        };
        let size = |picture: &Picture| (picture.width(), picture.height());
        let picture = plain(100, 40);
        assert_eq!(size(&fitted(&picture, 50)), (50, 20));
        assert_eq!(fitted(&picture, 100), picture);
        let larger = resized(&picture, 200, 80);
        assert_eq!(
            (size(&larger), larger.area(), &larger.rgba()[..4]),
            ((200, 80), picture.area(), &[10, 200, 30, 255][..])
        );
        let corner = crop(&picture, Rect::new(90.0, 30.0, 500.0, 500.0));
        assert_eq!((size(&corner), corner.area()), ((10, 10), Rect::new(40.0, 22.0, 5.0, 5.0)));
        assert_eq!(size(&crop(&picture, Rect::new(-5.0, 900.0, 2.0, 2.0))), (1, 1));
        assert_eq!(size(&fitted(&plain(4, 20_000), 1568)), (1, 1568), "never without a pixel");
    }
}
