// Talks to the scripted model through Google's own SDK and prints what the SDK made of it, as one
// JSON object. Arguments: the folder in which the SDK is installed, and the server's URL.
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, baseUrl] = process.argv.slice(2);
const { GoogleGenAI } = createRequire(join(folder, "package.json"))("@google/genai");

// A server that hangs must not hang the test.
setTimeout(() => {
  console.error("the SDK got no answer within a minute");
  process.exit(3);
}, 60_000).unref();

const gemini = new GoogleGenAI({ apiKey: "test-key", httpOptions: { baseUrl } });
const vertex = new GoogleGenAI({ vertexai: true, apiKey: "test-key", httpOptions: { baseUrl } });

const seen = {
  stream: await stream(gemini),
  splitStream: await stream(gemini),
  vertexStream: await stream(vertex),
  whole: (await gemini.models.generateContent({ model: "m", contents: "hi" })).text,
  tokens: (await gemini.models.countTokens({ model: "m", contents: "hi" })).totalTokens,
  error: await failure(),
};
console.log(JSON.stringify(seen));

async function stream(client) {
  const result = { text: "", thoughts: "", calls: [], citations: [] };
  const chunks = await client.models.generateContentStream({ model: "gemini-test", contents: "hi" });
  for await (const chunk of chunks) {
    const candidate = chunk.candidates[0];
    for (const part of candidate.content?.parts ?? []) {
      if (part.functionCall) {
        result.calls.push({ ...part.functionCall, signature: part.thoughtSignature });
      } else if (part.thought) {
        result.thoughts += part.text;
      } else {
        result.text += part.text;
      }
    }
    result.citations.push(...(candidate.citationMetadata?.citations ?? []));
    result.finish = candidate.finishReason ?? result.finish;
    result.tokens = chunk.usageMetadata?.totalTokenCount ?? result.tokens;
  }
  return result;
}

async function failure() {
  try {
    await gemini.models.generateContentStream({ model: "gemini-test", contents: "hi" });
    return null;
  } catch (error) {
    return { name: error.name, status: error.status, body: JSON.parse(error.message) };
  }
}
