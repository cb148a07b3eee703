/** The real course against its promises: copies in step, growth within its limits, no lost or unused export, no word too early. */

import { test } from "vitest";
import { loadCourse } from "../shared/course.ts";
import { copyProblems, manifestProblems, standaloneProblems } from "./drift.ts";
import { hiddenExports, lostExports, unusedExports } from "./exports.ts";
import { fenceProblems } from "./fences.ts";
import { hasGit } from "./git.ts";
import { growth, growthProblems } from "./growth.ts";
import { report, type Problem } from "./problems.ts";

const course = loadCourse();

/** Fails with one line per problem: the file, what is wrong, what to do. */
function none(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new Error(`\n${report(problems)}`);
}

test("F1-01 lessons.json, the folders and the npm scripts name the same lessons", () => {
  none(manifestProblems(course));
});

test("a lesson imports its own files and shared/ only, and holds nothing that no check looks at", () => {
  none(standaloneProblems(course));
});

test("files that a lesson does not change are the same bytes as in the lesson before", () => {
  none(copyProblems(course));
});

test.skipIf(!hasGit())("the course grows: few deletions, and a large change has a reason", () => {
  none(growthProblems(course, growth(course)));
});

test("no export is lost from one lesson to the next, but for the listed upgrades", () => {
  none(lostExports(course));
});

test("every export is used in its lesson", () => {
  none([...unusedExports(course), ...hiddenExports(course)]);
});

test("F1-05 no fenced word is used before its lesson, and GLOSSARY.md has each term once", () => {
  none(fenceProblems(course));
});
