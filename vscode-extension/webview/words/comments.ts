// Comments on lines go to the model as one prompt, in a form that it reads well and a person does not.

export interface SentComment {
  path: string;
  line: number;
  quoted: string;
  text: string;
}

const HEAD = "The person commented on these lines:\n";
const COMMENT = /\n<comment path="([^"\n]*)" line="(\d+)">\n> ?([^\n]*)\n([\s\S]*?)\n<\/comment>\n/g;

/** Nothing if the prompt is anything else, or more than that: then it is shown as it is. */
export function sentComments(prompt: string): SentComment[] | undefined {
  if (!prompt.startsWith(HEAD)) {
    return undefined;
  }
  const body = prompt.slice(HEAD.length);
  const ended = body.endsWith("\n") ? body : `${body}\n`;
  const comments: SentComment[] = [];
  const rest = ended.replace(COMMENT, (_, path: string, line: string, quoted: string, text: string) => {
    comments.push({ path, line: Number(line), quoted: quoted.trim(), text });
    return "";
  });
  return comments.length > 0 && rest.trim() === "" ? comments : undefined;
}
