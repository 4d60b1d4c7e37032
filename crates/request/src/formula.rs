//! Whole numbers that are computed from a request's values: `({x} + {y}) * {e}`.

use velo_model::{TextPart, TextTemplate};

use crate::problem::Problem;

/// Deeper parentheses, and more signs before a number, are a mistake.
const DEEPEST: usize = 32;
/// More numbers and values are a mistake.
const MOST_TERMS: usize = 64;

const EXPECTED: &str =
    "expected whole numbers and values as {name}, with + - * and parentheses, as in <int ({x} + {y}) * 2>";

/// A computation with whole numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Formula {
    Number(i128),
    /// The number that the text of the slot with this index is.
    Slot(usize),
    Negative(Box<Formula>),
    Two(Operator, Box<[Formula; 2]>),
}

/// What is done with two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Plus,
    Minus,
    Times,
}

/// Both ends included.
pub(crate) type Range = (i128, i128);

impl Operator {
    /// `None` when the result is too large to compute with.
    fn apply(self, left: i128, right: i128) -> Option<i128> {
        match self {
            Self::Plus => left.checked_add(right),
            Self::Minus => left.checked_sub(right),
            Self::Times => left.checked_mul(right),
        }
    }
}

impl Formula {
    /// Reads what stands in `<int ...>`.
    pub(crate) fn parse(template: &TextTemplate) -> Result<Self, Problem> {
        let mut reader = Reader { tokens: tokens(template)?, at: 0, terms: 0 };
        let formula = reader.sum(0)?;
        match reader.peek() {
            None => Ok(formula),
            Some(token) => Err(refused(format!("{} stands where it has no meaning", token.named()))),
        }
    }

    /// Its value where slots hold these texts; `None` when one is no number, or a number is too large. Nothing is allocated.
    pub(crate) fn value(&self, texts: &[impl AsRef<[u8]>]) -> Option<i128> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Slot(slot) => whole_number(texts.get(*slot)?.as_ref()),
            Self::Negative(of) => of.value(texts)?.checked_neg(),
            Self::Two(operator, sides) => {
                let [left, right] = sides.as_ref();
                operator.apply(left.value(texts)?, right.value(texts)?)
            }
        }
    }

    /// Where its value may lie when each slot lies within its own range.
    pub(crate) fn range(&self, of: &impl Fn(usize) -> Result<Range, Problem>) -> Result<Range, Problem> {
        let ends = match self {
            Self::Number(number) => return Ok((*number, *number)),
            Self::Slot(slot) => return of(*slot),
            Self::Negative(formula) => {
                let (low, high) = formula.range(of)?;
                [high.checked_neg(), low.checked_neg()].into_iter().collect::<Option<Vec<_>>>()
            }
            Self::Two(operator, sides) => {
                let [left, right] = sides.as_ref();
                let (left, right) = (left.range(of)?, right.range(of)?);
                // Each operator is monotonic in each of its numbers, so that the ends are reached at ends.
                let corners = [(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)];
                corners.into_iter().map(|(left, right)| operator.apply(left, right)).collect()
            }
        };
        let ends = ends.ok_or_else(too_large)?;
        // OK because there are two or four ends.
        Ok((ends.iter().copied().min().unwrap_or_default(), ends.iter().copied().max().unwrap_or_default()))
    }

    /// Checks that its value is a number that JSON's readers keep whole.
    pub(crate) fn check(&self, of: &impl Fn(usize) -> Result<Range, Problem>) -> Result<(), Problem> {
        let (low, high) = self.range(of)?;
        if low < i128::from(i64::MIN) || high > i128::from(u64::MAX) { Err(too_large()) } else { Ok(()) }
    }
}

/// The number that a text is.
pub(crate) fn whole_number(text: &[u8]) -> Option<i128> {
    str::from_utf8(text).ok()?.parse().ok()
}

fn too_large() -> Problem {
    Problem::new(
        format!("`<int ...>` may lie outside of {} to {}", i64::MIN, u64::MAX),
        "expected smaller ranges of its values",
    )
}

fn refused(what: String) -> Problem {
    Problem::new(format!("`<int ...>`: {what}"), EXPECTED)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Number(i128),
    Slot(usize),
    Operator(Operator),
    Open,
    Close,
}

