// The modes in words.
import type { SessionMode } from "../../src/protocol";
import { t, type Words } from "../strings";

export const MODES: readonly { mode: SessionMode; name: Words; hint: Words }[] = [
  { mode: "plan", name: "modePlan", hint: "modePlanHint" },
  { mode: "default", name: "modeDefault", hint: "modeDefaultHint" },
  { mode: "autoEdit", name: "modeAutoEdit", hint: "modeAutoEditHint" },
  { mode: "yolo", name: "modeYolo", hint: "modeYoloHint" },
];

export function modeName(mode: string): string {
  const found = MODES.find((one) => one.mode === mode);
  return found ? t(found.name) : mode;
}
