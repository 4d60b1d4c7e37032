use std::fmt::Write as _;
use std::path::Path;

use velo_lab::example_request;
use velo_model::{
    BodyExpectation, Case, CaseRequest, Delivery, Digest, Expectation, GrpcCalls, LoadSettings, Manner,
    Request, SlotKind, TaskSettings, TextTemplate, Workload,
};
use velo_request::value;

use crate::args::ShowArgs;
use crate::columns::wrap;
use crate::root::Root;
use crate::{exit, out, select};

/// The address that stands for the one that a contender is given.
const HOST: &str = "127.0.0.1:8080";
const WIDTH: usize = 80;

pub(crate) fn run(args: &ShowArgs, root: Option<&Path>) -> anyhow::Result<u8> {
    let root = Root::read(root, &args.folders)?;
    let workloads = select::workloads(&root, std::slice::from_ref(&args.workload))?;
    out::print(
        &workloads.iter().map(|workload| show(workload, args.seed)).collect::<anyhow::Result<String>>()?,
    )?;
    Ok(exit::DONE)
}

fn show(workload: &Workload, seed: u64) -> anyhow::Result<String> {
    let mut text = String::new();
    let title = format!("{}: ", workload.name);
    let source = &workload.source;
    line(&mut text, 0, &title, &workload.question);
    line(
        &mut text,
        0,
        "source  ",
        &format!("\"{}\", {}, {}: {}", source.title, source.author, source.year, source.command),
    );
    if workload.download.is_none() {
        for (settings, name) in named_loads(workload) {
            line(&mut text, 0, "load    ", &format!("{name}{}", load(settings, workload)));
        }
    }
    for data in &workload.data {
        let what = format!(
            "{}: a JSON array of {} records, in DATA_DIR; another one halfway",
            data.file, data.records
        );
        line(&mut text, 0, "data    ", &what);
    }
    for burst in &workload.bursts {
        let name = workload.requests.get(burst.request).map_or("?", |request| request.name.as_str());
        let (requests, connections) = (burst.requests, burst.connections);
        line(&mut text, 0, "burst   ", &format!("{requests} times `{name}` over {connections} connections"));
    }
    if let Some(task) = &workload.task {
        line(&mut text, 0, "task    ", &self::task(task, workload));
    }
    for download in workload.downloads() {
        let bytes = velo_stats::number::bytes(download.bytes);
        let what = match download.files {
            1 => format!(
                "{}: a file of {bytes}, drawn anew each time; {} by each process, one after the other, and one by a process of its own",
                download.name, download.iterations
            ),
            files => format!(
                "{}: {files} files of {bytes}, {} at once, drawn anew each time; {} times by each process, and once by a process of its own",
                download.name, download.at_once, download.iterations
            ),
        };
        line(&mut text, 0, "file    ", &what);
    }
    for settings in &workload.calls {
        let name = workload.requests.get(settings.request).map_or("?", |request| request.name.as_str());
        let conditions: Vec<String> = settings.conditions.iter().map(ToString::to_string).collect();
        let what =
            format!("`{name}` alone, {} times under each of: {}", settings.calls, conditions.join(", "));
        line(&mut text, 0, "calls   ", &what);
    }
    if workload.download.is_some() {
        show_manners(&mut text);
        return Ok(text);
    }
    line(
        &mut text,
        0,
        "host    ",
        &format!("{HOST} stands for the address given to the contender; values are drawn with seed {seed}"),
    );
    let weights: u64 = workload.requests.iter().map(|request| u64::from(request.weight)).sum();
    for request in &workload.requests {
        let (bytes, values) = example_request(workload, request, HOST, seed)?;
        let _ = writeln!(text, "\nrequest {}, {} of {weights} requests", request.name, request.weight);
        text.push_str(&visible(&bytes));
        slots(&mut text, workload, request, &values);
        expectation(&mut text, request, &values);
    }
    for case in &workload.cases {
        show_case(&mut text, workload, case, seed)?;
    }
    if let Some(grpc) = &workload.grpc {
        show_grpc(&mut text, grpc);
    }
    Ok(text)
}

/// What clients are tried with besides.
fn show_manners(text: &mut String) {
    text.push_str("\nfaults that clients are tried with (recorded only, excludes nobody)\n");
    for manner in Manner::faults() {
        let what = format!("{}; a careful client has: {}", manner.sends(), manner.expected());
        line(text, 2, &format!("{:<14}", manner.name()), &what);
    }
}

/// The same as calls, for services of gRPC: their messages as JSON.
fn show_grpc(text: &mut String, grpc: &GrpcCalls) {
    let _ = writeln!(text, "\ngRPC, for services of it: methods of {}, messages as JSON", grpc.proto_file);
    for request in &grpc.requests {
        let _ = writeln!(text, "\ncall for request {}", request.name);
        call(text, request);
    }
    for case in &grpc.cases {
        let _ = writeln!(text, "\ncase: {} (must pass)", case.name);
        match &case.send {
            CaseRequest::Valid { request } => {
                let name = grpc.requests.get(*request).map_or("?", |request| request.name.as_str());
                line(text, 2, "send    ", &format!("the call for request {name} with values drawn anew"));
            }
            CaseRequest::Own(request) => call(text, request),
        }
        delivered(text, case);
    }
}

