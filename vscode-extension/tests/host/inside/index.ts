// What the workbench loads: all tests, in this order.
import { clear } from "./window";
import { runAll } from "./suite";
import "./activation.host";
import "./client.host";
import "./review.host";
import "./commands.host";

export function run(): Promise<void> {
  return runAll(clear);
}
