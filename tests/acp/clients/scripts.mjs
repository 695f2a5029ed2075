// What the model says in each scenario, whichever client drives it.
import { STOP, calls, runs, says } from "./world.mjs";

const writes = (file_path, content) => calls("write_file", { file_path, content });

export const scripts = {
  streaming: [{ steps: [{ thought: "**Thinking** of it" }, { text: "Hello" }, { gate: "half" }, { text: " there" }, STOP] }],
  allowed: [runs("touch made && echo it is made"), says("done")],
  rejected: [runs("touch made"), says("something else then"), says(", as you like")],
  rejectedCommand: [runs("touch made"), says("something else then")],
  edit: [writes("new.txt", "fresh\n"), writes("a.txt", "two\n"), says("done")],
  rejectedEdit: [writes("a.txt", "two\n"), says("left as it is")],
  agent: [
    calls("invoke_agent", { agent_name: "generalist", prompt: "make it" }),
    runs("touch made"),
    calls("complete_task", { result: { response: "It is made." } }),
    says("done"),
  ],
  plan: [
    calls("write_todos", {
      todos: [
        { description: "look", status: "completed" },
        { description: "change", status: "in_progress" },
      ],
    }),
    says("done"),
  ],
  mode: [runs("touch made"), says("done")],
  nothing: [],
  loading: [runs("echo kept"), says("Hello there"), says("still here")],
  resuming: [says("Hello there"), says("still here")],
  stopped: [{ steps: [{ text: "so" }, { gate: "never" }] }],
  cancel: [{ steps: [{ text: "so" }, { gate: "never" }] }, says("on")],
  option: [says("fine")],
  content: [says("seen")],
  files: [calls("read_file", { file_path: "a.txt" }), writes("a.txt", "two\n"), says("done")],
  form: [
    calls("ask_user", {
      questions: [
        {
          question: "Which one?",
          header: "One",
          type: "choice",
          options: [
            { label: "left", description: "the near one" },
            { label: "right", description: "" },
          ],
        },
      ],
    }),
    says("right then"),
  ],
  terminal: [runs("echo out; exit 3"), says("done")],
  letGo: [says("hello")],
  output: [runs("echo begun; cat gate; echo ended"), says("done")],
};
