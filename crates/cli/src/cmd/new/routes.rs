//! A server's routes, from the requests of a workload.

use std::collections::BTreeSet;

use velo_lab::example_request;
use velo_model::{BodyExpectation, Request, Workload};
use velo_request::value;

use super::super::show;

/// What the servers of the templates answer as they are.
const ANSWERED: [(&str, &str); 4] =
    [("GET", "/"), ("GET", "/hello/{number}"), ("GET", "/user/{id}"), ("POST", "/user")];
/// The columns of a comment.
const WIDTH: usize = 100;
const HOST: &str = "127.0.0.1:8080";
/// The seed of the example in a comment.
const SEED: u64 = 1;

/// A route that is to be written.
struct Route {
    method: String,
    /// Between slashes; `None` for one that differs from request to request.
    segments: Vec<Option<String>>,
    status: u16,
    content_type: Option<String>,
    /// What the workload accepts, in words.
    accepted: String,
    /// The body where it is always the same.
    body: String,
}

/// The server's source with the routes of a workload, in a language that `velo new` knows; `None` where the template has them all. The
/// answers' bodies are the reader's, but for those that are always the same.
pub(super) fn source(workload: &Workload, language: &str) -> anyhow::Result<Option<String>> {
    let is_answered = |request: &Request| {
        let path = request.path.written(&value::names(&request.slots));
        ANSWERED.contains(&(request.method.as_str(), path.as_str()))
    };
    if workload.requests.iter().all(is_answered) {
        return Ok(None);
    }
    let mut routes: Vec<Route> = Vec::new();
    let mut seen = BTreeSet::new();
    for request in &workload.requests {
        let route = route(workload, request)?;
        if seen.insert((route.method.clone(), route.segments.clone())) {
            routes.push(route);
        }
    }
    let name = &workload.name;
    Ok(match language {
        "go" => Some(go(name, &routes)),
        "java" => Some(java(name, &routes)),
        "js" => Some(js(name, &routes)),
        "python" => Some(python(name, &routes)),
        _ => None,
    })
}

fn route(workload: &Workload, request: &Request) -> anyhow::Result<Route> {
    let names = value::names(&request.slots);
    let path = request.path.written(&names);
    let path = path.split('?').next().unwrap_or_default();
    let is_drawn = |segment: &str| names.iter().any(|name| segment.contains(&format!("{{{name}}}")));
    let segments = path.split('/').skip(1).map(|part| (!is_drawn(part)).then(|| part.to_owned())).collect();
    let (_, values) = example_request(workload, request, HOST, SEED)?;
    let body = match &request.expect.body {
        BodyExpectation::Exact(text) if text.slots().next().is_none() => text.written(&[]),
        _ => String::new(),
    };
    Ok(Route {
        method: request.method.clone(),
        segments,
        status: (200..600).find(|&status| request.expect.status.contains(status)).unwrap_or(200),
        content_type: request.expect.content_type.clone(),
        accepted: format!("{} {path}: {}", request.method, show::answer(&request.expect, &names, &values)),
        body,
    })
}

/// What is accepted, as a comment.
fn comment(route: &Route, sign: &str) -> String {
    let text = crate::columns::wrap(&route.accepted, 0, WIDTH - sign.len());
    text.lines().map(|line| format!("{sign} {line}\n")).collect()
}

/// A text literal that all of the languages read alike.
fn literal(text: &str) -> String {
    // OK because a text is JSON.
    serde_json::to_string(text).unwrap_or_default()
}