fn call(text: &mut String, request: &Request) {
    let names = value::names(&request.slots);
    let message = request.body.as_ref().map(|body| body.written(&names)).unwrap_or_default();
    line(text, 2, "method  ", request.path.written(&[]).trim_start_matches('/'));
    line(text, 2, "message ", &message);
    let code = (0..=16).find(|&code| request.expect.status.contains(code));
    let status = code.and_then(velo_load::grpc_status_name).unwrap_or("?");
    let answer = match &request.expect.body {
        BodyExpectation::Json(shape) => format!(", a message equal to {}", json(shape.text.written(&names))),
        _ => String::new(),
    };
    line(text, 2, "accept  ", &format!("{status}{answer}"));
}

/// The loads, where there are several each with what it is reported as.
fn named_loads(workload: &Workload) -> impl Iterator<Item = (&LoadSettings, String)> {
    let further = workload.further.iter().map(|load| format!("{}-{}: ", workload.name, load.name));
    let first = if workload.further.is_empty() { String::new() } else { format!("{}: ", workload.name) };
    workload.load_settings().zip(std::iter::once(first).chain(further))
}

fn load(load: &LoadSettings, workload: &Workload) -> String {
    let connections = match load.connections_per_core {
        None => format!("{} connections", load.connections),
        Some(1) => "1 connection for each CPU of the contender".to_owned(),
        Some(per_core) => format!("{per_core} connections for each CPU of the contender"),
    };
    let connections = match load.requests_per_connection {
        None => connections,
        Some(requests) => format!("{connections}, {}", velo_report::turns(requests)),
    };
    let connections = match load.request.and_then(|request| workload.requests.get(request)) {
        None => connections,
        Some(request) => format!("{connections}, `{}` alone", request.name),
    };
    let connections = match load.protocol.is_default() {
        true => connections,
        false => format!("{connections} over {}", load.protocol),
    };
    let connections = match &load.link {
        None => connections,
        Some(link) => format!("{connections} over the link {link}"),
    };
    match (load.rate_per_s, load.streams) {
        (Some(rate), _) => format!("{connections}, an open loop at {rate} requests a second"),
        (None, 1) => format!("{connections}, one request in flight on each"),
        (None, streams) => format!("{connections}, {streams} requests in flight on each"),
    }
}

fn task(task: &TaskSettings, workload: &Workload) -> String {
    let slots = workload.requests.get(task.request).map_or(&[][..], |request| &request.slots);
    let names = value::names(slots);
    let Digest::Sha512(of) = &task.output;
    format!(
        "a line of input is `{}`; the answer is its time in nanoseconds, a tab, and the SHA-512 of `{}` in lower-case hexadecimal digits",
        task.input.written(&names).replace('\t', "<tab>"),
        of.written(&names)
    )
}

fn show_case(text: &mut String, workload: &Workload, case: &Case, seed: u64) -> anyhow::Result<()> {
    let kind = if case.required { "must pass" } else { "recorded only, excludes nobody" };
    let _ = writeln!(text, "\ncase: {} ({kind})", case.name);
    match &case.send {
        CaseRequest::Valid { request } => {
            let name = workload.requests.get(*request).map_or("?", |request| request.name.as_str());
            line(text, 2, "send    ", &format!("request {name} with values drawn anew"));
            line(text, 2, "accept  ", "as for that request");
        }
        CaseRequest::Own(request) => {
            let (bytes, values) = example_request(workload, request, HOST, seed)?;
            text.push_str(&visible(&bytes));
            slots(text, workload, request, &values);
            expectation(text, request, &values);
        }
    }
    delivered(text, case);
    Ok(())
}

fn delivered(text: &mut String, case: &Case) {
    if case.repeat > 1 {
        line(text, 2, "repeat  ", &format!("{} times on one connection", case.repeat));
    }
    if case.delivery == Delivery::Split {
        line(text, 2, "split   ", "into several TCP segments, with a pause between them");
    }
}

fn line(text: &mut String, indent: usize, label: &str, content: &str) {
    let column = indent + label.chars().count();
    let _ = writeln!(text, "{:indent$}{label}{}", "", wrap(content, column, WIDTH));
}

/// Bytes as text: a line for each line feed, with control characters written out.
fn visible(bytes: &[u8]) -> String {
    let mut text = String::new();
    for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
        text.push_str("    ");
        for c in String::from_utf8_lossy(piece).chars() {
            if c.is_control() || c == '\\' { text.extend(c.escape_default()) } else { text.push(c) }
        }
        text.push('\n');
    }
    text
}

