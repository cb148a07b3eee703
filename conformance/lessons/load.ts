/** Loads the code of one lesson, by its id. The types are those of the earliest lesson that can play; later ones add to them. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findLesson, loadCourse } from "../../shared/course.ts";

export type LessonModules = {
  id: string;
  loop: typeof import("../../s14_steering/loop.ts");
  messages: typeof import("../../s14_steering/messages.ts");
  tools: typeof import("../../s14_steering/tools.ts");
  events: typeof import("../../s14_steering/events.ts");
  convert: typeof import("../../s14_steering/convert.ts");
  /** From s14 on. */
  session?: typeof import("../../s14_steering/session.ts");
};

/** The earliest lesson with all nine hooks. */
export const firstLesson = "s10";

/** The last lesson that is compared: after it come no new hooks of the loop. */
export const lastLesson = "s14";

const sessionFrom = "s14";

/** The lessons that can play, of those that exist. */
export function lessonsThatPlay(): string[] {
  return loadCourse().lessons.map(({ id }) => id).filter((id) => id >= firstLesson && id <= lastLesson);
}

/**
 * `compiled`: a folder that stands for the root and holds JavaScript; see bench/compile.ts.
 * @throws RangeError when the lesson does not exist or has not all hooks.
 */
export async function loadLesson(id: string, compiled?: string): Promise<LessonModules> {
  const known = lessonsThatPlay();
  if (!known.includes(id)) throw new RangeError(`lesson ${id} cannot play; these can: ${known.join(", ")}`);
  const course = loadCourse();
  const { folder } = findLesson(course, id);
  const load = (file: string) =>
    import(pathToFileURL(compiled === undefined ? join(course.root, folder, file) : join(compiled, folder, file.replace(/\.ts$/, ".js"))).href);
  const [loop, messages, tools, events, convert] = await Promise.all(
    ["loop.ts", "messages.ts", "tools.ts", "events.ts", "convert.ts"].map(load),
  );
  const session = id < sessionFrom ? {} : { session: await load("session.ts") };
  return { id, loop, messages, tools, events, convert, ...session };
}
