use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use velo_model::PartyRole;
use velo_record::{ContenderState, External, read_run};

use crate::harness::{Scene, place, program, row, text};

/// A scripted server that nobody but the test starts and ends.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(fault: &str) -> Self {
        let port = free_port();
        let child = Command::new(program("scripted-server"))
            .arg(fault)
            .env("HOST", "127.0.0.1")
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, port };
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        server
    }

    fn url(&self, name: &str) -> String {
        format!("{name}=http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, which the test has said by then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Where the threads of a process may run, as the kernel says it.
fn allowed(pid: u32) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    status.lines().find(|line| line.starts_with("Cpus_allowed_list")).unwrap().to_owned()
}

/// What a process has used, with ended threads: utime and stime, in ticks of at most 10 ms.
fn used_ns(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<u64>().unwrap();
    (ticks(11) + ticks(12)) * 10_000_000
}

#[test]
fn a_server_that_runs_already_is_measured_and_left_running() {
    let _place = place();
    let scene = Scene::new();
    let (mut honest, liar) = (Server::start("none"), Server::start("wrong-body"));
    let mut command = scene.quick_run("coin", &["none"]);
    command.args(["--url", &honest.url("mine"), "--url", &liar.url("go/liar"), "--pin"]);
    let (pid, stood) = (honest.child.id(), allowed(honest.child.id()));
    let output = command.output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "wrong answers are exit code 1:\n{said}");
    assert!(honest.child.try_wait().unwrap().is_none(), "it is not ours to end");
    assert_eq!(allowed(pid), stood, "it is where it was");

    let run = read_run(&scene.out()).unwrap();
    let record =
        run.file.contenders.iter().find(|record| record.manifest.name.as_str() == "url/mine").unwrap();
    assert_eq!(record.state, ContenderState::Measured, "{said}");
    assert!(record.cases.iter().all(|case| case.passed || !case.required) && !record.cases.is_empty());
    let given = run.file.placement.cpus(PartyRole::Contender);
    let Some(External::Seen { pids, cpus, is_pinned, .. }) = &record.external else { panic!("{record:?}") };
    assert_eq!((pids.as_slice(), cpus.as_slice(), *is_pinned), (&[pid][..], given, true));
    let launch = record.launches.first().unwrap();
    assert_eq!((launch.startup_ns, launch.processes, &launch.stop), (None, Some(1), &None));
    assert!(launch.memory_steady_bytes > Some(0) && launch.cpus_read_back == given, "{launch:?}");
    let of = |name: &'static str| run.windows.iter().filter(move |one| one.contender.as_str() == name);
    let cpu_ns = |name| of(name).filter_map(|one| one.cpu_total_ns(PartyRole::Contender)).sum::<u64>();
    let answers = |name| of(name).map(|one| one.all().correct).sum::<u64>();
    assert!(of("url/mine").all(|window| window.cpu_total_ns(PartyRole::Contender).is_some()));
    // All that it used was for requests, nearly all of them within windows; what is read of a process in ticks may be one behind.
    let all_ns = used_ns(pid) + 20_000_000;
    assert!((all_ns / 3..=all_ns).contains(&cpu_ns("url/mine")), "{} of {all_ns}", cpu_ns("url/mine"));
    let [own, launched] = ["url/mine", "script/none"].map(|name| cpu_ns(name) as f64 / answers(name) as f64);
    assert!(own > 0.0 && launched > 0.0 && (0.2..5.0).contains(&(own / launched)), "{own} {launched}");
    assert!(run.windows.iter().any(|window| window.host.others_cpu_ns.is_some()), "others are looked at");

    let judgement = scene.judgement();
    let mine = row(&judgement, "url/mine");
    assert!(
        mine["answers"]["correct"].as_u64() > Some(0) && mine["state"]["cause"] != "ran-already",
        "{mine}"
    );
    let liar = &row(&judgement, "go/liar")["state"];
    assert_eq!(liar["cause"], "wrong-answers", "{liar}\n{said}");
    let said = scene.report(&["-v"]);
    assert!(said.contains("url/mine (externally started)") && said.contains("one launch"), "{said}");
}

#[test]
fn what_does_not_answer_is_a_row_and_the_run_goes_on() {
    let _place = place();
    let scene = Scene::new();
    let nobody = format!("gone=http://127.0.0.1:{}", free_port());
    let output = scene.quick_run("coin", &["none"]).args(["--url", &nobody]).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let judgement = scene.judgement();
    let gone = &row(&judgement, "url/gone")["state"];
    assert_eq!((&gone["is"], &gone["stage"]), (&"excluded".into(), &"start".into()), "{said}");
    assert_eq!(gone["log"], serde_json::Value::Null, "nothing was started that could have written one");
    assert!(row(&judgement, "script/none")["answers"]["correct"].as_u64() > Some(0), "{said}");
}

