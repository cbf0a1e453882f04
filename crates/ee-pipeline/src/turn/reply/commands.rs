//! Drops lines that are a RETRIEVE command from an answer as it arrives.

use crate::turn::election;

const WORD: &str = "retrieve";

/// Lets lines through as they come, except one that may yet turn out to be a command: that is
/// held to its end.
#[derive(Default)]
pub(crate) struct CommandFilter {
    held: String,
    passing: bool,
}

impl CommandFilter {
    pub(crate) fn push(&mut self, text: &str) -> String {
        let mut shown = String::new();
        for c in text.chars() {
            self.take(c, &mut shown);
        }
        shown
    }

    pub(crate) fn finish(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        self.passing = false;
        if is_command(&held) {
            String::new()
        } else {
            held
        }
    }

    fn take(&mut self, c: char, shown: &mut String) {
        if self.passing {
            shown.push(c);
            self.passing = c != '\n';
            return;
        }
        self.held.push(c);
        if c == '\n' {
            let line = std::mem::take(&mut self.held);
            if !is_command(&line) {
                shown.push_str(&line);
            }
        } else if !may_be_command(&self.held) {
            shown.push_str(&std::mem::take(&mut self.held));
            self.passing = true;
        }
    }
}

/// Whether a line is a command and nothing else.
fn is_command(line: &str) -> bool {
    may_be_command(line) && election::command(line).is_some()
}

/// Whether what a line begins with may become the command word, or is it.
fn may_be_command(line: &str) -> bool {
    let bare = line
        .chars()
        .map(crate::turn::escape::fold)
        .skip_while(|c| election::is_decoration(*c));
    bare.zip(WORD.chars())
        .all(|(c, expected)| c.to_ascii_lowercase() == expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_go_and_text_stays() {
        let mut filter = CommandFilter::default();
        let mut shown = filter.push("Rest\nretr");
        shown.push_str(&filter.push("ieve 5 items\n> RETRIEVE 5\nret\nRETRIEVE"));
        shown.push_str(&filter.push(" 1, 2"));
        shown.push_str(&filter.finish());
        assert_eq!(shown, "Rest\nretrieve 5 items\nret\n");
    }
}
