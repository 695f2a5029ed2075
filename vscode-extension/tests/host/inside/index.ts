// What the workbench loads: all tests, in this order.
import { clear } from "./window";
import { runAll } from "./suite";
import "./activation.host";
import "./commands.host";
import "./client.host";
import "./review.host";
import "./queries.host";

export function run(): Promise<void> {
  return runAll(clear);
}
