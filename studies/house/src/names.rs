//! What a file declares and names: types, re-exports, and one figure that stands for all of them.

use std::ops::RangeInclusive;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use crate::lines::is_test;

/// The figure by which it is counted how many files a figure touches: CPU time at the common rate. A file names it when one
/// of these is a part of an identifier, whatever its case: `EqualWorkRow`, `cpu_per_request_ns`.
const FIGURE: [&str; 2] = ["equalwork", "cpuperrequest"];

/// Whether product code names the figure. Comments and texts do not count.
pub(crate) fn figure(tokens: TokenStream, tests: &[RangeInclusive<usize>]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => figure(group.stream(), tests),
        TokenTree::Ident(ident) => {
            let name = ident.to_string().replace('_', "").to_lowercase();
            let line = ident.span().start().line;
            FIGURE.iter().any(|part| name.contains(part)) && !tests.iter().any(|range| range.contains(&line))
        }
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// How many structs and enums a file declares for the product.
pub(crate) fn types(items: &[syn::Item]) -> usize {
    struct Count(usize);
    impl<'ast> Visit<'ast> for Count {
        fn visit_item(&mut self, item: &'ast syn::Item) {
            if !is_test(item) {
                self.0 += usize::from(matches!(item, syn::Item::Struct(_) | syn::Item::Enum(_)));
                syn::visit::visit_item(self, item);
            }
        }
    }
    let mut count = Count(0);
    items.iter().for_each(|item| count.visit_item(item));
    count.0
}

/// How many names a file exports that others define: those of `pub use`, a `*` as one.
pub(crate) fn re_exports(items: &[syn::Item]) -> usize {
    let trees = items.iter().filter_map(|item| match item {
        syn::Item::Use(item) if matches!(item.vis, syn::Visibility::Public(_)) => Some(&item.tree),
        _ => None,
    });
    trees.map(leaves).sum()
}

fn leaves(tree: &syn::UseTree) -> usize {
    match tree {
        syn::UseTree::Path(path) => leaves(&path.tree),
        syn::UseTree::Group(group) => group.items.iter().map(leaves).sum(),
        syn::UseTree::Name(_) | syn::UseTree::Rename(_) | syn::UseTree::Glob(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::of_tests;

    fn items(text: &str) -> Vec<syn::Item> {
        syn::parse_file(text).unwrap().items
    }

    #[test]
    fn the_figure_is_named_by_identifiers_of_the_product() {
        let figure = |text: &str| super::figure(text.parse().unwrap(), &of_tests(&items(text)));
        assert!(figure("struct A { cpu_per_request_ns: u64 }"));
        assert!(figure("fn f() { println!(\"{}\", crate::rank::EqualWorkRow::COUNT); }"));
        assert!(!figure("/// As `equal_work`.\nconst TEXT: &str = \"equal_work\"; // cpu_per_request"));
        assert!(!figure("fn f() { equal(work); }\n#[cfg(test)]\nmod tests { fn equal_work() {} }"));
    }

    #[test]
    fn types_are_structs_and_enums_outside_of_tests() {
        let text = "struct A;\nenum B {}\ntype C = A;\nmod inner { pub struct D; }\nfn f() { struct E; }\n\
                    #[cfg(test)]\nmod tests { struct F; }";
        assert_eq!(types(&items(text)), 4);
    }

    #[test]
    fn re_exports_are_counted_by_name() {
        let text =
            "pub use a::{b, c::{D, E as F}};\npub use g::*;\nuse h::I;\npub(crate) use j::K;\npub mod l {}";
        assert_eq!(re_exports(&items(text)), 4);
    }
}
