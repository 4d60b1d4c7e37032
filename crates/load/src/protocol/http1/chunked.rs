/// Takes the chunked coding (RFC 9112, 7.1) apart, in pieces of any size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Chunked {
    state: State,
    /// What is left of the chunk, or its size while that is read.
    left: u64,
    digits: u8,
    /// Bytes of data so far.
    data: usize,
    /// Bytes of extensions, line ends and trailers, which carry nothing but must end.
    overhead: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Size,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    TrailerStart,
    Trailer,
    TrailerLf,
    EndLf,
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkedError {
    Malformed,
    /// More data than a body may have.
    TooLong,
    /// More extensions, line ends and trailers than may be around the data.
    TooMuchFraming,
}

impl Chunked {
    /// Takes what it can of the input, appends the data to `body` if there is one, and says how many bytes it took.
    // Within the reader it would find too few registers: 50 instructions more for an answer.
    #[inline(never)]
    pub(crate) fn feed(
        &mut self,
        input: &[u8],
        mut body: Option<&mut Vec<u8>>,
        most_body: usize,
        most_overhead: u64,
    ) -> Result<usize, ChunkedError> {
        let mut at = 0;
        while at < input.len() && self.state != State::Done {
            if self.state == State::Data {
                let take = (input.len() - at).min(usize::try_from(self.left).unwrap_or(usize::MAX));
                if self.data + take > most_body {
                    return Err(ChunkedError::TooLong);
                }
                if let Some(body) = &mut body {
                    body.extend_from_slice(&input[at..at + take]);
                }
                self.data += take;
                at += take;
                self.left -= take as u64;
                if self.left == 0 {
                    self.state = State::DataCr;
                }
                continue;
            }
            self.overhead += 1;
            // A chunk of one byte costs six of framing, so the bound grows with the data.
            if self.overhead > most_overhead + 8 * self.data as u64 {
                return Err(ChunkedError::TooMuchFraming);
            }
            self.state = self.step(input[at])?;
            at += 1;
        }
        Ok(at)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    fn step(&mut self, byte: u8) -> Result<State, ChunkedError> {
        let expect =
            |wanted: u8, next: State| if byte == wanted { Ok(next) } else { Err(ChunkedError::Malformed) };
        match self.state {
            State::Size => match (byte as char).to_digit(16) {
                Some(digit) => {
                    if self.digits == 15 {
                        return Err(ChunkedError::TooLong);
                    }
                    self.left = self.left * 16 + u64::from(digit);
                    self.digits += 1;
                    Ok(State::Size)
                }
                None if self.digits == 0 => Err(ChunkedError::Malformed),
                None => match byte {
                    b'\r' => Ok(State::SizeLf),
                    b';' | b' ' | b'\t' => Ok(State::Extension),
                    _ => Err(ChunkedError::Malformed),
                },
            },
            State::Extension => Ok(match byte {
                b'\r' => State::SizeLf,
                b'\n' => return Err(ChunkedError::Malformed),
                _ => State::Extension,
            }),
            State::SizeLf => {
                self.digits = 0;
                expect(b'\n', if self.left == 0 { State::TrailerStart } else { State::Data })
            }
            State::DataCr => expect(b'\r', State::DataLf),
            State::DataLf => expect(b'\n', State::Size),
            State::TrailerStart | State::Trailer if byte == b'\n' => Err(ChunkedError::Malformed),
            State::TrailerStart => Ok(if byte == b'\r' { State::EndLf } else { State::Trailer }),
            State::Trailer => Ok(if byte == b'\r' { State::TrailerLf } else { State::Trailer }),
            State::TrailerLf => expect(b'\n', State::TrailerStart),
            State::EndLf => expect(b'\n', State::Done),
            State::Data | State::Done => Ok(self.state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed_all(pieces: &[&[u8]]) -> Result<(Vec<u8>, usize, bool), ChunkedError> {
        let (mut chunked, mut body, mut taken) = (Chunked::default(), Vec::new(), 0);
        for piece in pieces {
            taken += chunked.feed(piece, Some(&mut body), 1000, 200)?;
        }
        Ok((body, taken, chunked.is_done()))
    }

    #[test]
    fn chunks_extensions_and_trailers() {
        let text = b"4;a=\"b\"\r\nWiki\r\n6 \r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nX: y\r\n\r\nrest";
        let whole = feed_all(&[text]).unwrap();
        assert_eq!(whole, (b"Wikipedia in \r\n\r\nchunks.".to_vec(), text.len() - 4, true));
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(feed_all(&bytes).unwrap(), whole);
    }

    #[test]
    fn malformed_and_endless_chunks_end() {
        for text in [
            &b"\r\n"[..],
            b"g\r\n",
            b"1\r\nab",
            b"1\nx",
            b"1\r\nx\r0",
            b"0\r\nX\r\r",
            b"0\r\nX\n",
            b"0\r\n\n",
        ] {
            assert_eq!(feed_all(&[text]), Err(ChunkedError::Malformed), "{text:?}");
        }
        assert_eq!(feed_all(&[b"fffffffffffffffffff"]), Err(ChunkedError::TooLong));
        let mut endless = b"1;".to_vec();
        endless.extend([b'x'; 5000]);
        assert_eq!(feed_all(&[&endless]), Err(ChunkedError::TooMuchFraming));
        assert_eq!(feed_all(&[b"800\r\n", &[0; 0x800]]), Err(ChunkedError::TooLong));
    }
}