fn slots(text: &mut String, workload: &Workload, request: &Request, values: &[String]) {
    for (slot, value) in request.slots.iter().zip(values) {
        let kind = match &slot.kind {
            SlotKind::Bool => "true or false, equally likely".to_owned(),
            SlotKind::Int { min, max } => format!("a whole number from {min} to {max}, each equally likely"),
            SlotKind::Signed { min, max } => {
                format!("a whole number from {min} to {max}, each equally likely")
            }
            SlotKind::Choice(texts) => format!("one of {}, equally likely", texts.join(", ")),
            SlotKind::Counter { first } => format!("{first}, and one more with each request"),
            SlotKind::Cell { table, column } => {
                let table = workload.tables.get(*table);
                let name = table.and_then(|table| table.columns.get(*column)).map_or("?", String::as_str);
                format!("the column `{name}` of {}", table.map_or("?", |table| table.file.as_str()))
            }
            SlotKind::Data { file, slot } => {
                let data = workload.data.get(*file);
                let name = data.and_then(|data| data.slots.get(*slot)).map_or("?", |slot| slot.name.as_str());
                format!("the `{name}` of a record of {}", data.map_or("?", |data| data.file.as_str()))
            }
        };
        line(text, 2, "value   ", &format!("{{{}}} is {kind}; here {value}", slot.name));
    }
}

fn expectation(text: &mut String, request: &Request, values: &[String]) {
    let expect = &request.expect;
    let names = value::names(&request.slots);
    line(text, 2, "accept  ", &answer(expect, &names, values));
    if let Some(slot) = expect.not_before_ms {
        let name = names.get(slot).copied().unwrap_or("?");
        line(text, 2, "wait    ", &format!("not before {{{name}}} milliseconds have passed"));
    }
    let BodyExpectation::Json(shape) = &expect.body else { return };
    if let Some(coin) = &shape.coin {
        let bet = names.get(coin.bet_slot).copied().unwrap_or("?");
        let win = &coin.win_member;
        line(
            text,
            2,
            "coin    ",
            &format!(
                "the draw is {{{bet}}} when `{win}` is true, else its opposite; draws must be fair and independent"
            ),
        );
    }
}

pub(super) fn answer(expect: &Expectation, names: &[&str], values: &[String]) -> String {
    let content_type = match &expect.content_type {
        Some(content_type) => format!("Content-Type {content_type} with any parameters"),
        None => "any Content-Type or none".to_owned(),
    };
    let headers = expect.headers.iter().map(|header| match &header.value {
        Some(value) => format!(", the header {}: {value}", header.name),
        None => format!(", a header {}", header.name),
    });
    let headers: String = headers.collect();
    let body = match &expect.body {
        BodyExpectation::Any => "any body".to_owned(),
        BodyExpectation::Empty => "no body".to_owned(),
        BodyExpectation::Exact(template) => exact(template, names, values),
        BodyExpectation::Same => "the body of the first answer".to_owned(),
        BodyExpectation::Length { min, max } => format!("a body of {min} to {max} bytes"),
        BodyExpectation::Regex(regex) => format!("a body that `{regex}` matches"),
        BodyExpectation::Sha256(sum) => format!("a body with the SHA-256 {sum}"),
        BodyExpectation::Json(shape) => format!("JSON equal to {}", json(shape.text.written(names))),
    };
    format!("status {}, {content_type}{headers}, {body}", expect.status)
}

/// JSON with what stands for something else in it explained.
fn json(text: String) -> String {
    let any = if text.contains("\"<bool>\"") { ", where \"<bool>\" is any boolean" } else { "" };
    let hash = if text.contains("\"<sha512 ") {
        ", where \"<sha512 TEXT>\" is the SHA-512 of the text in lower-case hexadecimal digits"
    } else {
        ""
    };
    format!("{text}{any}{hash}")
}

fn exact(template: &TextTemplate, names: &[&str], values: &[String]) -> String {
    let here = if template.slots().next().is_some() {
        format!("; here `{}`", String::from_utf8_lossy(&template.render(values)))
    } else {
        String::new()
    };
    format!("the body `{}` byte for byte{here}", template.written(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_shown() {
        assert_eq!(
            visible(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
            "    GET / HTTP/1.1\\r\\n\n    Host: h\\r\\n\n    \\r\\n\n"
        );
        assert_eq!(visible(b"{\"a\": \"\\n\"}"), "    {\"a\": \"\\\\n\"}\n");
        assert_eq!(visible(b""), "");
    }

    #[test]
    fn an_exact_body_is_shown_with_its_slots_and_as_it_is_here() {
        let template = velo_request::parse_template(b"id {id}", &["id"]).expect("a template");
        assert_eq!(
            exact(&template, &["id"], &["7".to_owned()]),
            "the body `id {id}` byte for byte; here `id 7`"
        );
    }
}
