use std::time::Duration;

/// What the command line says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    /// Where it listens; 0 for any free port.
    pub(crate) port: u16,
    /// Answers sent later.
    pub(crate) delay: Option<LateAnswers>,
    /// Standing still.
    pub(crate) freeze: Option<StandStill>,
    /// Of the choice of late answers.
    pub(crate) seed: u64,
    /// HTTP/2 from the first byte on, and not HTTP/1.1.
    pub(crate) is_http2: bool,
}

/// Answers sent later.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LateAnswers {
    /// How much later.
    pub(crate) for_ns: u64,
    /// The share of requests, from 0 to 1.
    pub(crate) share: f64,
}

/// Standing still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StandStill {
    /// How long.
    pub(crate) for_ns: u64,
    /// From one beginning to the next.
    pub(crate) every_ns: u64,
}

impl Options {
    pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut port, mut seed, mut share) = (0, 1, None);
        let mut is_http2 = false;
        let (mut delay_ns, mut freeze_ns, mut every_ns) = (None, None, None);
        let mut rest = arguments;
        while let Some(flag) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("{flag} needs a value"))?;
            let bad = || format!("{flag} {value}: not understood");
            match flag.as_str() {
                "--port" => port = value.parse().map_err(|_| bad())?,
                "--seed" => seed = value.parse().map_err(|_| bad())?,
                "--protocol" => {
                    is_http2 = match value.as_str() {
                        "http1" => false,
                        "h2c" => true,
                        _ => return Err(bad()),
                    }
                }
                "--share" => share = Some(value.parse::<f64>().map_err(|_| bad())?),
                "--delay" => delay_ns = Some(duration_ns(&value).ok_or_else(bad)?),
                "--freeze" => freeze_ns = Some(duration_ns(&value).ok_or_else(bad)?),
                "--every" => every_ns = Some(duration_ns(&value).ok_or_else(bad)?),
                _ => {
                    let known = "--port, --seed, --protocol, --delay, --share, --freeze or --every";
                    return Err(format!("unknown flag {flag}; expected {known}"));
                }
            }
        }
        let delay = match (delay_ns, share) {
            (None, None) => None,
            (Some(for_ns), Some(share)) if (0.0..=1.0).contains(&share) => {
                Some(LateAnswers { for_ns, share })
            }
            _ => return Err("--delay and --share go together, the share from 0 to 1".to_owned()),
        };
        let freeze = match (freeze_ns, every_ns) {
            (None, None) => None,
            (Some(for_ns), Some(every_ns)) if for_ns < every_ns => Some(StandStill { for_ns, every_ns }),
            _ => return Err("--freeze and --every go together, the freeze being the shorter one".to_owned()),
        };
        Ok(Self { port, delay, freeze, seed, is_http2 })
    }
}

/// A number with `us`, `ms` or `s`.
fn duration_ns(text: &str) -> Option<u64> {
    let (number, unit_s) = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)]
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?.parse::<f64>().ok()?, seconds)))?;
    let duration = Duration::try_from_secs_f64(number * unit_s).ok()?;
    u64::try_from(duration.as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, String> {
        Options::read(words.iter().map(|&word| word.to_owned()))
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(duration_ns("5ms"), Some(5_000_000));
        assert_eq!(duration_ns("2.5s"), Some(2_500_000_000));
        assert_eq!(duration_ns("200us"), Some(200_000));
        for bad in ["", "5", "ms", "-1s", "1e300s", "nans", "1m"] {
            assert_eq!(duration_ns(bad), None, "{bad}");
        }
    }

    #[test]
    fn options_that_belong_together_come_together() {
        let options = read(&["--delay", "5ms", "--share", "0.02", "--seed", "9"]).expect("good options");
        assert_eq!(options.delay, Some(LateAnswers { for_ns: 5_000_000, share: 0.02 }));
        assert_eq!((options.seed, options.port, options.freeze, options.is_http2), (9, 0, None, false));
        assert!(read(&["--protocol", "h2c"]).expect("good options").is_http2);
        for bad in [
            &["--delay", "5ms"][..],
            &["--share", "0.1"],
            &["--delay", "5ms", "--share", "2"],
            &["--freeze", "3s", "--every", "2s"],
            &["--every", "2s"],
            &["--port"],
            &["--nonsense", "1"],
            &["--protocol", "h3"],
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
