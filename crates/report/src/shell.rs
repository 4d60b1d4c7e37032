//! Command lines that a reader may type again.

/// Arguments without some flags: those with a value, and those that stand alone.
pub fn without(args: &[String], with_value: &[&str], alone: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let flag = arg.split_once('=').map_or(arg.as_str(), |(flag, _)| flag);
        if with_value.contains(&flag) {
            if flag == arg.as_str() {
                args.next();
            }
        } else if !alone.contains(&flag) {
            kept.push(arg.clone());
        }
    }
    kept
}

/// A program and its arguments, each quoted where a shell would take it apart.
pub fn line(program: &str, args: &[String]) -> String {
    let mut text = program.to_owned();
    for arg in args {
        text.push(' ');
        text.push_str(&quoted(arg));
    }
    text
}

/// Quoted for a shell, where it needs to be.
pub fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        arg.to_owned()
    } else {
        format!("'{}'", arg.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_take_apart_is_quoted() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("go/net-http"), "go/net-http");
    }

    #[test]
    fn flags_are_left_out_with_their_values() {
        let args: Vec<String> = ["run", "coin", "--seed", "3", "--out=here", "--quick", "--only", "go/*"]
            .map(str::to_owned)
            .into();
        let kept = without(&args, &["--seed", "--out"], &["--quick"]);
        assert_eq!(line("velo", &kept), "velo run coin --only 'go/*'");
        assert_eq!(without(&args[2..3], &["--seed"], &[]), [""; 0], "a value that is missing");
    }
}
