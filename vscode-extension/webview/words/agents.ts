// A sub-agent is named by the title of its call, before what it is to do.
export function agentName(title: string): string {
  const line = title.split("\n", 1)[0] ?? "";
  const end = line.indexOf(": ");
  return end === -1 ? line : line.slice(0, end);
}

export function agentJob(title: string): string {
  return title.slice(agentName(title).length).replace(/^: /, "");
}

/** The whole job, as the model has put it. The arguments may have been cut on the way. */
export function wholeJob(input: string): string | undefined {
  try {
    const args: unknown = JSON.parse(input);
    return typeof args === "object" && args !== null && "prompt" in args && typeof args.prompt === "string" ? args.prompt : undefined;
  } catch {
    return undefined;
  }
}

/** What a sub-agent hands in, without the words around it that are for the model. */
export function agentReport(output: string): string {
  return output.replace(/^Subagent '[^\n]*' finished\.\nTermination Reason: \w+\nResult:\n/, "");
}
