//! Pictures of windows and of the screen.

use super::convert::{Fault, hwnd};
use crate::windows::records::window_list::Handle;
use ::windows::Win32::Graphics::Gdi as g;
use handeye_scene::Rect;

/// Red, green and blue of each pixel of a part of the screen.
pub(crate) fn shoot_screen(area: Rect) -> Result<Vec<u8>, Fault> {
    // SAFETY: it gives a context of ours, which is released below.
    let from = unsafe { g::GetDC(None) };
    let pixels = copy(from, (area.x as i32, area.y as i32), (area.width as i32, area.height as i32));
    // SAFETY: it is the one from above.
    unsafe { g::ReleaseDC(None, from) };
    pixels
}

/// The same of a window, whatever lies on it.
pub(crate) fn shoot_window(window: Handle, area: Rect) -> Result<Vec<u8>, Fault> {
    // SAFETY: as above.
    let from = unsafe { g::GetWindowDC(Some(hwnd(window))) };
    let pixels = copy(from, (0, 0), (area.width as i32, area.height as i32));
    // SAFETY: it is the one from above.
    unsafe { g::ReleaseDC(Some(hwnd(window)), from) };
    pixels
}

fn copy(from: g::HDC, (x, y): (i32, i32), (width, height): (i32, i32)) -> Result<Vec<u8>, Fault> {
    let refused = || Fault::Refused("the system gives no picture of it".into());
    if from.is_invalid() || width < 1 || height < 1 {
        return Err(refused());
    }
    // SAFETY: what is made here is of this size, is selected only while it is drawn on, and is deleted on every way out; the
    // buffer is as large as the lines that are asked for.
    unsafe {
        let into = g::CreateCompatibleDC(Some(from));
        let bitmap = g::CreateCompatibleBitmap(from, width, height);
        let before = g::SelectObject(into, bitmap.into());
        let drawn = g::BitBlt(into, 0, 0, width, height, Some(from), x, y, g::SRCCOPY | g::CAPTUREBLT);
        g::SelectObject(into, before);
        let mut info = g::BITMAPINFO {
            bmiHeader: g::BITMAPINFOHEADER {
                biSize: size_of::<g::BITMAPINFOHEADER>() as u32,
                biWidth: width,
                // Negative: the first line is the upper one.
                biHeight: -height,
                biPlanes: 1,
                biBitCount: 32,
                biCompression: g::BI_RGB.0,
                ..Default::default()
            },
            ..Default::default()
        };
        let mut raw = vec![0u8; width as usize * height as usize * 4];
        let buffer = Some(raw.as_mut_ptr().cast());
        let lines = g::GetDIBits(into, bitmap, 0, height as u32, buffer, &raw mut info, g::DIB_RGB_COLORS);
        let _ = g::DeleteObject(bitmap.into());
        let _ = g::DeleteDC(into);
        if drawn.is_err() || lines != height {
            return Err(refused());
        }
        Ok(raw.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0]]).collect())
    }
}
