//! The same thing declared twice: structs that share their fields, and places that round numbers.

use std::collections::BTreeMap;
use std::path::PathBuf;

use quote::ToTokens;
use syn::visit::Visit;

use crate::lines::is_test;

/// A struct with named fields.
#[derive(Clone)]
pub(crate) struct Fields {
    /// Where it stands.
    pub(crate) file: PathBuf,
    /// Its name.
    pub(crate) name: String,
    /// Its type by name, without the paths that lead to it.
    fields: BTreeMap<String, String>,
}

/// Structs with fewer fields may agree by chance.
const FEWEST_FIELDS: usize = 3;
/// Two structs are one when this much of the fields that either has is in both, by name and type.
const SAME_SHARE: f64 = 0.8;

/// The structs of a file that tests do not own.
pub(crate) fn structs(file: &std::path::Path, items: &[syn::Item]) -> Vec<Fields> {
    struct Gather<'a>(&'a std::path::Path, Vec<Fields>);
    impl<'ast> Visit<'ast> for Gather<'_> {
        fn visit_item(&mut self, item: &'ast syn::Item) {
            if !is_test(item) {
                syn::visit::visit_item(self, item);
            }
        }
        fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
            let fields = item
                .fields
                .iter()
                .filter_map(|field| Some((field.ident.as_ref()?.to_string(), type_name(&field.ty))))
                .collect();
            self.1.push(Fields { file: self.0.to_owned(), name: item.ident.to_string(), fields });
        }
    }
    let mut gather = Gather(file, Vec::new());
    items.iter().for_each(|item| gather.visit_item(item));
    gather.1
}

/// A type as text. Lifetimes say nothing of what is held, and one file may name by its path what another imports.
fn type_name(of: &syn::Type) -> String {
    let text = of.to_token_stream().to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut kept = String::new();
    for (index, word) in words.iter().enumerate() {
        let is_path = *word == "::" || words.get(index + 1) == Some(&"::");
        if !is_path && !word.starts_with('\'') {
            kept.push_str(word);
            kept.push(' ');
        }
    }
    kept
}

/// Pairs of structs that share nearly all their fields.
pub(crate) fn twice(structs: &[Fields]) -> Vec<(&Fields, &Fields)> {
    let large: Vec<&Fields> = structs.iter().filter(|one| one.fields.len() >= FEWEST_FIELDS).collect();
    let mut pairs = Vec::new();
    for (index, one) in large.iter().enumerate() {
        for other in &large[index + 1..] {
            let named = one.fields.iter().filter(|(name, _)| other.fields.contains_key(*name)).count();
            let shared = one.fields.iter().filter(|(name, of)| other.fields.get(*name) == Some(of)).count();
            let either = one.fields.len() + other.fields.len() - named;
            if shared as f64 >= SAME_SHARE * either as f64 {
                pairs.push((*one, *other));
            }
        }
    }
    pairs
}

/// Whether code outside of tests rounds a number to decimals in a text: `{:.1}`, `{value:.places$}`.
pub(crate) fn rounds(items: &[syn::Item]) -> bool {
    struct Look(bool);
    impl<'ast> Visit<'ast> for Look {
        fn visit_item(&mut self, item: &'ast syn::Item) {
            if !is_test(item) {
                syn::visit::visit_item(self, item);
            }
        }
        fn visit_macro(&mut self, found: &'ast syn::Macro) {
            self.0 |= literals(found.tokens.clone()).iter().any(|text| has_precision(text));
        }
    }
    let mut look = Look(false);
    items.iter().for_each(|item| look.visit_item(item));
    look.0
}

fn literals(tokens: proc_macro2::TokenStream) -> Vec<String> {
    use proc_macro2::TokenTree;
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => literals(group.stream()),
            TokenTree::Literal(literal) => vec![literal.to_string()],
            TokenTree::Ident(_) | TokenTree::Punct(_) => Vec::new(),
        })
        .filter(|text| text.starts_with(['"', 'r', '{']) || text.contains('{'))
        .collect()
}

fn has_precision(text: &str) -> bool {
    // Braces that are doubled are printed: what stands in them is for somebody else to fill in.
    let text = text.replace("{{", "").replace("}}", "");
    let inside = text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(inside, _)| inside);
    inside.filter_map(|inside| inside.split_once(':')).any(|(_, how)| {
        // What fills a column may be a point.
        let is_filled = how.chars().nth(1).is_some_and(|sign| "<^>".contains(sign));
        how.chars().skip(usize::from(is_filled)).any(|sign| sign == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_with_the_same_fields_are_one() {
        let text = "struct A { a: u8, b: u8, c: u8, d: u8, e: u8 }\nstruct B { a: u8, b: u8, c: u8, d: u8 }\n\
                    struct C { a: u8, b: u8, x: u8 }\nstruct E { a: Spanned<u8>, b: u8, c: u8, d: u8, e: String }\n\
                    struct F<'a> { a: &'a str, b: u8, c: io::Result<u8>, d: u8, e: u8 }\n\
                    struct G { a: &'static str, b: u8, c: Result<u8>, d: u8, e: u8 }\n#[cfg(test)]\nmod tests { struct D { a: u8, b: u8, x: u8 } }";
        let found = structs(std::path::Path::new("x.rs"), &syn::parse_file(text).unwrap().items);
        let pairs: Vec<[&str; 2]> =
            twice(&found).iter().map(|(a, b)| [a.name.as_str(), b.name.as_str()]).collect();
        assert_eq!(pairs, [["A", "B"], ["F", "G"]]);
    }

    #[test]
    fn rounding_is_seen_in_format_strings_alone() {
        let rounds = |text: &str| super::rounds(&syn::parse_file(text).unwrap().items);
        assert!(rounds("fn f() { format!(\"{:.1} %\", 1.0); }"));
        assert!(rounds("fn f() { println!(\"{value:>8.places$}\"); }"));
        assert!(!rounds("fn f() { format!(\"{}. {value:>8}: a.b\", 1); }"));
        assert!(!rounds("fn f() { format!(\"{stage:8} {{bar:20.##.}} {value:.<8}\"); }"));
        assert!(rounds("fn f() { format!(\"{{{value:.1}}}\"); }"));
        assert!(!rounds("#[cfg(test)]\nmod tests { fn f() { format!(\"{:.1}\", 1.0); } }"));
    }
}
