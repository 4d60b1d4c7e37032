//! Lines with product code on them: neither blank, nor comment, nor test.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::spanned::Spanned;

/// The lines of a file on which a token of product code stands. Doc comments are comments; a string over several lines counts whole.
pub(crate) fn of_code(tokens: TokenStream, tests: &[RangeInclusive<usize>]) -> usize {
    let mut lines = BTreeSet::new();
    gather(tokens, &mut lines);
    lines.retain(|line| !tests.iter().any(|range| range.contains(line)));
    lines.len()
}

fn gather(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut index = 0;
    while index < tokens.len() {
        if let Some(length) = doc_comment(&tokens[index..]) {
            index += length;
            continue;
        }
        match &tokens[index] {
            TokenTree::Group(group) => {
                if group.delimiter() != Delimiter::None {
                    lines.insert(group.span_open().start().line);
                    lines.insert(group.span_close().end().line);
                }
                gather(group.stream(), lines);
            }
            token => lines.extend(token.span().start().line..=token.span().end().line),
        }
        index += 1;
    }
}

/// How many tokens the doc comment takes that begins here. The parser makes `#[doc = "..."]` of `/// ...`, with the comment's place.
fn doc_comment(tokens: &[TokenTree]) -> Option<usize> {
    let Some(TokenTree::Punct(hash)) = tokens.first() else { return None };
    let inner = matches!(tokens.get(1), Some(TokenTree::Punct(bang)) if bang.as_char() == '!');
    let length = 2 + usize::from(inner);
    let Some(TokenTree::Group(group)) = tokens.get(length - 1) else { return None };
    let source = hash.span().source_text().unwrap_or_default();
    let is_comment = source.starts_with("//") || source.starts_with("/*");
    (hash.as_char() == '#' && group.delimiter() == Delimiter::Bracket && is_comment).then_some(length)
}

/// The lines of each item that only tests have.
pub(crate) fn of_tests(items: &[syn::Item]) -> Vec<RangeInclusive<usize>> {
    let mut ranges = Vec::new();
    for item in items {
        if is_test(item) {
            ranges.push(item.span().start().line..=item.span().end().line);
        } else if let syn::Item::Mod(module) = item
            && let Some((_, inner)) = &module.content
        {
            ranges.extend(of_tests(inner));
        }
    }
    ranges
}

/// The files and folders of the modules that only tests have and that this file names.
pub(crate) fn test_modules(file: &Path, items: &[syn::Item]) -> Vec<PathBuf> {
    let is_face = ["lib.rs", "main.rs", "mod.rs"].iter().any(|face| file.ends_with(face));
    let folder = if is_face { file.with_file_name("") } else { file.with_extension("") };
    let modules = items.iter().filter_map(|item| match item {
        syn::Item::Mod(module) if module.content.is_none() && is_test(item) => Some(module.ident.to_string()),
        _ => None,
    });
    modules.flat_map(|name| [folder.join(format!("{name}.rs")), folder.join(name)]).collect()
}

/// Whether an item is compiled for tests only.
pub(crate) fn is_test(item: &syn::Item) -> bool {
    use syn::Item as I;
    let attributes = match item {
        I::Const(i) => &i.attrs,
        I::Enum(i) => &i.attrs,
        I::Fn(i) => &i.attrs,
        I::Impl(i) => &i.attrs,
        I::Macro(i) => &i.attrs,
        I::Mod(i) => &i.attrs,
        I::Static(i) => &i.attrs,
        I::Struct(i) => &i.attrs,
        I::Trait(i) => &i.attrs,
        I::Type(i) => &i.attrs,
        I::Use(i) => &i.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        let is_cfg_test = || {
            let only = attribute.parse_args::<syn::Path>();
            only.is_ok_and(|path| path.is_ident("test"))
        };
        attribute.path().is_ident("test") || attribute.path().is_ident("cfg") && is_cfg_test()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_only_tests_have_is_no_product() {
        let items = syn::parse_file("mod a;\n#[cfg(test)]\nmod b;").unwrap().items;
        let of = |file: &str| test_modules(Path::new(file), &items);
        assert_eq!(of("x/mod.rs"), [Path::new("x/b.rs"), Path::new("x/b")]);
        assert_eq!(of("x/y.rs"), [Path::new("x/y/b.rs"), Path::new("x/y/b")]);
    }

    #[test]
    fn counts_code_alone() {
        let text = "//! Module.\n\n/// Doc.\n#[derive(Debug)]\npub struct A {\n    /// Doc.\n    b: u8, // why\n}\n\n\
                    const T: &str = \"one\ntwo\";\n#[cfg(test)]\nmod tests {\n    fn x() {}\n}\n";
        let file = syn::parse_file(text).unwrap();
        let tests = of_tests(&file.items);
        assert_eq!(tests, [12..=15]);
        assert_eq!(of_code(text.parse().unwrap(), &tests), 6, "derive, struct, b, brace, two lines of text");
    }
}
