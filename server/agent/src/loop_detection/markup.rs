//! Markdown, as far as it makes repetition harmless: tables, lists, rules and code repeat by nature.
//!
//! The twin looks at each piece of a stream on its own and takes the start of a piece for the start of a line. We
//! follow lines across pieces: a fence in two halves is still a fence, and a dash in the middle of a chant that
//! happens to open a piece is no list.

/// What a character is to the search for chants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Text,
    /// Part of code or of a divider.
    Ignored,
    /// The marker of an element is complete: what came before is not compared with what follows.
    Boundary,
    /// The same, and the marker itself is not text.
    IgnoredBoundary,
}

#[derive(Debug, Default)]
pub(super) struct Markup {
    line: Line,
    place: Place,
    backticks: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Prose,
    Code,
}

/// How the current line began.
#[derive(Clone, Copy, Debug, Default)]
enum Line {
    /// Nothing but indentation so far.
    #[default]
    Start,
    /// `-`, `*` or `+`: a list item if whitespace follows, a rule if more of it does.
    Bullet,
    /// Two characters that may become a divider, or one that is no bullet.
    Rule {
        length: u32,
    },
    /// A divider; it goes on as long as its characters do.
    Divider,
    Number,
    NumberAndDot,
    Heading,
    Quote,
    /// A table if another one follows on this line.
    Pipe,
    /// Nothing on this line can be a marker any more.
    Body,
}

const FENCE: u32 = 3;
const DIVIDER: u32 = 3;

impl Markup {
    pub(super) fn feed(&mut self, char: char) -> Seen {
        if char == '`' {
            return self.backtick();
        }
        self.backticks = 0;
        if self.place == Place::Code {
            return Seen::Ignored;
        }
        let (next, seen) = self.line.next(char);
        self.line = if char == '\n' { Line::Start } else { next };
        seen
    }

    fn backtick(&mut self) -> Seen {
        self.line = Line::Body;
        self.backticks = self.backticks.saturating_add(1);
        if self.backticks == FENCE {
            self.place = match self.place {
                Place::Prose => Place::Code,
                Place::Code => Place::Prose,
            };
            return Seen::IgnoredBoundary;
        }
        if self.place == Place::Code || self.backticks > FENCE {
            return Seen::Ignored;
        }
        Seen::Text
    }
}

impl Line {
    fn next(self, char: char) -> (Self, Seen) {
        let blank = char.is_whitespace();
        match self {
            Self::Body => (Self::Body, Seen::Text),
            Self::Start if blank => (Self::Start, Seen::Text),
            Self::Start => (Self::beginning_with(char), Seen::Text),
            Self::Bullet | Self::NumberAndDot | Self::Heading | Self::Quote if blank => {
                (Self::Body, Seen::Boundary)
            }
            Self::Bullet if is_rule(char) => (Self::Rule { length: 2 }, Seen::Text),
            Self::Rule { length } if is_rule(char) && length + 1 == DIVIDER => {
                (Self::Divider, Seen::IgnoredBoundary)
            }
            Self::Rule { length } if is_rule(char) => {
                let length = length + 1;
                (Self::Rule { length }, Seen::Text)
            }
            Self::Divider if is_rule(char) => (Self::Divider, Seen::Ignored),
            Self::Number if char.is_ascii_digit() => (Self::Number, Seen::Text),
            Self::Number if char == '.' => (Self::NumberAndDot, Seen::Text),
            Self::Heading if char == '#' => (Self::Heading, Seen::Text),
            Self::Pipe if char == '|' => (Self::Body, Seen::Boundary),
            Self::Pipe => (Self::Pipe, Seen::Text),
            Self::Bullet
            | Self::Rule { .. }
            | Self::Divider
            | Self::Number
            | Self::NumberAndDot
            | Self::Heading
            | Self::Quote => (Self::Body, Seen::Text),
        }
    }

    fn beginning_with(char: char) -> Self {
        match char {
            '-' | '*' | '+' => Self::Bullet,
            '|' => Self::Pipe,
            '#' => Self::Heading,
            '>' => Self::Quote,
            '0'..='9' => Self::Number,
            _ if is_rule(char) => Self::Rule { length: 1 },
            _ => Self::Body,
        }
    }
}

/// What dividers and the borders of tables are drawn with.
fn is_rule(char: char) -> bool {
    matches!(
        char,
        '-' | '+' | '*' | '=' | '_' | '|' | '\u{2500}'..='\u{257F}'
    )
}
