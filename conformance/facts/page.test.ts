import { expect, test } from "vitest";
import { languages } from "../../shared/course.ts";
import { pages, written } from "./page.ts";

test.each(languages)("docs/pi-facts is fresh (%s); make it anew with npm run facts in conformance/", async (language) => {
  expect(written(language)).toBe((await pages())[language]);
});