impl Token {
    fn named(self) -> String {
        match self {
            Self::Number(number) => format!("the number {number}"),
            Self::Slot(_) => "a value".to_owned(),
            Self::Operator(Operator::Plus) => "`+`".to_owned(),
            Self::Operator(Operator::Minus) => "`-`".to_owned(),
            Self::Operator(Operator::Times) => "`*`".to_owned(),
            Self::Open => "`(`".to_owned(),
            Self::Close => "`)`".to_owned(),
        }
    }
}

fn tokens(template: &TextTemplate) -> Result<Vec<Token>, Problem> {
    let mut tokens = Vec::new();
    for part in &template.parts {
        let text = match part {
            TextPart::Slot(slot) => {
                tokens.push(Token::Slot(*slot));
                continue;
            }
            TextPart::Literal(text) => text,
            TextPart::Bytes(_) => return Err(refused("not UTF-8".to_owned())),
        };
        let mut rest = text.as_str();
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            match c {
                ' ' => {}
                '+' => tokens.push(Token::Operator(Operator::Plus)),
                '-' => tokens.push(Token::Operator(Operator::Minus)),
                '*' => tokens.push(Token::Operator(Operator::Times)),
                '(' => tokens.push(Token::Open),
                ')' => tokens.push(Token::Close),
                '0'..='9' => {
                    length = rest.bytes().take_while(u8::is_ascii_digit).count();
                    let number = rest[..length].parse::<i64>();
                    let number = number.map_err(|_| refused(format!("a number is above {}", i64::MAX)))?;
                    tokens.push(Token::Number(number.into()));
                }
                '{' => {
                    let name = rest.split_inclusive('}').next().unwrap_or(rest);
                    let name: String = name.chars().take(40).collect();
                    return Err(refused(format!("`{name}` is no value that is declared")));
                }
                c if c.is_control() => return Err(refused("it holds a control character".to_owned())),
                c => return Err(refused(format!("`{c}` has no meaning in it"))),
            }
            rest = &rest[length..];
        }
    }
    Ok(tokens)
}

/// Products before sums, from left to right.
struct Reader {
    tokens: Vec<Token>,
    at: usize,
    terms: usize,
}

impl Reader {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    fn sum(&mut self, depth: usize) -> Result<Formula, Problem> {
        let mut left = self.product(depth)?;
        while let Some(Token::Operator(operator @ (Operator::Plus | Operator::Minus))) = self.peek() {
            self.at += 1;
            left = Formula::Two(operator, Box::new([left, self.product(depth)?]));
        }
        Ok(left)
    }

    fn product(&mut self, depth: usize) -> Result<Formula, Problem> {
        let mut left = self.factor(depth)?;
        while let Some(Token::Operator(Operator::Times)) = self.peek() {
            self.at += 1;
            left = Formula::Two(Operator::Times, Box::new([left, self.factor(depth)?]));
        }
        Ok(left)
    }

