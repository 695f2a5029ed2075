// What the view is shown in these tests.
import type { ChatEvent, ToView } from "../../src/chat/messages";

export const SESSION = "session-1";

export const call = (id: string, title: string, activity: "read" | "search" | "command" | "edit" | "fetch" | "other", input = "{}"): ChatEvent => ({
  kind: "toolStarted",
  call: id,
  title,
  tool: activity,
  activity,
  input,
});

export const done = (id: string, durationMs: number, output = "", outputLines = 0): ChatEvent => ({
  kind: "toolEnded",
  call: id,
  status: "succeeded",
  message: "",
  output,
  outputLines,
  durationMs,
});

const usage = { prompt: 11_200, cached: 4_000, answer: 620, thoughts: 180, tools: 0, total: 12_000 };

const ANSWER = `The counter is reset **inside** the loop, so \`attempts\` never reaches its limit. See [upload.rs](src/upload.rs#L41) and the notes on <https://example.com/backoff>.

1. Move \`let mut attempts = 0\` above the loop.
2. Stop after \`MAX_ATTEMPTS\` and return the last error.

\`\`\`rust
let mut attempts = 0;
loop {
    match send(&chunk).await {
        Ok(receipt) => return Ok(receipt),
        // The server asks for time: give it some.
        Err(error) if attempts < MAX_ATTEMPTS => attempts += 1,
        Err(error) => return Err(error),
    }
}
\`\`\`

| case | before | after |
|---|---|---|
| 503 once | retried | retried |
| 503 always | for ever | 5 times |
`;

export const CONVERSATION: ChatEvent[] = [
  { kind: "opened", mode: "default", model: "demo", contextWindow: 1_000_000 },
  { kind: "turnStarted", turn: 1, prompt: "why does the upload retry for ever?", model: "demo" },
  { kind: "titled", title: "Fix the retry loop" },
  {
    kind: "contextSent",
    turn: 1,
    items: [
      { kind: "selection", label: "upload.rs 40–62", bytes: 900 },
      { kind: "diagnostics", label: "2 problems", bytes: 120 },
    ],
  },
  { kind: "thought", subject: "Looking for the loop", description: "The retry counter must live somewhere." },
  call("1", "Read upload.rs 1–120", "read"),
  done("1", 12, "fn main() {}\n", 120),
  call("2", 'Searched "retry(" in 214 files', "search"),
  done("2", 9, "upload.rs:41\n", 3),
  { kind: "text", text: ANSWER },
  call("3", "Edit src/upload.rs", "edit"),
  {
    kind: "editMade",
    proposal: 1,
    call: "3",
    path: "src/upload.rs",
    hunks: [
      { baseLine: 40, line: 40, removed: "a\nb\n", added: "a\nb\nc\nd\ne\n" },
      { baseLine: 50, line: 53, removed: "a\n", added: "b\nc\n" },
      { baseLine: 60, line: 64, removed: "a\n", added: "b\nc\n" },
    ],
    allEdits: [],
  },
  done("3", 4),
  call("4", "Edit src/net/retry.rs", "edit"),
  {
    kind: "editMade",
    proposal: 2,
    call: "4",
    path: "src/net/retry.rs",
    hunks: [{ baseLine: 3, line: 3, removed: "a\nb\n", added: "a\nb\nc\nd\ne\n" }],
    allEdits: [],
  },
  done("4", 3),
  { kind: "hunksDecided", turn: 1, path: "src/net/retry.rs", kept: 1, rejected: 0, pending: 0, conflicts: 0 },
  { kind: "hunksDecided", turn: 1, path: "src/upload.rs", kept: 0, rejected: 1, pending: 2, conflicts: 0 },
  {
    kind: "todos",
    todos: [
      { description: "find the cause", status: "completed" },
      { description: "fix the loop", status: "completed" },
      { description: "run the tests", status: "inProgress" },
    ],
  },
  { kind: "answerEnded", reason: "STOP", usage, contextWindow: 1_000_000 },
  call("5", "cargo test -p upload", "command", '{\n  "command": "cargo test -p upload"\n}'),
];

export const APPROVAL: ChatEvent = {
  kind: "approvalRequested",
  approval: 7,
  call: "5",
  tool: "run_shell_command",
  title: "Run cargo test -p upload",
  reason: "rule default:10, no rule allows cargo",
  subject: { kind: "command", command: "cargo test -p upload", folder: "upload/", programs: ["cargo"], cautions: [] },
  offers: [
    {
      label: "`cargo test …`",
      scopes: ["session", "workspace", "user"],
      rule: {
        text: '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "cargo test"\ndecision = "allow"\n',
        files: [{ scope: "workspace", file: ".gemini/policies/saved.toml" }],
      },
    },
    { label: "`cargo …`", scopes: ["session", "workspace", "user"] },
  ],
};

