use velo_model::{Class, Role};

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

/// What kind of program a contender is.
pub(crate) fn kind(role: Role, of: Class) -> &'static str {
    match role {
        Role::Server => class(of),
        Role::Task => "program without a server",
        Role::Client => "client",
    }
}

/// What the command that starts it is called.
pub(crate) fn command(role: Role) -> &'static str {
    match role {
        Role::Server => "start",
        Role::Task => "program",
        Role::Client => "client",
    }
}
