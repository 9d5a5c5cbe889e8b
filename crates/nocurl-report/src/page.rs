//! The page around the report.

use nocurl_render::{layout, svg};

use crate::report::Report;

/// The script, as it stands in the page.
const SCRIPT: &str = include_str!("../asset/report.js");

/// The style, as it stands in the page.
const STYLE: &str = include_str!("../asset/report.css");

/// What a content security policy calls the script: a page that shows a report inside needs it.
pub const SCRIPT_HASH: &str = include_str!("../asset/report.js.sha256");

/// What a content security policy calls the style.
pub const STYLE_HASH: &str = include_str!("../asset/report.css.sha256");

/// The report as one HTML file.
pub fn html(report: &Report) -> String {
    // What is no number (an infinite one) becomes null, so that this cannot fail.
    let data = serde_json::to_string(report).unwrap_or_else(|_| "{}".into());
    let title = escape(&report.title);
    let summary = escape(&report.summary);
    let picture =
        report.still.as_ref().map_or_else(String::new, |still| svg(still, &layout(still)));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src \
         '{SCRIPT_HASH}'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"nocurl {}\">\n\
         <title>{title} · nocurl</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <div id=\"report\"><noscript><h1>{title}</h1><p>{summary}</p><p>This file is more than the \
         picture below where scripts may run: it needs no network.</p>{picture}</noscript></div>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>{SCRIPT}</script>\n\
         </body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
        inert(&data),
    )
}

/// JSON that cannot end the element it stands in: `<` occurs in its strings alone.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// Text that HTML takes for text.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\0' => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
