//! What the structure may not go beyond, and what to do where it does.

/// What is counted of the whole house.
pub(crate) struct Counts {
    /// Groups of files that import each other; a file may use what the module defines that it is a part of.
    pub(crate) circles_of_files: usize,
    /// Folders right under a crate's `src` that import each other, directly or through others.
    pub(crate) folders_in_circles: usize,
    /// Product files that name one figure.
    pub(crate) files_with_the_figure: usize,
    /// Crates of the longest chain of dependencies.
    pub(crate) chain: usize,
    /// Lines of all kinds in the longest file.
    pub(crate) longest_file: usize,
}

/// A number that may go down and never up.
pub(crate) struct Bound {
    what: &'static str,
    of: fn(&Counts) -> usize,
    most: usize,
    goal: Option<usize>,
    remedy: &'static str,
}

/// A change that brings a number down brings its bound down with it.
pub(crate) const BOUNDS: [Bound; 5] = [
    Bound {
        what: "circles of files",
        of: |counts| counts.circles_of_files,
        most: 0,
        goal: Some(0),
        remedy: "move what the files share into a file of its own, which both import",
    },
    Bound {
        what: "folders in circles",
        of: |counts| counts.folders_in_circles,
        most: 0,
        goal: Some(0),
        remedy: "let one folder import from the other and not the other way round: move what both need below both",
    },
    Bound {
        what: "files that name CPU time at the common rate",
        of: |counts| counts.files_with_the_figure,
        most: 14,
        goal: Some(14),
        remedy: "read the figure as one of many, from a table of figures, and do not name it",
    },
    Bound {
        what: "crates in the longest chain",
        of: |counts| counts.chain,
        most: 7,
        goal: Some(7),
        remedy: "depend on the crate that defines the names, not on one that does more with them",
    },
    Bound {
        what: "lines of the longest file",
        of: |counts| counts.longest_file,
        most: 688,
        goal: None,
        remedy: "give a part of the file that is a job of its own a file of its own",
    },
];

impl Bound {
    /// What is said when the bound does not hold.
    pub(crate) fn broken(&self, counts: &Counts) -> Option<String> {
        let now = (self.of)(counts);
        let Self { what, most, remedy, .. } = self;
        (now > *most).then(|| format!("{what}: {now}, at most {most}: {remedy}"))
    }

    /// The number, its bound and its goal as a line.
    pub(crate) fn line(&self, counts: &Counts) -> String {
        let now = (self.of)(counts);
        let Self { what, most, goal, .. } = self;
        let goal = goal.map_or_else(String::new, |goal| format!(", goal {goal}"));
        let lower = if now < *most { format!("; lower its bound to {now}") } else { String::new() };
        format!("{what}: {now}, at most {most}{goal}{lower}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_is_broken_says_what_it_is_and_what_to_do() {
        let bound = Bound {
            what: "circles",
            of: |counts| counts.circles_of_files,
            most: 1,
            goal: Some(0),
            remedy: "move it",
        };
        let counts = |circles_of_files| Counts {
            circles_of_files,
            folders_in_circles: 0,
            files_with_the_figure: 0,
            chain: 0,
            longest_file: 0,
        };
        assert_eq!(bound.broken(&counts(2)).unwrap(), "circles: 2, at most 1: move it");
        assert_eq!(bound.broken(&counts(1)), None);
        assert_eq!(bound.line(&counts(1)), "circles: 1, at most 1, goal 0");
        assert_eq!(bound.line(&counts(0)), "circles: 0, at most 1, goal 0; lower its bound to 0");
    }
}
