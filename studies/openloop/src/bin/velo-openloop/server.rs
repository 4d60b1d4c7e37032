use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use velo_tests::child::on_cpu;

use crate::cell::Cell;
use crate::protocol::Protocol;
use crate::record::Served;
use crate::{Outcome, SERVER_CPU};

/// A paced server of its own for one run. It ends when its input is closed, so also when this process dies.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) fn start(program: &Path, cell: Cell, protocol: Protocol) -> Outcome<Self> {
        let mut command = Command::new(program);
        command.args(cell.server_arguments(protocol)).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = on_cpu(&mut command, SERVER_CPU).spawn()?;
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().ok_or("the server has no output")?);
        let mut line = String::new();
        output.read_line(&mut line)?;
        let port = line.trim().parse().map_err(|_| format!("the server printed `{line}` for its port"))?;
        Ok(Self { child, input, output, port })
    }

    pub(crate) fn end(mut self) -> Outcome<Served> {
        drop(self.input.take());
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        self.child.wait()?;
        Ok(serde_json::from_str(&line)?)
    }
}
