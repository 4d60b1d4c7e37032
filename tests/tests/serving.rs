use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Scene, left_running, place, program, text};

/// A server that is not to be found among those of other tests.
fn marked(scene: &Scene, mark: &str) -> std::path::PathBuf {
    scene.contender_with(mark, &format!("exec {} none {mark}", program("scripted-server").display()), "")
}

fn serve(scene: &Scene, contender: &Path) -> (Child, String) {
    let mut velo = scene
        .velo(&["serve", "void", "--contender"])
        .arg(contender)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(velo.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (velo, line)
}

#[test]
fn a_contender_serves_until_ctrl_c_and_is_gone_then() {
    let _place = place();
    let scene = Scene::new();
    let (mut velo, line) = serve(&scene, &marked(&scene, "stands-until-int"));
    let (name, url) = line.trim().split_once("  ").unwrap();
    assert_eq!(name, "script/stands-until-int");
    let mut connection = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    connection.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut start = [0; 12];
    connection.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    assert_eq!(left_running("stands-until-int").len(), 2, "velo itself and the server");
    kill_process(Pid::from_child(&velo), Signal::INT).unwrap();
    assert_eq!(velo.wait().unwrap().code(), Some(130));
    let mut said = String::new();
    velo.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains(&format!("curl -ik '{url}/'")) && said.contains("Ctrl-C ends"), "{said}");
    assert!(left_running("stands-until-int").is_empty());
}

#[test]
fn the_port_of_a_contender_may_be_chosen() {
    let _place = place();
    let scene = Scene::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let contender = marked(&scene, "stands-on-a-port");
    let serve = |port: u16| {
        let mut command = scene.velo(&["serve", "void", "--port", &port.to_string(), "--contender"]);
        command.arg(&contender).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut velo = serve(port);
    let mut line = String::new();
    BufReader::new(velo.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let taken = serve(port).wait_with_output().unwrap();
    kill_process(Pid::from_child(&velo), Signal::INT).unwrap();
    velo.wait().unwrap();
    assert!(line.trim_end().ends_with(&format!(":{port}")), "{line}");
    assert!(text(&taken).contains(&format!("port {port} cannot be had")), "{}", text(&taken));
}

#[test]
fn one_that_ends_by_itself_is_told_and_so_is_one_that_is_no_server() {
    let _place = place();
    let scene = Scene::new();
    let (mut velo, line) = serve(&scene, &marked(&scene, "stands-until-kill"));
    assert!(line.starts_with("script/stands-until-kill  http://127.0.0.1:"), "{line}");
    let own = velo.id();
    let server = left_running("stands-until-kill").into_iter().find(|&pid| pid != own).unwrap();
    kill_process(Pid::from_raw(i32::try_from(server).unwrap()).unwrap(), Signal::KILL).unwrap();
    assert_eq!(velo.wait().unwrap().code(), Some(1));
    let mut said = String::new();
    velo.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("script/stands-until-kill excluded") && said.contains("did not stay"), "{said}");

    let task = scene.task("no-server", "true");
    let refused = scene.velo(&["serve", "users", "--contender"]).arg(&task).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused));
    assert!(text(&refused).contains("script/no-server skipped: it is no server"), "{}", text(&refused));
    let refused = scene.velo(&["serve"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
}
