// What a question is about, whole.
import type { ApprovalRequest } from "../../src/protocol";
import type { Store } from "../store";
import { Icon } from "../parts/icon";
import { Markdown } from "../parts/markdown";
import { Sentence } from "../parts/sentence";
import { t } from "../strings";
import { shortPath } from "../words/paths";
import { oneLine, visible } from "../words/visible";

export function QuestionBody({ request, store }: { request: ApprovalRequest; store: Store }) {
  return (
    <>
      <Subject request={request} store={store} />
      <div class="why" title={ruleOf(request)}>
        <Sentence text={why(request, store.folders)} />
      </div>
    </>
  );
}

function why({ subject, reason }: ApprovalRequest, folders: string[]): string {
  const place = subject.kind === "command" && subject.folder !== "" ? t("inFolder", visible(shortPath(subject.folder, folders))) : "";
  const asks = reason === "" ? "" : t("asks", oneLine(reason));
  return [place, asks].filter((part) => part !== "").join(" · ");
}

/** Where the rule stands that wants somebody to be asked. */
function ruleOf({ rule }: ApprovalRequest): string | undefined {
  if (!rule) return undefined;
  return rule.file ? `${visible(rule.text)}\n${visible(rule.file)}${rule.line ? `:${rule.line}` : ""}` : visible(rule.text);
}

function Subject({ request, store }: { request: ApprovalRequest; store: Store }) {
  const subject = request.subject;
  switch (subject.kind) {
    case "command":
      return (
        <>
          {/* Never cut: what is allowed must have been seen. */}
          <pre class="subject" tabIndex={0}>
            {visible(subject.command)}
          </pre>
          <Cautions cautions={subject.cautions} />
        </>
      );
    case "fetch":
      return (
        <>
          <pre class="subject" tabIndex={0}>
            {subject.urls.map((url) => `${subject.method} ${visible(url)}`).join("\n")}
          </pre>
          {subject.prompt !== "" && <div class="quiet">{oneLine(subject.prompt)}</div>}
        </>
      );
    case "enterPlan":
      return <div>{visible(subject.reason)}</div>;
    case "plan":
      return (
        <div class="plan">
          <Markdown text={subject.text.slice(0, 20_000)} store={store} />
          <button type="button" class="link" onClick={() => store.post({ kind: "openText", title: subject.path, language: "markdown", text: subject.text })}>
            {oneLine(subject.path)}
          </button>
        </div>
      );
    case "stuck":
      return (
        <>
          <div>{oneLine(request.title)}</div>
          <pre class="subject" tabIndex={0}>
            {visible(subject.error)}
          </pre>
        </>
      );
    case "other":
      return (
        <pre class="subject" tabIndex={0}>
          {visible(subject.arguments)}
        </pre>
      );
    case "questions":
      return null;
  }
}

function Cautions({ cautions }: { cautions: string[] }) {
  return (
    <>
      {cautions.map((caution) => (
        <div key={caution} class="caution">
          <Icon name="warning" />
          <span>
            <Sentence text={caution} />
          </span>
        </div>
      ))}
    </>
  );
}
