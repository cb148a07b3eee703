/** A vitest reporter that prints nothing: it leaves the figures of a run in a file, for the closing line of `npm test`. */

import { writeFileSync } from "node:fs";
import type { Reporter } from "vitest/node";

/** A file that could not be loaded counts as one failed test, an error outside every test too. */
export type Counts = { passed: number; failed: number };

/** Name of the variable that holds the path of the file to write; without it nothing is written. */
export const countsVariable = "COURSE_TEST_COUNTS";

const reporter: Reporter = {
  onTestRunEnd(modules, errors) {
    const counts: Counts = { passed: 0, failed: errors.length };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed" || state === "failed") counts[state] += 1;
      }
    }
    const file = process.env[countsVariable];
    if (file) writeFileSync(file, JSON.stringify(counts));
  },
};

/** Vitest wants something it can call with `new`. */
export default function CountReporter(): Reporter {
  return reporter;
}
