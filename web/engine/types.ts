// What goes in and comes out. docs/graph-json.md says what the fields of a document mean.

/** Kinds of variables. */
export type Kind = "continuous" | "binary" | "categorical" | "ordinal";

/** What is known before the data are seen. */
export interface Knowledge {
  required?: [string, string][];
  forbidden?: [string, string][];
  tiers?: { variables: string[]; forbid_within?: boolean }[];
  sources?: string[];
  sinks?: string[];
}

/** How a table is read. What is left out has its default. */
export interface TableSettings {
  columns?: string[] | null;
  drop?: string[] | null;
  continuous?: string[] | null;
  categorical?: string[] | null;
  ordinal?: { column: string; levels?: string[] }[] | null;
  /** Rules such as "log:dose,age", "rank:*" or "auto". */
  transform?: string[] | null;
  standardize?: boolean;
  missing?: "auto" | "error" | "drop" | "em";
  na?: string[] | null;
  header?: "auto" | "yes" | "no";
  delimiter?: string | null;
  decimal?: string | null;
  comment?: string | null;
  skip_rows?: number;
  transpose?: boolean;
  /** The table is a covariance matrix of this many rows. */
  rows?: number | null;
  /** Sheet of a workbook, file of an archive or array of an .npz. */
  sheet?: string | null;
  file_column?: string | null;
}

/** Everything that shapes a result, under the names of Python's keyword arguments. */
export interface Settings extends TableSettings {
  method?: string;
  parameters?: Record<string, unknown>;
  center?: boolean;
  refine?: string | null;
  prune?: { rule: "bic" | "ebic" } | { rule: "t-test"; alpha: number } | null;
  threshold?: number | null;
  error_shape?: boolean;
  seed?: number;
  knowledge?: Knowledge | null;
  bootstrap?: number | null;
  confidence?: boolean;
  confidence_seconds?: number | null;
  confidence_level?: number | null;
  diagnose?: boolean;
  /** A size with its unit, such as "2GiB". */
  memory?: string | null;
}

/** What is at an end of an edge: nothing, an arrowhead, or either. */
export type Mark = "tail" | "arrow" | "circle";

/** The change of an effect when its cause goes from its base level to another one. */
export interface Coefficient {
  from_level?: string;
  /** The base level that `from_level` is compared with. */
  from_base?: string;
  /** The level of the effect, in files of earlier schemas. */
  to_level?: string;
  value: number;
  /** Its 95% confidence interval. */
  interval?: [number, number];
}

/** An edge as it is drawn. */
export interface Edge {
  from: string;
  to: string;
  /** At `from` and at `to`. */
  marks?: [Mark, Mark];
  /** Steps of time from the cause to the effect; 0 for tables without time. */
  lag?: number;
  /** Change of the effect per unit of the cause, where it is one number. */
  weight?: number;
  /** The 95% confidence interval of the weight. */
  interval?: [number, number];
  direction: "determined" | "likely" | "undetermined";
  /** How sure the edge and its direction are, and in which share of resampled tables they were found. */
  confidence?: { adjacent: number; direction: number; adjacent_frequency?: number; direction_frequency?: number };
  strength?: number;
  standardized_weight?: number;
  /** One for each level of the cause except its base. */
  coefficients?: Coefficient[];
  evidence?: string;
}

/** How a variable follows from its parents. */
export type Mechanism =
  | { kind: "linear"; parents: { variable: string; coefficients: number[] }[]; intercept: number; variance: number; rows?: number; covariance?: number[] }
  | { kind: "counts"; parents: string[]; overall: number[]; table?: { given: string[]; counts: number[] }[] }
  | { kind: "logistic"; parents: string[]; levels: { level: string; intercept: number; coefficients: number[][] }[] }
  | { kind: "unfitted"; parents: string[] };

/** A fitted model: one mechanism for each variable, in their order. */
export interface Model {
  mechanisms: Mechanism[];
  experiment?: {
    condition: string;
    /** The condition in which means without an intervention are stated. */
    control: string;
    targets?: { condition: string; variable: string; set: boolean; mechanism: Mechanism }[];
  };
  /** What stands for missing values in tables of these variables, besides the usual words. */
  missing?: string[];
}

/** A variable: its kind, its levels and how common they are. */
export interface Described {
  name: string;
  kind: Kind;
  levels?: string[];
  shares?: number[];
  mean?: number;
  deviation?: number;
  missing?: number;
}

/** The description of a graph, as `nocurl learn --output graph.json` writes it. */
export interface GraphDocument {
  /** "nocurl/graph/3". */
  schema: string;
  variables: string[];
  edges: Edge[];
  order: string[];
  directions: string;
  kinds?: Described[];
  model?: Model;
  method: string;
  parameters: Record<string, unknown>;
  seed: number;
  version: string;
  warnings: string[];
  diagnosis: unknown;
  elapsed_seconds: number;
  input: { path: string; rows: number; rows_dropped: number; columns: number; digest: string } | null;
  [more: string]: unknown;
}

/** A column of a table. */
export interface Column {
  name: string;
  /** Its kind; nothing where it is left out. */
  kind: Kind | null;
  /** Why it is left out. */
  left_out: string | null;
  levels?: string[];
  /** How many levels there are, of which some are listed. */
  distinct?: number;
  /** Of a sample of rows. */
  least?: number;
  greatest?: number;
  histogram?: number[];
}

/** What a table is, before anything is learnt. */
export interface Inspection {
  file: string;
  format: string;
  rows: number;
  /** Rows that miss a value. */
  incomplete: number;
  missing: number;
  columns: Column[];
  warnings: string[];
}

/** What was learnt. */
export interface Learnt {
  document: GraphDocument;
  svg: string;
  /** The report as one HTML file. */
  report: string | null;
  /** The command line that repeats the run. */
  command: string;
}

/** What there is to know about a method. */
export interface Method {
  name: string;
  title: string;
  summary: string;
  [more: string]: unknown;
}
