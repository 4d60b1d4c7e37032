// Made by `npm run types` from schemas/page.schema.json.

/**
 * A contender's name: `<language>/<name>`, both of lower-case letters, digits and single hyphens; of one of two
 * revisions that are measured against each other with that revision behind it, `go/net-http@base`.
 */
export type ContenderName = string;
/**
 * What stands in a part. One that is empty is left out.
 */
export type Block =
  | (Text & {
      is: "text";
    })
  | (Table & {
      is: "table";
    })
  | (Lines & {
      is: "lines";
    })
  | (Named & {
      is: "named";
    })
  | (Groups & {
      is: "groups";
    })
  | {
      is: "asides";
      /**
       * One each.
       */
      rows: Aside[];
    }
  | {
      is: "notes";
      /**
       * The gravest first.
       */
      notes: Note[];
    }
  | {
      /**
       * One each.
       */
      claims: Claim[];
      is: "claims";
    }
  | (Chart & {
      is: "chart";
    })
  | (Fold & {
      is: "fold";
    });
/**
 * How a line is meant.
 */
export type Tone = "faint" | "good" | "doubtful" | "bad";
/**
 * How grave a verdict is.
 */
export type Kind = "hint" | "warning" | "error";
/**
 * How points are drawn.
 */
export type Mark = "line" | "steps" | "dots" | "spans" | "bars" | "columns";
/**
 * How a point differs from the others of its line.
 */
export type Sign = "full" | "hollow" | "cross" | "ring";
/**
 * How early a part is to be read.
 */
export type Weight = "headline" | "main" | "detail";
/**
 * What a check found.
 */
export type BadgeState = "good" | "doubtful" | "bad";
/**
 * Which of two values is better.
 */
export type Better = "more" | "less";

/**
 * The data of a page.
 */
export interface PageData {
  /**
   * The command that repeats it.
   */
  again: string;
  /**
   * Of all intervals: `95 %`.
   */
  confidence: string;
  /**
   * The contenders, measured or not, by name.
   */
  contenders: Contender[];
  /**
   * What is to be said of all of them but for their validity, which badges and notes say.
   */
  end: Section[];
  /**
   * The run in a few lines: a label and a text.
   */
  facts: [string, string][];
  /**
   * The version of this format.
   */
  format: number;
  /**
   * What else is to be known of the run.
   */
  notes: Note[];
  /**
   * What ran, when and on what, to be cited.
   */
  origin: string;
  /**
   * Why it is not a whole run; `None` of a whole one.
   */
  partial: string | null;
  /**
   * What its words mean, as the glossary has them.
   */
  terms: Term[];
  /**
   * Those there is something to say of.
   */
  workloads: PageWorkload[];
}
/**
 * A contender.
 */
export interface Contender {
  /**
   * What kind of program it is.
   */
  class: string;
  /**
   * Its version, how it was built and started, and where it ran.
   */
  facts: [string, string][];
  /**
   * The language.
   */
  language: string;
  name: ContenderName;
  /**
   * Its README, as HTML without scripts, pictures, or markup of its own.
   */
  notes_html: string | null;
}
/**
 * A part with its heading.
 */
export interface Section {
  /**
   * What it is about; may be empty.
   */
  about: string;
  /**
   * From top to bottom.
   */
  blocks: Block[];
  /**
   * A word or two, in small letters.
   */
  title: string;
  weight: Weight;
}
/**
 * A paragraph.
 */
export interface Text {
  /**
   * What it says.
   */
  words: string;
}
/**
 * A table; one without rows is none.
 */
export interface Table {
  /**
   * From left to right; those for little room alone are left out of what is written as JSON.
   */
  columns: Column[];
  /**
   * From top to bottom.
   */
  rows: TableRow[];
}
/**
 * A column of a table.
 */
export interface Column {
  /**
   * Whether its cells stand at the right.
   */
  is_number: boolean;
  /**
   * Its heading.
   */
  title: string;
}
/**
 * A row of a table.
 */
