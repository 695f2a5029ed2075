//! Lists, pipes and compound commands.

use super::{Piece, Reader, Stop};
use crate::shell::effort;
use crate::shell::{SetVariable, Stdin, Word};

/// Words with a meaning of their own where a command begins. `time` is read as a program and unwrapped later.
pub(in crate::shell) const RESERVED: &[&str] = &[
    "!", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function",
    "if", "in", "select", "then", "until", "while", "[[", "]]",
];

/// Variables that decide what other words mean or which programs run.
pub(in crate::shell) fn is_powerful(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "PATH",
        "IFS",
        "ENV",
        "BASH_ENV",
        "BASHOPTS",
        "SHELLOPTS",
        "PROMPT_COMMAND",
        "CDPATH",
        "GLOBIGNORE",
        "HOME",
        "PWD",
        "OLDPWD",
        "SHELL",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "MANPAGER",
        "BROWSER",
        "LESSOPEN",
        "LESSCLOSE",
        "LESS",
        "PS0",
        "PS1",
        "PS2",
        "PS3",
        "PS4",
        "POSIXLY_CORRECT",
        "TMPDIR",
        "FPATH",
        "ZDOTDIR",
        "TAR_OPTIONS",
        "GREP_OPTIONS",
        "RIPGREP_CONFIG_PATH",
        "NODE_OPTIONS",
        "RUBYOPT",
        "RUSTC_WRAPPER",
        "RUSTFLAGS",
        "MAKEFLAGS",
        "MAKEFILES",
        "CC",
        "CXX",
        "LD",
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "CLASSPATH",
        "GCONV_PATH",
        "HOSTALIASES",
        "LOCPATH",
        "NLSPATH",
        "TERMINFO",
        "TERMCAP",
        "TZDIR",
        "http_proxy",
        "https_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "all_proxy",
        "EXECIGNORE",
        "FUNCNEST",
        "BASH_XTRACEFD",
        "BASH_COMPAT",
        "SUDO_ASKPASS",
        "histchars",
        "auto_resume",
        // Numbers to bash, which evaluates whatever is assigned to them.
        "RANDOM",
        "SRANDOM",
        "SECONDS",
        "LINENO",
        "HISTCMD",
        "OPTIND",
        "BASHPID",
        "EPOCHSECONDS",
        "EPOCHREALTIME",
        "UID",
        "EUID",
        "PPID",
        "GROUPS",
        "DIRSTACK",
        "FUNCNAME",
        "PIPESTATUS",
        "MAPFILE",
        "COPROC",
        "TMOUT",
        "TIMEFORMAT",
        "MAIL",
        "MAILPATH",
        "MAILCHECK",
        "FCEDIT",
        "FIGNORE",
        "IGNOREEOF",
        "INPUTRC",
        "CHILD_MAX",
        "HOSTFILE",
        "WGETRC",
        "CURL_HOME",
        "XDG_CONFIG_HOME",
    ];
    const BEGINNINGS: &[&str] = &[
        "LD_",
        "DYLD_",
        "GIT_",
        "BASH_",
        "PERL",
        "PYTHON",
        "RUBY",
        "NODE_",
        "NPM_",
        "npm_",
        "CARGO_",
        "SSH_",
        "_RLD",
        "MALLOC_",
        "GLIBC_",
        "SUDO_",
        "DOCKER_",
        "KUBE",
        "HIST",
        "COMP_",
        "READLINE_",
    ];
    const HARMLESS: &[&str] = &["CARGO_TARGET_DIR", "CARGO_TERM_COLOR", "NODE_ENV"];
    let is_harmless = HARMLESS.contains(&name);
    NAMES.contains(&name)
        || !is_harmless
            && BEGINNINGS
                .iter()
                .any(|beginning| name.starts_with(beginning))
}

