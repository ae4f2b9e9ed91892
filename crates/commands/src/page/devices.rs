//! Devices that pages can be shown as on.

use handeye_scene::Viewport;

/// A device.
pub struct Device {
    /// Its name, in small letters.
    pub name: &'static str,
    /// Its screen.
    pub viewport: Viewport,
    /// How its browser names itself.
    pub agent: &'static str,
}

const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
const IPAD: &str = "Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";
const ANDROID: &str = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36";
const GALAXY: &str = "Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36";

const fn phone(name: &'static str, width: u32, height: u32, scale: f64, agent: &'static str) -> Device {
    Device { name, viewport: Viewport { width, height, scale, mobile: true, touch: true }, agent }
}

/// Every device.
pub const DEVICES: &[Device] = &[
    phone("iphone-se", 375, 667, 2.0, IPHONE),
    phone("iphone-15", 393, 852, 3.0, IPHONE),
    phone("iphone-15-pro-max", 430, 932, 3.0, IPHONE),
    phone("pixel-8", 412, 915, 2.625, ANDROID),
    phone("galaxy-s24", 360, 780, 3.0, GALAXY),
    phone("ipad", 810, 1080, 2.0, IPAD),
    phone("ipad-pro", 1024, 1366, 2.0, IPAD),
];