export interface TableRow {
  /**
   * One for each column; `None`: not known.
   */
  cells: (string | null)[];
  /**
   * The contender that it is about, where it is about one.
   */
  of: ContenderName | null;
}
/**
 * Sentences, one below another.
 */
export interface Lines {
  /**
   * What they say.
   */
  lines: string[];
  tone: Tone;
}
/**
 * Names and what is said of them.
 */
export interface Named {
  /**
   * A name, and what is said of it.
   */
  rows: [string, string][];
  /**
   * What the names are, and what is said of them.
   *
   * @minItems 2
   * @maxItems 2
   */
  titles: [string, string];
}
/**
 * What is said of something by groups of names.
 */
export interface Groups {
  /**
   * More about it; may be empty.
   */
  about: string;
  /**
   * What is said, and of whom.
   */
  rows: [string, string][];
  /**
   * Of what.
   */
  title: string;
}
/**
 * Somebody without a place in a table.
 */
export interface Aside {
  /**
   * Where to read on, what to do.
   */
  more: string | null;
  /**
   * Who.
   */
  name: string;
  /**
   * Why.
   */
  reason: string;
  /**
   * One word or figure: `skipped`, `>= 171,000`.
   */
  what: string;
}
/**
 * A remark.
 */
export interface Note {
  kind: Kind;
  /**
   * Of whom; empty: of all.
   */
  names: string[];
  /**
   * What it says.
   */
  words: string;
}
/**
 * What somebody said, beside what was measured.
 */
export interface Claim {
  /**
   * Where the interval must lie for it to hold.
   */
  bound: string | null;
  /**
   * The figure measured here.
   */
  here: string | null;
  /**
   * Its interval.
   */
  interval: string | null;
  /**
   * Whether what it is about was measured at all.
   */
  is_tested: boolean;
  /**
   * Why there is no verdict.
   */
  reason: string | null;
  /**
   * In words.
   */
  says: string;
  /**
   * The figure that was printed.
   */
  there: string | null;
  tone: Tone;
  /**
   * `holds`.
   */
  verdict: string;
}
/**
 * A chart: what is drawn, whoever draws it. Its axes have their ends and ticks, so that all who draw it draw the same.
 */
export interface Chart {
  /**
   * How high it is, in pixels.
   */
  height: number;
  /**
   * The name of its files, once in a document: letters, digits and hyphens.
   */
  id: string;
  /**
   * What it shows, for those who do not see it too.
   */
  label: string;
  /**
   * What is drawn, the first below the others.
   */
  lines: Line[];
  x: Axis;
  y: Axis;
}
/**
 * Points that belong together.
 */
export interface Line {
  mark: Mark;
  /**
   * What they are of; several of the same name have one colour and stand once in the legend.
   */
  name: string;
  /**
   * The contender that they are of, where they are of one.
   */
  of: ContenderName | null;
  /**
   * From left to right.
   */
  points: Point[];
}
/**
 * A point.
 */
export interface Point {
  /**
   * Where it ends along the axis `x`, where it is no point but a span.
   */
  end?: number | null;
  /**
   * How it differs from the others.
   */
  sign?: Sign | null;
  /**
   * What is said of it to who points at it.
   */
  text?: string | null;
  /**
   * Along the axis `x`.
   */
  x: number;
  /**
   * Along the axis `y`.
   */
  y: number;
}
/**
 * An axis.
 */
export interface Axis {
  /**
   * The name of its column where the data are a file.
   */
  column: string;
  /**
   * Where it begins; the greater one of an axis that falls.
   */
  from: number;
  /**
   * Whether it is logarithmic.
   */
  is_log: boolean;
  /**
   * In rising order.
   */
  ticks: Tick[];
  /**
   * What is along it, with its unit; may be empty.
   */
  title: string;
  /**
   * Where it ends.
   */
  to: number;
}
/**
 * A value that is marked on an axis.
 */
export interface Tick {
  /**
   * Where.
   */
  at: number;
  /**
   * What stands there.
   */
  text: string;
}
/**
 * What opens when it is asked for.
 */