fn go(workload: &str, routes: &[Route]) -> String {
    let (mut handled, mut handlers) = (String::new(), String::new());
    for (number, route) in (1..).zip(routes) {
        let mut path = String::new();
        for (at, segment) in (1..).zip(&route.segments) {
            match segment {
                Some(segment) => path.push_str(&format!("/{segment}")),
                None => path.push_str(&format!("/{{part{at}}}")),
            }
        }
        let exactly = if path.ends_with('/') { "{$}" } else { "" };
        let pattern = literal(&format!("{} {path}{exactly}", route.method));
        handled.push_str(&format!("\tmux.HandleFunc({pattern}, answer{number})\n"));
        let content_type = route.content_type.as_ref().map_or(String::new(), |content_type| {
            format!("\tw.Header().Set(\"Content-Type\", {})\n", literal(content_type))
        });
        handlers.push_str(&format!(
            "\n{}func answer{number}(w http.ResponseWriter, r *http.Request) {{\n\tif _, err := io.ReadAll(r.Body); err != nil {{\n\t\treturn\n\t}}\n{content_type}\tw.WriteHeader({})\n\tio.WriteString(w, {})\n}}\n",
            comment(route, "//"),
            route.status,
            literal(&route.body)
        ));
    }
    format!(
        "// The routes of {workload}, made by velo new; write what they answer. velo show {workload} prints all requests.\npackage main\n\nimport (\n\t\"io\"\n\t\"log\"\n\t\"net\"\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc main() {{\n\tmux := http.NewServeMux()\n{handled}\tlog.Fatal(http.ListenAndServe(net.JoinHostPort(os.Getenv(\"HOST\"), os.Getenv(\"PORT\")), mux))\n}}\n{handlers}"
    )
}

/// A regular expression of a path.
fn pattern(route: &Route) -> String {
    let parts = route.segments.iter().map(|segment| match segment {
        Some(segment) => format!("/{}", regex::escape(segment)),
        None => "/([^/]+)".to_owned(),
    });
    format!("^{}$", parts.collect::<String>())
}

fn java(workload: &str, routes: &[Route]) -> String {
    let listed: Vec<String> = routes
        .iter()
        .map(|route| {
            format!(
                "{}        new Route({}, Pattern.compile({}), {}, {}, (parts, body) -> {})",
                comment(route, "        //"),
                literal(&route.method),
                literal(&pattern(route)),
                route.status,
                literal(route.content_type.as_deref().unwrap_or("text/plain")),
                literal(&route.body)
            )
        })
        .collect();
    let listed = listed.join(",\n");
    format!(
        "// The routes of {workload}, made by velo new; write what they answer. velo show {workload} prints all requests.\nimport com.sun.net.httpserver.HttpExchange;\nimport com.sun.net.httpserver.HttpServer;\nimport java.io.IOException;\nimport java.net.InetSocketAddress;\nimport java.nio.charset.StandardCharsets;\nimport java.util.List;\nimport java.util.concurrent.Executors;\nimport java.util.regex.MatchResult;\nimport java.util.regex.Pattern;\n\npublic class Server {{\n    interface Answer {{\n        String to(MatchResult parts, byte[] body);\n    }}\n\n    record Route(String method, Pattern path, int status, String type, Answer answer) {{}}\n\n    private static final List<Route> ROUTES = List.of(\n{listed});\n\n    public static void main(String[] args) throws IOException {{\n        var port = Integer.parseInt(System.getenv(\"PORT\"));\n        var server = HttpServer.create(new InetSocketAddress(System.getenv(\"HOST\"), port), 1024);\n        server.createContext(\"/\", Server::route);\n        server.setExecutor(Executors.newCachedThreadPool());\n        server.start();\n    }}\n\n    private static void route(HttpExchange exchange) throws IOException {{\n        var body = exchange.getRequestBody().readAllBytes();\n        for (var route : ROUTES) {{\n            var path = route.path().matcher(exchange.getRequestURI().getRawPath());\n            if (route.method().equals(exchange.getRequestMethod()) && path.matches()) {{\n                answer(exchange, route.status(), route.type(), route.answer().to(path, body));\n                return;\n            }}\n        }}\n        answer(exchange, 404, \"text/plain\", \"\");\n    }}\n\n    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {{\n        var body = text.getBytes(StandardCharsets.UTF_8);\n        exchange.getResponseHeaders().set(\"Content-Type\", type);\n        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);\n        exchange.getResponseBody().write(body);\n        exchange.close();\n    }}\n}}\n"
    )
}