#[test]
fn a_process_that_is_named_is_taken_or_refused() {
    let _place = place();
    let scene = Scene::new();
    let (named, lost) = (Server::start("none"), Server::start("none"));
    let pid = named.child.id().to_string();
    let mut command = scene.quick_run("coin", &["none"]);
    command.args(["--url", &named.url("named"), "--url-pid", &format!("named={pid}")]);
    // It has started velo itself.
    command.args(["--url", &lost.url("lost"), "--url-pid", &format!("lost={}", std::process::id())]);
    let said = text(&command.output().unwrap());
    let run = read_run(&scene.out()).unwrap();
    let record =
        |name| run.file.contenders.iter().find(|record| record.manifest.name.as_str() == name).unwrap();
    let External::Seen { pids, is_pinned, .. } = record("url/named").external.as_ref().unwrap() else {
        panic!("{said}")
    };
    assert_eq!((pids.as_slice(), *is_pinned), (&[named.child.id()][..], false));
    let ContenderState::Excluded { reason, .. } = &record("url/lost").state else { panic!("{said}") };
    assert!(reason.contains("--url-pid: ") && reason.contains("has started velo itself"), "{reason}");
    // Where it may run on the generator's CPUs that is said.
    let judgement = scene.judgement().to_string();
    let is_beside = record("url/named").placement(&run.file.placement).as_ref() != &run.file.placement;
    assert_eq!(judgement.contains("external-placement"), is_beside, "{judgement}");
}

#[test]
fn a_server_that_runs_already_is_verified_alone() {
    let _place = place();
    let scene = Scene::new();
    let server = Server::start("none");
    let output = scene.velo(&["verify", "coin", "--url", &server.url("mine")]).output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("verify 1 contender") && said.contains("url/mine  ok"), "{said}");
}

#[test]
fn what_cannot_be_asked_of_it_is_refused() {
    let scene = Scene::new();
    let refused = |arguments: &[&str], part: &str| {
        let output = scene.velo(arguments).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}:\n{said}");
        assert!(said.contains(part), "{arguments:?}:\n{said}");
    };
    refused(&["run", "users", "--url", "mine=http://127.0.0.1:1"], "files to read");
    refused(&["run", "coin", "--url", "go/gin=http://127.0.0.1:1"], "another contender of that name");
    refused(&["run", "coin", "--url", "http://127.0.0.1:1"], "NAME=URL");
    refused(&["run", "coin", "--url", "mine=https://127.0.0.1:1"], "velo load measures https");
    refused(&["run", "coin", "--pin"], "--pin does nothing here");
    refused(&["run", "coin", "--url-pid", "mine=1"], "no --url has that name");
    refused(&["run", "coin", "--url", "mine=http://127.0.0.1:1", "--url-pid", "mine=0"], "NAME=PID");
}

const LONG: &str = r#"
question = "GET 1.5 MB: how long may an answer be?"
baseline = "script/files"
default = ["script/files"]
load = [{ connections = 4 }]

[[request]]
name = "long"
method = "GET"
path = "/long"
expect = { status = 200, length = 1_500_000 }

[[case]]
name = "a long answer"
like = "long"
"#;

/// What passed verification was no answer at all under load, where less of it was taken.
#[test]
fn an_answer_as_long_as_the_workload_expects_is_taken() {
    let _place = place();
    let scene = Scene::new();
    let files = scene.dir.path().join("files");
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("long"), vec![b'v'; 1_500_000]).unwrap();
    let start = format!("exec {} serve-files {} --port $PORT", program("velo").display(), files.display());
    let contender = scene.contender_on("long", "files", &start, "");
    let mut command = scene.velo(&["run", "long", "--quick", "--only", "script/*", "--workload"]);
    command
        .arg(scene.workload("long", LONG))
        .arg("--contender")
        .arg(&contender)
        .arg("--out")
        .arg(scene.out());
    let output = command.output().unwrap();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let run = read_run(&scene.out()).unwrap();
    let correct: u64 = run.windows.iter().map(|window| window.outcomes.correct).sum();
    let wrong: u64 = run.windows.iter().map(|window| window.outcomes.wrong_answer).sum();
    assert!(correct > 0, "{said}");
    assert_eq!(wrong, 0, "{said}");
}
