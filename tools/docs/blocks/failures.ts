/** `<!-- failures -->`: what goes wrong in a lesson, what then happens, and the case or test that shows it. */

import type { Lesson } from "../../../shared/course.ts";
import type { Failure } from "../sources.ts";
import { BlockError, code, lessonOf, table, type Kind } from "./kind.ts";

const head = {
  en: ["what fails", "what happens", "shown by"],
  zh: ["出了什么错", "结果如何", "由谁证明"],
};

export const failures: Kind = {
  form: "section",
  usage: "<!-- failures --> … <!-- /failures -->",
  produce(given) {
    const lesson = lessonOf(given);
    const { language } = given.page;
    const rows = given.sources.failures.filter((each) => each.lesson === lesson.id);
    if (rows.length === 0) throw new BlockError(`no row belongs to ${lesson.id}; leave the marker out`);
    return table(
      head[language],
      rows.map((row) => [
        row[language].what,
        row[language].happens,
        row.shown.map((each) => shownBy(each, lesson)).join("<br>"),
      ]),
    );
  },
};

function shownBy(proof: Failure["shown"][number], lesson: Lesson): string {
  if ("case" in proof) return code(`npm run ${proof.case}`);
  const path = proof.test.startsWith(`${lesson.folder}/`)
    ? proof.test.slice(lesson.folder.length + 1)
    : `../${proof.test}`;
  return `[${path.split("/").at(-1)}](${path}): ${proof.name}`;
}
