use velo_model::{Class, Role};

/// What kind of program a contender is.
pub(crate) fn kind(role: Role, of: Class) -> &'static str {
    match role {
        Role::Server => of.name(),
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