    fn factor(&mut self, depth: usize) -> Result<Formula, Problem> {
        self.terms += 1;
        if depth > DEEPEST || self.terms > MOST_TERMS {
            return Err(refused(format!(
                "it nests deeper than {DEEPEST}, or has more than {MOST_TERMS} terms"
            )));
        }
        match self.next() {
            Some(Token::Number(number)) => Ok(Formula::Number(number)),
            Some(Token::Slot(slot)) => Ok(Formula::Slot(slot)),
            Some(Token::Operator(Operator::Minus)) => {
                Ok(Formula::Negative(Box::new(self.factor(depth + 1)?)))
            }
            Some(Token::Open) => {
                let within = self.sum(depth + 1)?;
                match self.next() {
                    Some(Token::Close) => Ok(within),
                    _ => Err(refused("a `(` is not closed".to_owned())),
                }
            }
            Some(token) => Err(refused(format!("{} stands where a number belongs", token.named()))),
            None => Err(refused("it ends where a number belongs".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::template::parse as parse_template;

    const NAMES: [&str; 3] = ["x", "y", "e"];

    fn parse(text: &str) -> Result<Formula, Problem> {
        Formula::parse(&parse_template(text.as_bytes(), &NAMES)?)
    }

    fn value(text: &str, texts: [&str; 3]) -> Option<i128> {
        parse(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}")).value(&texts)
    }

    #[test]
    fn products_come_before_sums_and_parentheses_before_both() {
        for (text, expected) in [
            ("({x} + {y}) * {e}", -80),
            ("{x}+{y}*{e}", -110),
            ("{x} - {y} - {e}", 36),
            ("{x} - ({y} - {e})", 44),
            ("-{x} * -2", 20),
            ("- - 7", 7),
            ("((({e})))", 4),
            ("9223372036854775807", i128::from(i64::MAX)),
        ] {
            assert_eq!(value(text, ["10", "-30", "4"]), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_has_no_value() {
        assert_eq!(value("{x} + 1", ["ten", "", ""]), None);
        assert_eq!(value("{x} + 1", ["", "", ""]), None);
        assert_eq!(value("{x}", ["1.0", "", ""]), None);
        let greatest = i128::MAX.to_string();
        assert_eq!(value("{x} + 1", [&greatest, "", ""]), None, "too large to compute with");
        assert_eq!(value("{x} * 2", [&greatest, "", ""]), None);
        let least = i128::MIN.to_string();
        assert_eq!(value("-{x}", [&least, "", ""]), None);
        assert_eq!(value("{x} - 1", [&least, "", ""]), None);
        assert_eq!(Formula::Slot(7).value(&["1"]), None, "a slot that is not there");
    }

    #[test]
    fn slips_are_told_apart() {
        for (text, what) in [
            ("", "ends where a number belongs"),
            ("{x} +", "ends where a number belongs"),
            ("({x}", "not closed"),
            ("{x})", "`)` stands where it has no meaning"),
            ("{x} {y}", "a value stands where it has no meaning"),
            ("* {x}", "`*` stands where a number belongs"),
            ("{x} / 2", "`/` has no meaning"),
            ("x + 1", "`x` has no meaning"),
            ("{z} + 1", "`{z}` is no value"),
            ("1.5", "`.` has no meaning"),
            ("9223372036854775808", "above"),
            ("\n1", "control"),
        ] {
            let problem = parse(text).expect_err(text);
            assert!(problem.what.contains(what), "{text}: {}", problem.what);
            assert_eq!(problem.cure, EXPECTED);
        }
        for deep in ["(".repeat(100_000), "-".repeat(100_000), "1+".repeat(100_000)] {
            assert!(parse(&deep).expect_err("too much").what.contains("nests deeper"));
        }
    }

    #[test]
    fn what_may_be_too_large_is_refused() {
        let check = |text: &str, range: Range| parse(text).expect("a formula").check(&|_| Ok(range));
        assert_eq!(check("{x} * {y}", (0, 1 << 32)), Err(too_large()));
        assert_eq!(check("{x} * {y}", (0, (1 << 32) - 1)), Ok(()));
        assert_eq!(check("{x} * {y} * 2", (-(1 << 31), 0)), Ok(()));
        assert_eq!(check("-{x} * {y} * 2", (-(1 << 32), 0)), Err(too_large()));
        let squares = "{x} * {x} * ".repeat(20) + "1";
        assert_eq!(check(&squares, (0, i128::from(u64::MAX))), Err(too_large()));
    }

    /// A formula as text, with its value computed on the way by other means.
    fn formulas() -> impl Strategy<Value = (String, i128)> {
        let texts = ["-7", "3", "4"].map(|text| text.parse::<i128>().expect("a number"));
        let leaf = prop_oneof![
            (0_i128..20).prop_map(|number| (number.to_string(), number)),
            (0_usize..3).prop_map(move |slot| (format!("{{{}}}", NAMES[slot]), texts[slot])),
        ];
        leaf.prop_recursive(4, 20, 2, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone(), 0_usize..3).prop_map(|(left, right, operator)| {
                    let sign = ["+", "-", "*"][operator];
                    let value = [left.1 + right.1, left.1 - right.1, left.1.wrapping_mul(right.1)][operator];
                    (format!("({} {sign}{})", left.0, right.0), value)
                }),
                inner.prop_map(|(text, value)| (format!("-({text})"), -value)),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_formula_is_computed((text, expected) in formulas()) {
            let formula = parse(&text).expect("a formula");
            prop_assert_eq!(formula.value(&["-7", "3", "4"]), Some(expected));
            let (low, high) = formula.range(&|slot| Ok([(-7, 0), (3, 9), (4, 4)][slot])).expect("a range");
            prop_assert!(low <= expected && expected <= high);
        }

        #[test]
        fn any_text_gets_an_answer(text in "[-+*()0-9 {}xyz.\u{e9}]{0,60}", x in any::<i128>()) {
            if let Ok(formula) = parse(&text) {
                formula.value(&[x.to_string().as_str(), "9", "text"]);
                let _ = formula.check(&|_| Ok((i128::MIN, i128::MAX)));
            }
        }
    }
}
