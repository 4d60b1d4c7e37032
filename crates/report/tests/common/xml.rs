//! A check that text is well-formed XML, as far as this project writes XML: no more than elements with attributes, text,
//! and the references that every XML has.

/// An element with what it has.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    /// Its own text, without that of its children.
    pub(crate) text: String,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The elements in the order in which they begin.
///
/// # Errors
/// What is not well-formed: a tag that is not closed, a character that must not stand there, more than one root.
pub(crate) fn elements(text: &str) -> Result<Vec<Element>, String> {
    if let Some(illegal) = text.chars().find(|found| !is_allowed(*found)) {
        return Err(format!("{illegal:?} is no character of XML"));
    }
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find('<') {
        let (before, from) = rest.split_at(begin);
        add_text(before, &open, &mut elements)?;
        let length = from.find('>').ok_or("a tag without an end")?;
        let (tag, after) = (&from[1..length], &from[length + 1..]);
        if let Some(name) = tag.strip_prefix('/') {
            let closed = open.pop().ok_or(format!("</{name}> closes nothing"))?;
            if elements[closed].name != name {
                return Err(format!("</{name}> closes <{}>", elements[closed].name));
            }
        } else {
            if open.is_empty() && !elements.is_empty() {
                return Err(format!("a second root: <{tag}>"));
            }
            let is_closed = tag.ends_with('/');
            elements.push(element(tag.trim_end_matches('/'))?);
            if !is_closed {
                open.push(elements.len() - 1);
            }
        }
        rest = after;
    }
    add_text(rest, &open, &mut elements)?;
    match open.last() {
        Some(last) => Err(format!("<{}> is not closed", elements[*last].name)),
        None if elements.is_empty() => Err("no element".to_owned()),
        None => Ok(elements),
    }
}

fn is_allowed(found: char) -> bool {
    matches!(found, '\t' | '\n' | '\r' | '\u{20}'..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}

fn add_text(text: &str, open: &[usize], elements: &mut [Element]) -> Result<(), String> {
    let text = unescaped(text)?;
    match open.last() {
        Some(last) => elements[*last].text.push_str(&text),
        None if text.trim().is_empty() => {}
        None => return Err(format!("text outside the root: {text}")),
    }
    Ok(())
}

fn element(tag: &str) -> Result<Element, String> {
    let (name, mut rest) = tag.split_at(tag.find(' ').unwrap_or(tag.len()));
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(format!("`{name}` is no name of an element"));
    }
    let mut attributes: Vec<(String, String)> = Vec::new();
    while !rest.trim().is_empty() {
        let (key, value) = rest.trim_start().split_once("=\"").ok_or(format!("no attribute: {rest}"))?;
        let (value, after) = value.split_once('"').ok_or(format!("an open quote: {rest}"))?;
        let is_name = key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b':'));
        if key.is_empty() || !is_name || attributes.iter().any(|(known, _)| known == key) {
            return Err(format!("`{key}` cannot be an attribute here"));
        }
        if !after.is_empty() && !after.starts_with(' ') {
            return Err(format!("no blank before `{after}`"));
        }
        attributes.push((key.to_owned(), unescaped(value)?));
        rest = after;
    }
    Ok(Element { name: name.to_owned(), attributes, text: String::new() })
}

/// The text that is meant.
fn unescaped(text: &str) -> Result<String, String> {
    let mut meant = String::new();
    let mut parts = text.split('&');
    meant.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (reference, after) = part.split_once(';').ok_or(format!("a bare & before `{part}`"))?;
        meant.push(match reference {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            other => return Err(format!("&{other}; is no reference")),
        });
        meant.push_str(after);
    }
    Ok(meant)
}