impl Reader<'_> {
    /// Commands up to the end of the text, a closing parenthesis, `;;`, or one of the reserved words, which is
    /// returned and stepped over.
    pub(super) fn list(&mut self, ends: &[&'static str]) -> Result<Option<&'static str>, Stop> {
        let mut empty = true;
        loop {
            self.lines()?;
            match self.peek() {
                None | Some(b')') => return Ok(None),
                Some(b';') if self.peek_at(1) == Some(b';') => return Ok(None),
                _ => {}
            }
            let reserved = self.reserved();
            if let Some(&end) = ends.iter().find(|&&end| Some(end) == reserved) {
                if empty {
                    return Err(self.stop(format!("nothing stands before `{end}`")));
                }
                self.at += end.len();
                return Ok(Some(end));
            }
            self.and_or()?;
            empty = false;
            self.blanks()?;
            match self.peek() {
                Some(b';') if self.peek_at(1) != Some(b';') => self.at += 1,
                Some(b'&') => self.at += 1,
                None | Some(b'\n' | b')' | b';') => {}
                Some(_) => return Err(self.unexpected()),
            }
        }
    }

    fn and_or(&mut self) -> Result<(), Stop> {
        loop {
            self.pipe()?;
            self.blanks()?;
            if !self.take("&&") && !self.take("||") {
                return Ok(());
            }
            self.lines()?;
        }
    }

    fn pipe(&mut self) -> Result<(), Stop> {
        while self.reserved() == Some("!") {
            self.at += 1;
            self.blanks()?;
        }
        let outer = self.stdin.clone();
        loop {
            let result = self.deeper(Self::command);
            if result.is_err() {
                self.stdin = outer;
                return result;
            }
            self.blanks()?;
            if self.rest().starts_with("||") || !self.take("|") {
                break;
            }
            if self.peek() == Some(b'&') {
                self.at += 1;
            }
            self.stdin = Stdin::Pipe;
            self.lines()?;
        }
        self.stdin = outer;
        Ok(())
    }

    fn command(&mut self) -> Result<(), Stop> {
        self.blanks()?;
        let first = self.reading.commands.len();
        if self.peek() == Some(b'(') {
            if self.peek_at(1) == Some(b'(') {
                return Err(self.stop("`((` begins arithmetic"));
            }
            self.at += 1;
            self.until_parenthesis()?;
            return self.redirections_of_compound(first);
        }
        let Some(word) = self.reserved() else {
            return self.simple();
        };
        if word == "[[" {
            self.at += word.len();
            return self.condition();
        }
        self.at += word.len();
        self.reading.has_loop |= matches!(word, "while" | "until" | "for");
        match word {
            "{" => self.up_to(&["}"])?,
            "if" => self.branches()?,
            "while" | "until" => {
                self.up_to(&["do"])?;
                self.up_to(&["done"])?;
            }
            "for" => self.for_loop()?,
            "case" => self.cases()?,
            _ => return Err(self.stop(format!("`{word}` stands where a command begins"))),
        }
        self.redirections_of_compound(first)
    }

    /// A list and the closing parenthesis.
    pub(super) fn until_parenthesis(&mut self) -> Result<(), Stop> {
        let commands = self.reading.commands.len();
        let redirections = self.reading.redirections.len();
        self.list(&[])?;
        if !self.take(")") {
            return Err(self.unexpected());
        }
        if (commands, redirections)
            == (self.reading.commands.len(), self.reading.redirections.len())
        {
            return Err(self.stop("there is nothing in the parentheses"));
        }
        Ok(())
    }

    fn up_to(&mut self, ends: &[&'static str]) -> Result<(), Stop> {
        match self.list(ends)? {
            Some(_) => Ok(()),
            None => Err(self.unexpected()),
        }
    }

    fn branches(&mut self) -> Result<(), Stop> {
        loop {
            self.up_to(&["then"])?;
            match self.list(&["elif", "else", "fi"])? {
                Some("elif") => {}
                Some("else") => return self.up_to(&["fi"]),
                Some(_) => return Ok(()),
                None => return Err(self.unexpected()),
            }
        }
    }

    fn for_loop(&mut self) -> Result<(), Stop> {
        self.blanks()?;
        let variable = self.literal_word()?;
        let name = variable.word.text().to_owned();
        let is_name = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.bytes().next().is_none_or(|byte| byte.is_ascii_digit());
        if !is_name {
            return Err(self.stop("a loop has no plain variable"));
        }
        if is_powerful(&name) {
            self.doubt(format!("a loop sets {name}"));
        }
        let mut values = Some(Vec::new());
        self.lines()?;
        if self.reserved() == Some("in") {
            self.at += 2;
            loop {
                self.blanks()?;
                match self.peek() {
                    Some(b';') => {
                        self.at += 1;
                        break;
                    }
                    Some(b'\n') => break,
                    _ => {
                        let word = self.word()?.word;
                        match (word.literal(), &mut values) {
                            (Some(value), Some(values)) => values.push(value.to_owned()),
                            _ => values = None,
                        }
                    }
                }
            }
        } else {
            self.blanks()?;
            self.take(";");
            self.reading.expansions.read.push("@".to_owned());
            values = None;
        }
        let variable = SetVariable {
            name,
            values,
            is_arithmetic: false,
        };
        self.reading.expansions.set.push(variable);
        self.lines()?;
        if self.reserved() != Some("do") {
            return Err(self.unexpected());
        }
        self.at += 2;
        self.up_to(&["done"])
    }

    fn cases(&mut self) -> Result<(), Stop> {
        self.blanks()?;
        self.word()?;
        self.lines()?;
        if self.reserved() != Some("in") {
            return Err(self.unexpected());
        }
        self.at += 2;
        loop {
            self.lines()?;
            if self.reserved() == Some("esac") {
                self.at += 4;
                return Ok(());
            }
            self.take("(");
            loop {
                self.blanks()?;
                self.word()?;
                self.blanks()?;
                if self.take(")") {
                    break;
                }
                if !self.take("|") {
                    return Err(self.unexpected());
                }
            }
            if self.list(&["esac"])?.is_some() {
                return Ok(());
            }
            if !self.take(";;") || matches!(self.peek(), Some(b'&' | b';')) {
                return Err(self.unexpected());
            }
        }
    }

    /// `[[ … ]]` without what is lexed by rules of its own: regular expressions, groups, comparison by `<` and `>`.
    fn condition(&mut self) -> Result<(), Stop> {
        let start = self.at - 2;
        self.reading.words.push(start..self.at);
        let mut words = vec![Piece {
            range: start..self.at,
            word: Word::Literal("[[".to_owned()),
            name: None,
        }];
        let mut begin = 1;
        loop {
            self.lines()?;
            if self.take("&&") || self.take("||") {
                self.test_is_plain(words.get(begin..).unwrap_or_default());
                begin = words.len();
                continue;
            }
            if self.peek().is_none_or(|byte| b"()<>|&;".contains(&byte)) {
                return Err(self.stop("a condition in `[[ ]]` is not plain"));
            }
            let word = self.word()?;
            let text = word.word.text().to_owned();
            // bash carries out what stands in the index of a list that a number is compared with.
            if text == "=~" || text.contains('[') {
                self.doubt("a condition in `[[ ]]` is not plain");
            }
            if self.slice(word.range.clone()) == "]]" {
                self.test_is_plain(words.get(begin..).unwrap_or_default());
                words.push(word);
                break;
            }
            words.push(word);
        }
        let first = self.reading.commands.len();
        self.push_simple(start, words)?;
        self.redirections_of_compound(first)
    }

    /// What stands between `&&` and `||` in `[[ ]]`: a word, an operator and a word, or a comparison of two.
    fn test_is_plain(&mut self, words: &[Piece]) {
        let texts: Vec<&str> = words.iter().map(|word| word.word.text()).collect();
        let denied = texts.iter().take_while(|text| **text == "!").count();
        let is_operator = |text: &str| text.len() == 2 && text.starts_with('-');
        let is_comparison = |text: &str| {
            matches!(text, "=" | "==" | "!=") || text.len() == 3 && text.starts_with('-')
        };
        let is_plain = match texts.get(denied..).unwrap_or_default() {
            [one] => !is_operator(one),
            [operator, _] => is_operator(operator),
            [left, operator, _] => !is_operator(left) && is_comparison(operator),
            _ => false,
        };
        if !is_plain {
            self.doubt("a condition in `[[ ]]` is not plain");
        }
    }

    /// The redirections after a compound command are those of every command in it.
    fn redirections_of_compound(&mut self, first: usize) -> Result<(), Stop> {
        loop {
            self.blanks()?;
            let Some(stdin) = self.redirection()? else {
                break;
            };
            let Some(stdin) = stdin else { continue };
            let inside = self.reading.commands.len().saturating_sub(first);
            let copied = match &stdin {
                Stdin::Text(text) => effort::copies(inside, text.len()),
                Stdin::Inherited | Stdin::Pipe | Stdin::File | Stdin::DynamicText => 0,
            };
            self.spend(inside * effort::WORD + copied)?;
            for command in self.reading.commands.iter_mut().skip(first) {
                if matches!(command.stdin, Stdin::Inherited | Stdin::Pipe) {
                    command.stdin = stdin.clone();
                }
            }
        }
        Ok(())
    }

    /// The reserved word that begins here, if one does.
    pub(super) fn reserved(&self) -> Option<&'static str> {
        let rest = self.rest();
        let length = rest
            .find(|c: char| " \t\n;|&()<>".contains(c))
            .unwrap_or(rest.len());
        let word = rest.get(..length)?;
        RESERVED.iter().copied().find(|&reserved| reserved == word)
    }
}