/** What is seldom seen: every other kind of card and line. */
export const CARDS: ChatEvent[] = [
  { kind: "opened", mode: "autoEdit", model: "gemini-3-pro", title: "All the rest", contextWindow: 200_000 },
  { kind: "turnStarted", turn: 1, prompt: "make it\nso", model: "gemini-3-pro" },
  { kind: "requestRetried", attempt: 2, attempts: 5, delayMs: 1_500, reason: "the model is overloaded" },
  { kind: "modelChanged", from: "gemini-3-pro", to: "gemini-3-flash", reason: "quota used up until 14:00", avoidedUntil: { until: "nextTurn" } },
  call("1", "npm run build", "command", '{ "command": "npm run build" }'),
  { kind: "toolPrinted", call: "1", text: Array.from({ length: 40 }, (_, at) => `\u001b[32m✓\u001b[0m built module ${at}\n`).join("") },
  { kind: "toolEnded", call: "1", status: "failed", message: "exit code 2", output: "", outputLines: 0, durationMs: 4_210 },
  { kind: "promptSteered", text: "skip the docs" },
  {
    kind: "editProposed",
    proposal: 3,
    call: "9",
    path: "src/config.ts",
    hunks: [{ baseLine: 11, line: 11, removed: "  retries: Infinity,\n", added: "  retries: 5,\n  backoffMs: 200,\n" }],
    allEdits: ["session"],
  },
  {
    kind: "approvalRequested",
    approval: 4,
    call: "10",
    tool: "ask_user",
    title: "Which database?",
    reason: "",
    subject: {
      kind: "questions",
      questions: [
        {
          header: "Database",
          text: "Which database should the tests use?",
          answer: {
            kind: "choice",
            several: false,
            options: [
              { label: "SQLite", description: "in memory, nothing to install" },
              { label: "PostgreSQL", description: "as in production" },
            ],
          },
          optional: false,
        },
      ],
    },
    offers: [],
  },
  { kind: "promptQueued", id: 2, text: "then update the changelog" },
];

const agent = (id: string, title: string, prompt: string): ChatEvent => ({
  kind: "toolStarted",
  call: id,
  title,
  tool: "invoke_agent",
  activity: "agent",
  input: JSON.stringify({ agent_name: title.split(":")[0], prompt }, null, 2),
});

const inside = (parent: string, event: ChatEvent): ChatEvent => (event.kind === "toolStarted" ? { ...event, parent } : event);

/** Two sub-agents at work, one of which waits for an answer. */
export const AGENT: ChatEvent[] = [
  ...CONVERSATION.slice(0, 4),
  agent("a1", "Codebase Investigator: Find out where retries are counted, and who resets the counter", "Find out where retries are counted, and who resets the counter.\n\nName files and lines."),
  agent("a2", "tester: Run the tests of the upload crate and say what fails", "Run the tests of the upload crate and say what fails."),
  { kind: "toolProgress", call: "a1", message: "Following the counter", done: 1, total: 30 },
  ...Array.from({ length: 8 }, (_, at) => [inside("a1", call(`a1_${at}`, `Read src/part${at}.rs`, "read")), done(`a1_${at}`, 4 + at)]).flat(),
  { kind: "toolProgress", call: "a2", message: "Looking for the tests", done: 1, total: 20 },
  inside("a1", call("a1_8", 'Searched "attempts" in 214 files', "search")),
  done("a1_8", 9),
  { kind: "toolPrinted", call: "a1", text: "The counter lives in `upload.rs`.\nNow I look at who resets it, and why nobody noticed." },
  { kind: "toolProgress", call: "a1", message: "Who resets the counter?", done: 4, total: 30 },
  inside("a1", call("a1_9", "git log -S attempts -- src/upload.rs", "command")),
  { kind: "toolPrinted", call: "a1_9", text: "commit 1f2e3d\n    retry for ever\n" },
  inside("a2", call("a2_1", "cargo test -p upload", "command")),
  { ...APPROVAL, call: "a2_1" },
];

