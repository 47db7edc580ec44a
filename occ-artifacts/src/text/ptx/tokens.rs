//! Splits PTX into tokens.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// An identifier, a directive or a number.
    Word(&'a [u8]),
    /// A string with its quotes.
    Quoted(&'a [u8]),
    /// Any other character.
    Punct(u8),
}

#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    data: &'a [u8],
    pub(super) at: usize,
    /// The start of a comment or string that has no end.
    pub(super) unterminated: Option<usize>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Tokens { data, at: 0, unterminated: None }
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blanks();
        let rest = self.data.get(self.at..)?;
        let first = *rest.first()?;
        let (token, length) = if is_word(first) {
            let length = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
            (Token::Word(&rest[..length]), length)
        } else if first == b'"' {
            let length = quoted_length(rest);
            if length == 1 || rest.get(length - 1) != Some(&b'"') {
                self.unterminated = Some(self.at);
            }
            (Token::Quoted(&rest[..length]), length)
        } else {
            (Token::Punct(first), 1)
        };
        self.at += length;
        Some(token)
    }

    /// Skips `punct` if it comes next.
    pub(super) fn skip_punct(&mut self, punct: u8) -> bool {
        self.skip_blanks();
        let is_next = self.data.get(self.at) == Some(&punct);
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips past the next `punct`.
    pub(super) fn skip_to_punct(&mut self, punct: u8) {
        while self.next().is_some_and(|token| token != Token::Punct(punct)) {}
    }

    /// Returns the start of the token just read.
    pub(super) fn start_of(&self, token: Token<'_>) -> usize {
        let length = match token {
            Token::Word(text) | Token::Quoted(text) => text.len(),
            Token::Punct(_) => 1,
        };
        self.at.saturating_sub(length)
    }

    /// Skips white space, comments, and the zeros that pad PTX in fatbins.
    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.data.get(self.at) {
            if byte.is_ascii_whitespace() || byte == 0 {
                self.at += 1;
            } else if !self.skip_comment() {
                return;
            }
        }
    }

    /// Skips a comment if one starts here. Returns whether it did.
    fn skip_comment(&mut self) -> bool {
        let rest = &self.data[self.at..];
        let length = match rest {
            [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n'),
            [b'/', b'*', inside @ ..] => inside.windows(2).position(|end| end == b"*/").map(|end| 2 + end + 2),
            _ => return false,
        };
        if length.is_none() && rest.starts_with(b"/*") {
            self.unterminated = Some(self.at);
        }
        self.at += length.unwrap_or(rest.len());
        true
    }

    /// Skips past the `}` that closes the `{` just read. Returns `false` if there is none.
    pub(super) fn skip_block(&mut self) -> bool {
        let mut depth = 1_usize;
        loop {
            let Some(rest) = self.data.get(self.at..) else { return false };
            let Some(next) = rest.iter().position(|byte| matches!(byte, b'{' | b'}' | b'"' | b'/')) else {
                self.at = self.data.len();
                return false;
            };
            self.at += next;
            match rest[next] {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'"' => {
                    self.at += quoted_length(&rest[next..]);
                    continue;
                }
                _ => {
                    if self.skip_comment() {
                        continue;
                    }
                }
            }
            self.at += 1;
            if depth == 0 {
                return true;
            }
        }
    }
}

/// Returns the length of the string at the start of `text`. PTX has no escapes.
fn quoted_length(text: &[u8]) -> usize {
    text.iter().skip(1).position(|&byte| byte == b'"').map_or(text.len(), |end| end + 2)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}
