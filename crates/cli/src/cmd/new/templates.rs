//! What `velo new` fills in: WORKLOAD, NAME, LANGUAGE, BASELINE and YEAR stand for what is given.

/// Programs in one language, each as files and their texts.
pub(super) struct Language {
    /// As in a contender's name.
    pub(super) name: &'static str,
    /// As people write it.
    pub(super) title: &'static str,
    /// The file of a server's source.
    pub(super) source: &'static str,
    pub(super) server: &'static [(&'static str, &'static str)],
    pub(super) task: &'static [(&'static str, &'static str)],
    pub(super) client: &'static [(&'static str, &'static str)],
}

pub(super) const WORKLOAD: &str = include_str!("../../../templates/workload.toml");

const SERVER_README: (&str, &str) = ("README.md", include_str!("../../../templates/README.server.md"));
const TASK_README: (&str, &str) = ("README.md", include_str!("../../../templates/README.task.md"));
const CLIENT_README: (&str, &str) = ("README.md", include_str!("../../../templates/README.client.md"));
const GO_MODULE: (&str, &str) = ("go.mod", include_str!("../../../templates/go/go.mod.txt"));

pub(super) const LANGUAGES: &[Language] = &[
    Language {
        name: "go",
        title: "Go",
        source: "main.go",
        server: &[
            ("contender.toml", include_str!("../../../templates/go/server.toml")),
            ("main.go", include_str!("../../../templates/go/server.go")),
            GO_MODULE,
            SERVER_README,
        ],
        task: &[
            ("contender.toml", include_str!("../../../templates/go/task.toml")),
            ("main.go", include_str!("../../../templates/go/program.go")),
            GO_MODULE,
            TASK_README,
        ],
        client: &[
            ("contender.toml", include_str!("../../../templates/go/client.toml")),
            ("main.go", include_str!("../../../templates/go/client.go")),
            GO_MODULE,
            CLIENT_README,
        ],
    },
    Language {
        name: "java",
        title: "Java",
        source: "Server.java",
        server: &[
            ("contender.toml", include_str!("../../../templates/java/server.toml")),
            ("Server.java", include_str!("../../../templates/java/Server.java")),
            SERVER_README,
        ],
        task: &[
            ("contender.toml", include_str!("../../../templates/java/task.toml")),
            ("Program.java", include_str!("../../../templates/java/Program.java")),
            TASK_README,
        ],
        client: &[
            ("contender.toml", include_str!("../../../templates/java/client.toml")),
            ("Client.java", include_str!("../../../templates/java/Client.java")),
            CLIENT_README,
        ],
    },
    Language {
        name: "js",
        title: "Node",
        source: "server.js",
        server: &[
            ("contender.toml", include_str!("../../../templates/js/server.toml")),
            ("server.js", include_str!("../../../templates/js/server.js")),
            SERVER_README,
        ],
        task: &[
            ("contender.toml", include_str!("../../../templates/js/task.toml")),
            ("program.js", include_str!("../../../templates/js/program.js")),
            TASK_README,
        ],
        client: &[
            ("contender.toml", include_str!("../../../templates/js/client.toml")),
            ("client.js", include_str!("../../../templates/js/client.js")),
            CLIENT_README,
        ],
    },
    Language {
        name: "python",
        title: "Python",
        source: "server.py",
        server: &[
            ("contender.toml", include_str!("../../../templates/python/server.toml")),
            ("server.py", include_str!("../../../templates/python/server.py")),
            SERVER_README,
        ],
        task: &[
            ("contender.toml", include_str!("../../../templates/python/task.toml")),
            ("program.py", include_str!("../../../templates/python/program.py")),
            TASK_README,
        ],
        client: &[
            ("contender.toml", include_str!("../../../templates/python/client.toml")),
            ("client.py", include_str!("../../../templates/python/client.py")),
            CLIENT_README,
        ],
    },
];
