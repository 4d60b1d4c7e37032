use velo_model::Class;

/// A contender's class as a word.
pub(crate) fn class(class: Class) -> &'static str {
    match class {
        Class::Reference => "reference",
        Class::Raw => "raw",
        Class::Micro => "micro",
        Class::Framework => "framework",
        Class::Library => "library",
        Class::Running => "running",
    }
}