fn js(workload: &str, routes: &[Route]) -> String {
    let mut listed = String::new();
    for route in routes {
        listed.push_str(&comment(route, "  //"));
        listed.push_str(&format!(
            "  {{\n    method: {},\n    path: new RegExp({}),\n    status: {},\n    type: {},\n    answer: (parts, body) => {}\n  }},\n",
            literal(&route.method),
            literal(&pattern(route)),
            route.status,
            literal(route.content_type.as_deref().unwrap_or("text/plain")),
            literal(&route.body)
        ));
    }
    format!(
        "// The routes of {workload}, made by velo new; write what they answer. velo show {workload} prints all requests.\nconst http = require('node:http')\n\nconst routes = [\n{listed}]\n\nconst server = http.createServer((request, response) => {{\n  const pieces = []\n  request.on('data', (piece) => pieces.push(piece)).on('end', () => {{\n    const [path] = request.url.split('?')\n    const route = routes.find((one) => one.method === request.method && one.path.test(path))\n    const text = route?.answer(path.match(route.path).slice(1), Buffer.concat(pieces)) ?? ''\n    response.writeHead(route?.status ?? 404, {{\n      'content-type': route?.type ?? 'text/plain',\n      'content-length': Buffer.byteLength(text)\n    }})\n    response.end(text)\n  }})\n}})\n\nserver.listen(Number(process.env.PORT), process.env.HOST)\n"
    )
}

fn python(workload: &str, routes: &[Route]) -> String {
    let (mut functions, mut listed) = (String::new(), String::new());
    for (number, route) in (1..).zip(routes) {
        functions.push_str(&format!(
            "{}def answer{number}(parts, body):\n    return {}\n\n\n",
            comment(route, "#"),
            literal(&route.body)
        ));
        listed.push_str(&format!(
            "    ({}, re.compile({}), {}, {}, answer{number}),\n",
            literal(&route.method),
            literal(&pattern(route)),
            route.status,
            literal(route.content_type.as_deref().unwrap_or("text/plain"))
        ));
    }
    let methods: BTreeSet<&str> = routes.iter().map(|route| route.method.as_str()).collect();
    let methods: String = methods.iter().map(|method| format!("    do_{method} = route\n")).collect();
    format!(
        "# The routes of {workload}, made by velo new; write what they answer. velo show {workload} prints all requests.\nimport os\nimport re\nfrom http.server import BaseHTTPRequestHandler, ThreadingHTTPServer\n\n\n{functions}ROUTES = [\n{listed}]\n\n\nclass Handler(BaseHTTPRequestHandler):\n    protocol_version = \"HTTP/1.1\"\n    disable_nagle_algorithm = True\n\n    def route(self):\n        body = self.rfile.read(int(self.headers.get(\"Content-Length\", 0)))\n        path = self.path.split(\"?\")[0]\n        for method, pattern, status, content_type, answer in ROUTES:\n            match = pattern.match(path)\n            if method == self.command and match:\n                return self.answer(status, content_type, answer(match.groups(), body).encode())\n        self.answer(404, \"text/plain\", b\"\")\n\n{methods}\n    def answer(self, status, content_type, body):\n        self.send_response(status)\n        self.send_header(\"Content-Type\", content_type)\n        self.send_header(\"Content-Length\", str(len(body)))\n        self.end_headers()\n        self.wfile.write(body)\n\n    def log_message(self, *args):\n        pass\n\n\nclass Server(ThreadingHTTPServer):\n    request_queue_size = 1024\n\n\nServer((os.environ[\"HOST\"], int(os.environ[\"PORT\"])), Handler).serve_forever()\n"
    )
}
