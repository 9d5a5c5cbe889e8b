//! Prior knowledge from files.

mod tetrad;
mod toml;

use nocurl::KnowledgeSpec;

use crate::input::Input;
use crate::stack::on_stack;
use crate::{Error, Source};

/// Bytes of the largest file that is read.
const LARGEST: u64 = 32 << 20;

/// What is wrong, and in which line, counted from 1.
type Mistake = (usize, String);

/// Reads prior knowledge: TOML, or the text that Tetrad writes, which starts with `/knowledge`.
/// Both are described in `docs/knowledge.md`.
///
/// Whether the variables exist, and whether the statements contradict each other, is seen when
/// they are resolved: [`KnowledgeSpec::resolve`].
///
/// # Errors
/// A file that cannot be read or breaks the rules of its format, with the line.
///
/// ```
/// use nocurl_io::{Source, read_knowledge};
/// let text = "required = [['dose', 'health']]\ntiers = [['age', 'sex'], ['dose']]\n";
/// let knowledge = read_knowledge(&Source::bytes("k.toml", text)).unwrap();
/// assert_eq!(knowledge.tiers[0].variables, ["age", "sex"]);
/// let text = "/knowledge\naddtemporal\n1 age sex\n2 dose\nrequiredirect\ndose health\n";
/// assert_eq!(read_knowledge(&Source::bytes("k.txt", text)).unwrap(), knowledge);
/// ```
pub fn read_knowledge(source: &Source) -> Result<KnowledgeSpec, Error> {
    const FORMAT: &str = "knowledge";
    let label = source.label();
    let (input, watch) = Input::open(source)?;
    let text = watch.unchanged(input.into_text(FORMAT, LARGEST))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim().is_empty() {
        return Err(Error::Empty { path: label });
    }
    let read =
        on_stack(|| if tetrad::is_one(text) { tetrad::read(text) } else { toml::read(text) });
    read.map_err(|(line, what)| Error::invalid(&label, FORMAT, format!("line {line}: {what}")))
}
