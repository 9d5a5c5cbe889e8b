//! PNG.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, StrokeDash, Transform,
};

use crate::font::{Font, visual};
use crate::scene::{Scene, Shape, Step, Stroke};
use crate::style::Colour;
use crate::text::text_width;

/// Pixels for each point, as wanted and as many as a side may have.
const PIXELS: f64 = 2.5;
const MOST_PIXELS: f64 = 6000.0;

/// The bytes of the file, or nothing if there is not enough memory for the pixels.
pub(crate) fn write(scene: &Scene) -> Option<Vec<u8>> {
    let scale = PIXELS.min(MOST_PIXELS / scene.width.max(scene.height));
    let side = |length: f64| (length * scale).ceil().max(1.0) as u32;
    let (width, height) = (side(scene.width), side(scene.height));
    let mut pixels = Pixmap::new(width, height)?;
    pixels.fill(Color::WHITE);
    let font = Font::new();
    let transform = Transform::from_scale(scale as f32, scale as f32);
    for group in &scene.groups {
        for shape in &group.shapes {
            draw(&mut pixels, shape, group.opacity, &font, transform);
        }
    }
    let rgb: Vec<u8> =
        pixels.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    Some(encode(width, height, &rgb))
}

fn draw(pixels: &mut Pixmap, shape: &Shape, opacity: f64, font: &Font, transform: Transform) {
    match shape {
        Shape::Path { steps, fill, stroke } => {
            let Some(path) = path(steps) else { return };
            if let Some(colour) = fill {
                // What is under a filled shape does not show through it.
                let paint =
                    paint(*colour, if *colour == crate::style::WHITE { 1.0 } else { opacity });
                pixels.fill_path(&path, &paint, FillRule::Winding, transform, None);
            }
            if let Some(stroke) = stroke {
                let style = style(stroke);
                pixels.stroke_path(&path, &paint(stroke.colour, opacity), &style, transform, None);
            }
        }
        Shape::Text { x, y, size, colour, centred, text } => {
            let mut x = if *centred { x - text_width(text, *size) / 2.0 } else { *x };
            for letter in visual(text) {
                let steps = font.outline(font.glyph(letter), x, *y, *size);
                if let Some(path) = path(&steps) {
                    let paint = paint(*colour, opacity);
                    pixels.fill_path(&path, &paint, FillRule::Winding, transform, None);
                }
                x += text_width(letter.encode_utf8(&mut [0; 4]), *size);
            }
        }
    }
}

fn style(stroke: &Stroke) -> tiny_skia::Stroke {
    tiny_skia::Stroke {
        width: stroke.width as f32,
        line_cap: LineCap::Butt,
        line_join: LineJoin::Round,
        dash: stroke.dash.and_then(|dash| StrokeDash::new(dash.map(|d| d as f32).to_vec(), 0.0)),
        ..tiny_skia::Stroke::default()
    }
}

fn paint([red, green, blue]: Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity).round() as u8);
    paint
}

fn path(steps: &[Step]) -> Option<tiny_skia::Path> {
    let mut path = PathBuilder::new();
    let point = |[x, y]: [f64; 2]| (x as f32, y as f32);
    for step in steps {
        match *step {
            Step::Move(to) => {
                let (x, y) = point(to);
                path.move_to(x, y);
            }
            Step::Line(to) => {
                let (x, y) = point(to);
                path.line_to(x, y);
            }
            Step::Cubic(points) => {
                let [(x1, y1), (x2, y2), (x, y)] = points.map(point);
                path.cubic_to(x1, y1, x2, y2, x, y);
            }
            Step::Close => path.close(),
        }
    }
    path.finish()
}

/// A PNG file of pixels with three bytes each.
fn encode(width: u32, height: u32, rgb: &[u8]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    chunk(&mut file, b"IHDR", &header);
    // Pixels for each metre, so that a point is a point on paper.
    let density = (PIXELS * 72.0 / 0.0254).round() as u32;
    let mut physical = [density.to_be_bytes(), density.to_be_bytes()].concat();
    physical.push(1);
    chunk(&mut file, b"pHYs", &physical);
    let row = 3 * width as usize;
    let mut lines = ZlibEncoder::new(Vec::new(), Compression::new(7));
    for line in rgb.chunks_exact(row) {
        lines.write_all(&[1]).expect("writing to memory does not fail");
        // Each byte less the one of the pixel before: plain areas become zeros.
        let less = (0..row).map(|k| line[k].wrapping_sub(if k < 3 { 0 } else { line[k - 3] }));
        let less: Vec<u8> = less.collect();
        lines.write_all(&less).expect("writing to memory does not fail");
    }
    chunk(&mut file, b"IDAT", &lines.finish().expect("writing to memory does not fail"));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], content: &[u8]) {
    file.extend((content.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(content);
    let mut check = flate2::Crc::new();
    check.update(&file[start..]);
    file.extend(check.sum().to_be_bytes());
}
