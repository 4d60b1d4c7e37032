/// How a toolchain is found and installed.
#[derive(Debug)]
pub(super) struct Known {
    /// As a manifest names it.
    pub(super) name: &'static str,
    /// The programs that must all be there; the first one is asked for its version.
    pub(super) programs: &'static [&'static str],
    /// The arguments that make it print its version.
    pub(super) version_args: &'static [&'static str],
    /// What stands right before the version in a line of the output.
    pub(super) label: &'static str,
    /// What must come with it, for the message when it is missing.
    pub(super) with: &'static str,
    /// The Debian packages; none for what Debian does not have.
    pub(super) debian: &'static [&'static str],
    /// The Debian package whose version is the toolchain's.
    pub(super) debian_version_of: &'static str,
    /// Folders of installations side by side, each with its programs in `bin/`.
    pub(super) elsewhere: &'static [&'static str],
    /// The least version that any contender of the repository is content with; empty: any.
    pub(super) least: &'static [u32],
    /// How a version is installed that Debian does not have yet.
    pub(super) newer: &'static str,
}

const FROM_ITS_SITE: &str = "install it from its own site and put it on the PATH";

impl Known {
    const fn since(self, least: &'static [u32]) -> Self {
        Self { least, ..self }
    }
}

const VERSION: &[&str] = &["--version"];

const fn plain(
    name: &'static str,
    programs: &'static [&'static str],
    label: &'static str,
    debian: &'static [&'static str],
) -> Known {
    Known {
        name,
        programs,
        version_args: VERSION,
        label,
        with: "",
        debian,
        debian_version_of: debian[0],
        elsewhere: &[],
        least: &[],
        newer: FROM_ITS_SITE,
    }
}

pub(super) static TABLE: [Known; 16] = [
    Known { version_args: &["version"], ..plain("go", &["go"], "go version go", &["golang-go"]) }
        .since(&[1, 24]),
    plain("node", &["node"], "v", &["nodejs"]).since(&[20]),
    plain("npm", &["npm", "node"], "", &["npm"]),
    // Debian's python3 comes without what makes a virtual environment.
    Known {
        version_args: &["-c", "import ensurepip, venv, sys; print('Python', sys.version.split()[0])"],
        with: " with its venv module",
        ..plain("python", &["python3"], "Python ", &["python3", "python3-venv"])
    }
    .since(&[3, 11]),
    // Debian numbers cargo on its own; its rustc has Rust's version.
    Known {
        debian_version_of: "rustc",
        newer: "install it with rustup",
        ..plain("rust", &["cargo", "rustc"], "cargo ", &["cargo"])
    }
    .since(&[1, 85]),
    // The compiler is asked: a run-time alone builds nothing, and Java's own first line differs by vendor.
    Known {
        with: " with its compiler",
        elsewhere: &["/usr/lib/jvm"],
        ..plain("java", &["javac", "java"], "javac ", &["default-jdk-headless"])
    }
    .since(&[17]),
    plain("maven", &["mvn"], "Apache Maven ", &["maven"]).since(&[3, 6, 3]),
    plain("php", &["php"], "PHP ", &["php-cli"]),
    Known { version_args: &["-v"], ..plain("php-fpm", &["php-fpm*"], "PHP ", &["php-fpm"]) },
    // A metapackage of Debian, whose version is that of nginx.
    Known { version_args: &["-v"], ..plain("nginx", &["nginx"], "nginx/", &["nginx-light"]) },
    Known {
        version_args: &["--version", "--no-plugins", "--no-interaction"],
        ..plain("composer", &["composer"], "Composer version ", &["composer"])
    },
    plain("ruby", &["ruby"], "ruby ", &["ruby"]),
    plain("puma", &["puma"], "puma version ", &["puma"]),
    plain("thin", &["thin"], "thin ", &["thin"]),
    // Only the SDK has a version of its own: a run-time alone answers with what could not be found. No Debian has it. Whether
    // it is new enough is asked by the scripts of the C# contenders, which have another way where it is not.
    Known {
        name: "dotnet",
        programs: &["dotnet"],
        version_args: VERSION,
        label: "",
        with: " with its SDK",
        debian: &[],
        debian_version_of: "",
        elsewhere: &[],
        least: &[],
        newer: FROM_ITS_SITE,
    },
    Known {
        with: " with its compiler",
        ..plain("mono", &["mono", "mcs"], "Mono JIT compiler version ", &["mono-runtime", "mono-mcs"])
    }
    .since(&[6, 8]),
];

pub(super) fn by_name(name: &str) -> Option<&'static Known> {
    TABLE.iter().find(|known| known.name == name)
}