/** What is left of sub-agents: one is done, one was stopped, one failed; an edit is still to be decided about. */
export const AGENT_ENDED: ChatEvent[] = [
  ...CONVERSATION.slice(0, 4),
  ...AGENT.slice(4, -1).filter((event) => !("call" in event && event.call?.startsWith("a2"))),
  done("a1_9", 30),
  { kind: "toolEnded", call: "a1", status: "succeeded", message: "Done in 5 turns", output: "Subagent 'codebase_investigator' finished.\nTermination Reason: GOAL\nResult:\nThe counter is reset in `upload.rs`, line **41**.", outputLines: 4, durationMs: 42_000 },
  agent("a3", "fixer: Move the counter out of the loop", "Move the counter out of the loop."),
  inside("a3", call("a3_1", "Edit src/upload.rs", "edit")),
  {
    kind: "editMade",
    proposal: 21,
    call: "a3_1",
    path: "src/upload.rs",
    hunks: [{ baseLine: 40, line: 40, removed: "a\nb\n", added: "a\nb\nc\n" }],
    allEdits: [],
  },
  done("a3_1", 3),
  done("a3", 9_000),
  agent("a4", "tester: Run everything", "Run everything."),
  inside("a4", call("a4_1", "cargo test", "command")),
  { kind: "toolEnded", call: "a4_1", status: "cancelled", message: "", output: "", outputLines: 0, durationMs: 0 },
  { kind: "toolEnded", call: "a4", status: "cancelled", message: "", output: "", outputLines: 0, durationMs: 0 },
  agent("a5", "scout: Look it up", "Look it up."),
  { kind: "toolEnded", call: "a5", status: "failed", message: "the model is overloaded", output: "Subagent 'scout' failed. Error: the model is overloaded", outputLines: 1, durationMs: 900 },
  { kind: "text", text: "The counter is reset inside the loop." },
];

/** An edit of which not everything is right. */
export const PROPOSAL: ChatEvent = {
  kind: "editProposed",
  proposal: 5,
  call: "11",
  path: "src/net/retry.ts",
  hunks: [
    { baseLine: 3, line: 3, removed: "const LIMIT = Infinity;\n", added: "const LIMIT = 5;\n" },
    { baseLine: 11, line: 11, removed: "  retry();\n  wait(1);\n", added: "  if (tries++ < LIMIT) retry();\n" },
    { baseLine: 40, line: 39, removed: "", added: "\nexport function backoff(tries: number): number {\n  return Math.min(2 ** tries, 60) * 1_000;\n}\n" },
  ],
  allEdits: ["session"],
};

const asks = (approval: number, title: string, subject: Extract<ChatEvent, { kind: "approvalRequested" }>["subject"]): ChatEvent => ({
  kind: "approvalRequested",
  approval,
  call: String(approval),
  tool: subject.kind,
  title,
  reason: "",
  subject,
  offers: [],
});

/** The questions that come up seldom. */
export const QUESTIONS: ChatEvent[] = [
  { kind: "opened", mode: "plan", model: "gemini-3-pro", title: "Questions", contextWindow: 200_000 },
  { kind: "turnStarted", turn: 1, prompt: "plan it", model: "gemini-3-pro" },
  asks(1, "Plan first", { kind: "enterPlan", reason: "The change touches the network code in four places; a plan shows them before anything is edited." }),
  asks(2, "Carry out the plan", {
    kind: "plan",
    path: ".gemini/plans/retry.md",
    text: "# Stop retrying for ever\n\n1. Move the counter out of the loop in `upload.rs`.\n2. Return the last error after `MAX_ATTEMPTS`.\n3. Test both ends.\n\n```rust\nconst MAX_ATTEMPTS: u32 = 5;\n```\n",
  }),
  asks(3, "replace in src/upload.rs", { kind: "stuck", times: 3, error: "old_string was not found in src/upload.rs\n  let mut attempts = 0;\n  ^^^^^^^^^^^^^^^^^^^^" }),
  asks(4, "Fetch 2 pages", {
    kind: "fetch",
    method: "GET",
    urls: ["https://example.com/backoff", "https://docs.example.com/a/very/long/address/that/does/not/fit/into/one/line?with=a&query=string"],
    prompt: "How long should one wait between two tries?",
  }),
];

export const FAILED: ChatEvent[] = [
  { kind: "opened", mode: "default", model: "gemini-3-pro", title: "A turn that fails" },
  { kind: "turnStarted", turn: 1, prompt: "hello", model: "gemini-3-pro" },
  { kind: "citation", title: "Backoff and jitter", uri: "https://example.com/backoff" },
  { kind: "turnEnded", turn: 1, outcome: "failed", message: "the API key was refused (401)" },
];

export const EDITOR: ToView = {
  kind: "editor",
  context: {
    activeFile: "upload.rs",
    selection: "upload.rs 40–62",
    openFiles: 3,
    problems: 2,
    rules: { activeFile: "auto", selection: "auto" },
    examples: ["Explain upload.rs", "Find a bug in upload.rs", "Write a test for the selected lines"],
  },
};

export const MODELS: ToView = {
  kind: "models",
  current: "demo",
  models: [
    { id: "demo", label: "demo", description: "offline, by a script" },
    { id: "gemini-3-pro", label: "gemini-3-pro", description: "1M tokens" },
  ],
};
