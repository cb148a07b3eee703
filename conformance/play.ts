/** The players that can be held against each other: the lesson that is compared, and both versions of Pi. */

import { playOnLesson } from "./lessons/driver.ts";
import { lessonsThatPlay, loadLesson } from "./lessons/load.ts";
import { playOnPi } from "./pi/driver.ts";
import { loadPi, versions } from "./pi/load.ts";
import { scenarioNamed } from "./scenarios.ts";
import type { Trace } from "./trace.ts";

export type Player = { name: string; kind: "lesson" | "pi"; play(scenario: string): Promise<Trace> };

/** The last lesson that can play, then Pi, oldest version first. */
export async function everyPlayer(): Promise<Player[]> {
  const lesson = await loadLesson(lessonsThatPlay().at(-1) ?? "");
  const pis = await Promise.all(versions.map(loadPi));
  return [
    { name: lesson.id, kind: "lesson", play: (name) => playOnLesson(lesson, scenarioNamed(name)) },
    ...pis.map((pi): Player => ({ name: `Pi ${pi.version}`, kind: "pi", play: (name) => playOnPi(pi, scenarioNamed(name)) })),
  ];
}
