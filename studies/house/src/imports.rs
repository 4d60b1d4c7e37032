//! Which file imports which: `use` and qualified paths, followed through re-exports to the file that defines the name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use crate::lines::is_test;

/// A crate's modules, the root first.
#[derive(Default)]
pub(crate) struct Modules {
    all: Vec<Module>,
}

#[derive(Default)]
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    /// What a name stands for here, and the paths that are named without one.
    imported: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    paths: Vec<Vec<String>>,
}

/// What a path leads to.
enum Found {
    Module(usize),
    ItemOf(usize),
}

/// No chain of re-exports is longer, and one that goes round ends here.
const MOST_HOPS: usize = 20;

impl Modules {
    /// Reads a crate from its `lib.rs` or `main.rs`.
    ///
    /// # Errors
    /// A file that cannot be read or parsed, by name.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut modules = Self::default();
        modules.add_file(root, None, root.parent().context("a file has a folder")?)?;
        Ok(modules)
    }

    fn add_file(&mut self, file: &Path, parent: Option<usize>, folder: &Path) -> Result<usize> {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let parsed = syn::parse_file(&text).with_context(|| file.display().to_string())?;
        self.add(file, parent, folder, &parsed.items)
    }

    fn add(
        &mut self,
        file: &Path,
        parent: Option<usize>,
        folder: &Path,
        items: &[syn::Item],
    ) -> Result<usize> {
        let number = self.all.len();
        self.all.push(Module { file: file.to_owned(), parent, ..Module::default() });
        for item in items.iter().filter(|item| !is_test(item)) {
            if let syn::Item::Mod(module) = item {
                let name = module.ident.to_string();
                let inside = folder.join(&name);
                let child = match &module.content {
                    Some((_, items)) => self.add(file, Some(number), &inside, items)?,
                    None => {
                        let plain = folder.join(format!("{name}.rs"));
                        let file = if plain.exists() { plain } else { inside.join("mod.rs") };
                        self.add_file(&file, Some(number), &inside)?
                    }
                };
                self.all[number].children.insert(name, child);
            } else {
                let mut names = Names { module: &mut self.all[number] };
                names.define(item);
                names.visit_item(item);
            }
        }
        Ok(number)
    }

    fn find(&self, from: usize, path: &[String], hops: usize) -> Option<Found> {
        let (first, rest) = path.split_first()?;
        if hops > MOST_HOPS {
            return None;
        }
        let module = &self.all[from];
        let next = match first.as_str() {
            "crate" => Some(0),
            "self" => Some(from),
            "super" => module.parent,
            name => module.children.get(name).copied(),
        };
        if let Some(next) = next {
            return if rest.is_empty() { Some(Found::Module(next)) } else { self.find(next, rest, hops + 1) };
        }
        if module.items.contains(first) {
            return Some(Found::ItemOf(from));
        }
        if let Some(meant) = module.imported.get(first).filter(|meant| meant.first() != Some(first)) {
            let whole: Vec<String> = meant.iter().chain(rest).cloned().collect();
            return self.find(from, &whole, hops + 1);
        }
        module.globs.iter().find_map(|glob| match self.find(from, glob, hops + 1)? {
            Found::Module(inside) => self.find(inside, path, hops + 1),
            Found::ItemOf(_) => None,
        })
    }

    /// Each pair of files of which the first names something that the second defines.
    #[must_use]
    pub(crate) fn arrows(&self) -> BTreeSet<(PathBuf, PathBuf)> {
        let mut arrows = BTreeSet::new();
        for (number, module) in self.all.iter().enumerate() {
            for path in module.paths.iter().chain(module.imported.values()).chain(&module.globs) {
                let (Some(Found::Module(to) | Found::ItemOf(to)),) = (self.find(number, path, 0),) else {
                    continue;
                };
                if self.all[to].file != module.file {
                    arrows.insert((module.file.clone(), self.all[to].file.clone()));
                }
            }
        }
        arrows
    }
}

/// The arrows less those from a file to the module that it is a part of: what is defined there belongs to all of its parts.
#[must_use]
pub(crate) fn without_own_module(arrows: &BTreeSet<(PathBuf, PathBuf)>) -> BTreeSet<(PathBuf, PathBuf)> {
    let is_part = |file: &Path, of: &Path| {
        let is_face = of
            .file_name()
            .is_some_and(|name| ["lib.rs", "main.rs", "mod.rs"].iter().any(|face| name == *face));
        let folder = if is_face { of.parent().map(Path::to_owned) } else { Some(of.with_extension("")) };
        folder.is_some_and(|folder| file.starts_with(folder))
    };
    arrows.iter().filter(|(from, to)| !is_part(from, to)).cloned().collect()
}

