//! Which folder of a crate imports from which: the arrows between files, seen from the height of `src/`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each pair of top-level modules under `src` of which a file in the first imports from a file in the second. What the
/// crate's root defines belongs to all of them: `lib.rs` and `main.rs` lie in no folder.
pub(crate) fn arrows(src: &Path, files: &BTreeSet<(PathBuf, PathBuf)>) -> BTreeSet<(PathBuf, PathBuf)> {
    let pairs = files.iter().filter_map(|(from, to)| Some((room(src, from)?, room(src, to)?)));
    pairs.filter(|(from, to)| from != to).collect()
}

/// The folder right under `src` that a file lies in. `a.rs` beside the folder `a` is a part of it.
fn room(src: &Path, file: &Path) -> Option<PathBuf> {
    let first = Path::new(file.strip_prefix(src).ok()?.components().next()?.as_os_str());
    let is_root = ["lib.rs", "main.rs"].iter().any(|root| first == Path::new(root));
    (!is_root).then(|| src.join(first.with_extension("")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::circles;

    #[test]
    fn folders_that_import_from_each_other_are_a_circle_although_their_files_are_none() {
        let arrow = |from: &str, to: &str| (Path::new("src").join(from), Path::new("src").join(to));
        let files = BTreeSet::from([
            arrow("a/one.rs", "b/two.rs"),
            arrow("b.rs", "a/three.rs"),
            arrow("b/two.rs", "b.rs"),
            arrow("c/mod.rs", "a/one.rs"),
            arrow("a/three.rs", "lib.rs"),
            arrow("lib.rs", "c/mod.rs"),
        ]);
        let of_folders = arrows(Path::new("src"), &files);
        assert_eq!(of_folders, BTreeSet::from([arrow("a", "b"), arrow("b", "a"), arrow("c", "a")]));
        assert_eq!(circles(&of_folders), [["src/a", "src/b"].map(PathBuf::from)]);
    }
}
