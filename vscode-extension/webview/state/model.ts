// What the chat shows, as data. Rows are changed in place and count their changes: a row whose `version` has
// not moved need not be drawn again, so a chunk of text costs the same in a long conversation as in a short one.
import type {
  ApprovalAnswer,
  ApprovalRequest,
  AttachedLabel,
  ContextItem,
  HunkDecision,
  ProposedEdit,
  SessionMode,
  TodoItem,
  TokenUsage,
  ToolActivity,
  ToolStatus,
  TurnEnd,
} from "../../src/protocol";

interface RowBase {
  /** Never given twice in a view, and the same however the events were batched. */
  key: number;
  /** The turn it belongs to; 0 before the first. */
  turn: number;
  version: number;
  /** The call of the sub-agent that it stands inside; a row of the conversation itself has none. */
  within: ToolRow | undefined;
}

export interface PromptRow extends RowBase {
  kind: "prompt";
  text: string;
  how: "asked" | "steered";
  attachments: AttachedLabel[];
  /** What really went with it; missing until the server has said so. */
  sent: ContextItem[] | undefined;
}

/** Prose between two blank lines, or a fenced block of code. */
export interface ProseRow extends RowBase {
  kind: "prose" | "code";
  /** Of code only. */
  language: string;
  /** Whole lines. */
  text: string;
  /** The line that is still being written. */
  tail: string;
  open: boolean;
}

export interface ThoughtRow extends RowBase {
  kind: "thought";
  /** The latest subject; all thoughts in a row share one line. */
  subject: string;
  text: string;
}

export interface ToolRow extends RowBase {
  kind: "tool";
  call: string;
  title: string;
  tool: string;
  activity: ToolActivity;
  input: string;
  state: "running" | ToolStatus;
  message: string;
  /** The last part of what was printed or shown to the model. */
  output: string;
  /** Line ends in everything that was printed, kept or not. */
  outputLines: number;
  progress: string;
  /** Of a sub-agent: how often it has asked its model, and how often it may. */
  turns: { used: number; most: number | undefined } | undefined;
  /** What a sub-agent does on the way, in the order in which it came. */
  inside: Row[];
  durationMs: number | undefined;
  /** An edit card stands for it. */
  replaced: boolean;
}

export interface EditedFile {
  path: string;
  /** The line of its first hunk, from zero. */
  line: number;
  added: number;
  removed: number;
  /** The agent waits for the decision. */
  proposed: number;
  /** As the review counts what is in the file, or stands beside it. */
  pending: number;
  conflicts: number;
  kept: number;
  rejected: number;
  /** Decided before the edit was made, of which the review knows nothing. */
  agreed: number;
  declined: number;
}

/** An edit of the turn that runs, and what it is part of. */
export interface EditOfFile {
  row: EditsRow;
  file: EditedFile;
  edit: ProposedEdit;
  /** Nothing of it was left to decide when it was made. */
  answered: boolean;
}

export interface EditsRow extends RowBase {
  kind: "edits";
  files: EditedFile[];
}

export type Question =
  | { kind: "approval"; number: number; request: ApprovalRequest }
  | { kind: "edit"; number: number; edit: ProposedEdit };

export interface QuestionRow extends RowBase {
  kind: "question";
  question: Question;
  state: "waiting" | "answered" | "dropped";
  answer: ApprovalAnswer | undefined;
  /** The window that it was answered in, by its own name, where that is known. */
  by: string | undefined;
  /** Of an edit: which hunks nobody has decided about yet. Missing: all of them. */
  open: ReadonlySet<number> | undefined;
  /** Of an edit: what was decided here, by hunk; in the end what was decided anywhere. */
  decisions: Map<number, HunkDecision>;
  /** Of an edit that was kept: the person had changed the same lines, so it is not in the file yet. */
  conflict: "none" | "open" | "settled";
}

export type NoteKind =
  | "retried"
  | "modelChanged"
  | "modelChosen"
  | "compressed"
  | "rewound"
  | "discarded"
  | "notRemembered"
  | "hook"
  | "mode"
  | "topic"
  | "stopped"
  | "refused"
  | "deleted";

export interface NoteRow extends RowBase {
  kind: "note";
  note: NoteKind;
  /** For the words around them; which is which follows from `note`. */
  values: (string | number)[];
}

export interface SourcesRow extends RowBase {
  kind: "sources";
  sources: { title: string; uri: string }[];
}

export interface AnswerRow extends RowBase {
  kind: "commandAnswer";
  command: string;
  text: string;
}

export interface ErrorRow extends RowBase {
  kind: "error";
  outcome: TurnEnd;
  message: string;
  /** Taken back by a later turn: its buttons make no sense any more. */
  over: boolean;
}

export type Row =
  | PromptRow
  | ProseRow
  | ThoughtRow
  | ToolRow
  | EditsRow
  | QuestionRow
  | NoteRow
  | SourcesRow
  | AnswerRow
  | ErrorRow;

export interface QueuedPrompt {
  id: number;
  text: string;
  attachments: AttachedLabel[];
}

/** What happens now. `serial` moves when it becomes something else, which is when its clock starts. */
export interface Doing {
  what: "thinking" | "writing" | "tool" | "retrying" | "waiting";
  words: string;
  serial: number;
}

/** A request that waits before it is sent again. */
export interface RetryWait {
  reason: string;
  /** The attempt that failed, from 1. */
  attempt: number;
  attempts: number;
  /** In milliseconds since 1970. */
  at: number | undefined;
}

export interface Session {
  rows: Row[];
  title: string | undefined;
  model: string | undefined;
  mode: SessionMode;
  contextWindow: number | undefined;
  /** Where the settings have prices. */
  cost: { turn: number; session: number; currency: string } | undefined;
  /** The turn that runs. */
  running: number | undefined;
  /** The one that was asked last, also while it is answered. */
  lastPrompt: PromptRow | undefined;
  doing: Doing | undefined;
  retry: RetryWait | undefined;
  usage: TokenUsage | undefined;
  /** Tokens of all requests of the session. */
  spent: number;
  todos: TodoItem[];
  queue: QueuedPrompt[];
  /** The oldest first. */
  questions: QuestionRow[];
  /** Moves with everything that is not in a row. */
  version: number;
  index: Index;
}

/** Ways to find a row that an event talks about. */
export interface Index {
  nextKey: number;
  /** Where text goes on. */
  writing: ProseRow | undefined;
  /** The fence inside prose that is open, such as in a list. */
  nestedFence: string;
  /** The fence that opened the code that is written. */
  fence: string;
  afterBlank: boolean;
  calls: Map<string, ToolRow>;
  prompts: Map<number, PromptRow>;
  proposals: Map<number, EditOfFile>;
  /** Of the turn that runs, answered or not. */
  asked: Map<number, QuestionRow>;
  /** By turn and path, with the questions whose answer became a conflict. */
  files: Map<string, { row: EditsRow; file: EditedFile; contested: QuestionRow[] }>;
}

export function emptySession(): Session {
  return {
    rows: [],
    title: undefined,
    model: undefined,
    mode: "default",
    contextWindow: undefined,
    cost: undefined,
    running: undefined,
    lastPrompt: undefined,
    doing: undefined,
    retry: undefined,
    usage: undefined,
    spent: 0,
    todos: [],
    queue: [],
    questions: [],
    version: 0,
    index: {
      nextKey: 1,
      writing: undefined,
      nestedFence: "",
      fence: "",
      afterBlank: false,
      calls: new Map(),
      prompts: new Map(),
      proposals: new Map(),
      asked: new Map(),
      files: new Map(),
    },
  };
}
