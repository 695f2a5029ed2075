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

/** What a sub-agent hands in, as Markdown, without the words around it that are for the model. */
export function agentReport(output: string): string {
  const report = output.replace(/^Subagent '[^\n]*' finished\.\nTermination Reason: \w+\nResult:\n/, "");
  if (!report.startsWith("{")) return report;
  try {
    return shaped(JSON.parse(report) as Record<string, unknown>);
  } catch {
    // It was cut on the way, or only looks like it.
    return report;
  }
}

/** A result of a shape that its author has wanted: its only text, or each part under its name. */
function shaped(result: Record<string, unknown>): string {
  const parts = Object.entries(result);
  const [only] = parts;
  if (only && parts.length === 1 && typeof only[1] === "string") return only[1];
  return parts.map(([name, value]) => `**${spaced(name)}**\n\n${part(value)}`).join("\n\n");
}

function part(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.map((one) => `- ${one.replaceAll("\n", " ")}`).join("\n");
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** `RelevantLocations` and `relevant_locations` are names of fields; people read words. */
function spaced(name: string): string {
  const words = name.replaceAll("_", " ").replaceAll(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