export interface Fold {
  /**
   * Beside the title; may be empty.
   */
  about: string;
  /**
   * From top to bottom.
   */
  blocks: Block[];
  /**
   * Whether it is open at first.
   */
  is_open: boolean;
  /**
   * What is in it.
   */
  title: string;
}
/**
 * A word of the page and what it means.
 */
export interface Term {
  /**
   * In a sentence.
   */
  meaning: string;
  /**
   * As the page uses it.
   */
  term: string;
}
/**
 * A workload.
 */
export interface PageWorkload {
  /**
   * The answer in a sentence or two.
   */
  answer: string | null;
  /**
   * The checks of the run and of this workload.
   */
  badges: Badge[];
  /**
   * One for each contender that was to be measured.
   */
  cards: Card[];
  /**
   * Which of them a reader's own load is multiplied with: CPU time per request in nanoseconds.
   */
  cost_by: string | null;
  /**
   * The name by which a command asks for it; `None` where it has no server.
   */
  listed_as: string | null;
  /**
   * How it was loaded.
   */
  load: string;
  /**
   * Its name.
   */
  name: string;
  /**
   * What is to be known beside the figures, the gravest first.
   */
  notes: Note[];
  /**
   * What it asks.
   */
  question: string;
  /**
   * The figures that its contenders can be compared by, the one that ranks first.
   */
  rankings: Ranking[];
  /**
   * What else was measured, and what was published.
   */
  sections: Section[];
}
/**
 * A check of the run.
 */
export interface Badge {
  /**
   * Its name.
   */
  name: string;
  /**
   * What it found, in two or three words.
   */
  short: string;
  state: BadgeState;
  /**
   * The whole story, a paragraph each.
   */
  words: string[];
}
/**
 * A contender in a workload.
 */
export interface Card {
  /**
   * What stands behind its figures.
   */
  blocks: Block[];
  contender: ContenderName;
  /**
   * Its figure and its rank in one line, else why it has none.
   */
  headline: string;
  /**
   * Its name, and what it is beside that.
   */
  title: string;
}
/**
 * A figure that contenders can be compared by: who has which value, and who has none.
 */
export interface Ranking {
  /**
   * What it is, in a few words.
   */
  about: string;
  axis: Axis;
  better: Better;
  /**
   * Its name in addresses and in files with columns: letters, digits and hyphens, once in a workload.
   */
  id: string;
  /**
   * Whether its values are ratios, for which 1 is no difference.
   */
  is_ratio: boolean;
  /**
   * Its heading.
   */
  label: string;
  /**
   * The same, logarithmic; `None` where a value has no logarithm.
   */
  log_axis: Axis | null;
  /**
   * In the order of the judgement.
   */
  points: RankedPoint[];
  /**
   * Any two of them: the places among [`Self::points`] of the one above the line and of the one below it, the ratio, paired by
   * block or launch, and the ends of its interval.
   */
  ratios: [number, number, number, number | null, number | null][];
  /**
   * Its chart as a file of its own.
   */
  svg: string;
  /**
   * Contenders without a point: who and why.
   */
  without: [ContenderName, string][];
}
/**
 * A contender's value.
 */
export interface RankedPoint {
  /**
   * It could be better: the contender was not seen to be the limit.
   */
  at_least: boolean;
  /**
   * What stands beside its name; may be empty.
   */
  beside: string;
  contender: ContenderName;
  /**
   * The other one.
   */
  high: number | null;
  /**
   * The ends of its interval.
   */
  low: number | null;
  /**
   * `1-2`; `None` where it has none.
   */
  rank: string | null;
  /**
   * The best rank that it may hold, and the worst.
   *
   * @minItems 2
   * @maxItems 2
   */
  ranks: [number, number] | null;
  /**
   * Why it has no rank, where others have.
   */
  reason: string | null;
  /**
   * The same for those who do not see it drawn.
   */
  spoken: string;
  /**
   * The value in words, with how sure it is.
   */
  text: string;
  /**
   * The value.
   */
  value: number;
}
