import { expect, test } from "vitest";
import { testNames } from "./questions.ts";

test.each([
  ['test("plain", () => {})', ["plain"]],
  ['test.each([1, (2)])("of a list %i", () => {})', ["of a list %i"]],
  ['test.each<[string, (given: number) => void]>([["a", () => {}]])("with type arguments %s", () => {})', ["with type arguments %s"]],
  ['test.skipIf(process.platform === "win32")("not everywhere", () => {})', ["not everywhere"]],
  ['describe("group", () => { it("inside", () => {}) })', ["group", "inside"]],
])("finds the titles in %s", (source, names) => {
  expect(testNames(source)).toEqual(names);
});
