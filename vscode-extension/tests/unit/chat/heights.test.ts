import assert from "node:assert/strict";
import { test } from "node:test";
import { Heights } from "../../../webview/list/heights";
import { seeded } from "./random";

test("sums and places are those of a plain list, through growing, changing and cutting", () => {
  const random = seeded(7);
  const heights = new Heights();
  let plain: number[] = [];
  for (let round = 0; round < 3_000; round += 1) {
    const dice = random();
    if (dice < 0.6 || plain.length === 0) {
      const height = Math.floor(random() * 50);
      heights.push(height);
      plain.push(height);
    } else if (dice < 0.98) {
      const place = Math.floor(random() * plain.length);
      plain[place] = Math.floor(random() * 50);
      heights.set(place, plain[place]);
    } else {
      plain = plain.slice(0, Math.floor(plain.length * 0.8));
      heights.truncate(plain.length);
    }
    const place = Math.floor(random() * (plain.length + 1));
    const before = plain.slice(0, place).reduce((sum, height) => sum + height, 0);
    assert.equal(heights.before(place), before);
    const row = plain[place];
    // A row without height covers no place.
    if (row !== undefined && row > 0) assert.equal(heights.find(before + Math.floor(row / 2)), place);
  }
});