/// Groups of files that import each other, directly or through others.
#[must_use]
pub(crate) fn circles(arrows: &BTreeSet<(PathBuf, PathBuf)>) -> Vec<Vec<PathBuf>> {
    let mut graph = DiGraph::<&Path, ()>::new();
    let mut nodes = BTreeMap::new();
    for (from, to) in arrows {
        let [from, to] =
            [from, to].map(|file| *nodes.entry(file.as_path()).or_insert_with(|| graph.add_node(file)));
        graph.add_edge(from, to, ());
    }
    let mut circles: Vec<Vec<PathBuf>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|group| group.len() > 1)
        .map(|group| group.into_iter().map(|node| graph[node].to_owned()).collect())
        .collect();
    circles.iter_mut().for_each(|circle: &mut Vec<PathBuf>| circle.sort());
    circles.sort();
    circles
}

struct Names<'a> {
    module: &'a mut Module,
}

impl Names<'_> {
    fn define(&mut self, item: &syn::Item) {
        use syn::Item as I;
        let name = match item {
            I::Const(i) => &i.ident,
            I::Enum(i) => &i.ident,
            I::Fn(i) => &i.sig.ident,
            I::Static(i) => &i.ident,
            I::Struct(i) => &i.ident,
            I::Trait(i) => &i.ident,
            I::Type(i) => &i.ident,
            I::Macro(syn::ItemMacro { ident: Some(ident), .. }) => ident,
            _ => return,
        };
        self.module.items.insert(name.to_string());
    }

    fn import(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Vec<String>>();
        match tree {
            syn::UseTree::Path(path) => self.import(&with(path.ident.to_string()), &path.tree),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(before, tree)),
            syn::UseTree::Glob(_) => self.module.globs.push(before.to_vec()),
            syn::UseTree::Name(name) => self.name(name.ident.to_string(), name.ident.to_string(), before),
            syn::UseTree::Rename(rename) => {
                self.name(rename.ident.to_string(), rename.rename.to_string(), before);
            }
        }
    }

    /// What is handed to a macro may be anything, so its paths are names with `::` between them.
    fn paths_in(&mut self, tokens: TokenStream) {
        let (mut path, mut colons): (Vec<String>, usize) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.path(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                other => {
                    self.path(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.paths_in(group.stream());
                    }
                }
            }
        }
        self.path(path);
    }

    fn path(&mut self, path: Vec<String>) {
        if path.len() > 1 {
            self.module.paths.push(path);
        }
    }

    fn name(&mut self, what: String, here: String, before: &[String]) {
        let mut path = before.to_vec();
        let here = if what == "self" { before.last().cloned().unwrap_or_default() } else { here };
        if what != "self" {
            path.push(what);
        }
        self.module.imported.insert(here, path);
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&[], &item.tree);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.paths_in(called.tokens.clone());
        syn::visit::visit_macro(self, called);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_seen_through_re_exports() {
        let folder = std::env::temp_dir().join(format!("study-house-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("a")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(
            "lib.rs",
            "mod a;\nmod b;\nmod c;\npub use a::inner::Deep;\n#[cfg(test)]\nmod t { use crate::c::C; }\n",
        );
        write("a.rs", "pub mod inner;\n");
        write("a/inner.rs", "use crate::b::B;\npub struct Deep(B);\n");
        write("b.rs", "use crate::Deep;\npub struct B;\nfn f(_: Deep) {}\n");
        write("c.rs", "pub struct C;\nfn g() { println!(\"{}\", (1, super::b::f())); }\n");
        let arrows = Modules::read(&folder.join("lib.rs")).unwrap().arrows();
        let file = |name: &str| folder.join(name);
        assert_eq!(circles(&arrows), [vec![file("a/inner.rs"), file("b.rs")]]);
        assert!(arrows.contains(&(file("c.rs"), file("b.rs"))));
        write("lib.rs", "mod c;\npub struct Own(c::C);\n");
        write("c.rs", "use super::Own;\npub struct C(Option<Box<Own>>);\n");
        let own = Modules::read(&folder.join("lib.rs")).unwrap().arrows();
        assert_eq!(circles(&own), [vec![file("c.rs"), file("lib.rs")]]);
        assert_eq!(circles(&without_own_module(&own)), Vec::<Vec<PathBuf>>::new());
        assert!(!arrows.contains(&(file("lib.rs"), file("c.rs"))), "tests do not count");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
