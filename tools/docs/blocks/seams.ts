/** `<!-- seams -->`: the hook table of a lesson, made by running it. */

import { seamLessons, seamTable } from "../../seams.ts";
import { BlockError, lessonOf, type Kind } from "./kind.ts";

export const seams: Kind = {
  form: "section",
  usage: "<!-- seams --> … <!-- /seams -->",
  produce(given) {
    const { id } = lessonOf(given);
    const lesson = seamLessons.find((each) => each === id);
    if (!lesson) throw new BlockError(`${id} has no hook table; lessons: ${seamLessons.join(", ")}`);
    return seamTable(lesson, given.page.language);
  },
};
