/** The comments in the READMEs that name the scenario behind an observed fact: `<!-- scenario: tool-one -->`. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { languages, loadCourse, type Language } from "../../shared/course.ts";

export type Marker = { scenario: string; file: string; lesson: string; language: Language };

/** Each scenario once per page, in the order of the lessons. */
export function markers(): Marker[] {
  const { root, lessons } = loadCourse();
  return lessons.flatMap(({ id, folder }) =>
    languages.flatMap((language) => {
      const file = `${folder}/README${language === "en" ? "" : ".zh"}.md`;
      if (!existsSync(join(root, file))) return [];
      const names = [...readFileSync(join(root, file), "utf8").matchAll(/<!--\s*scenario:\s*(.*?)\s*-->/g)].map((match) => match[1] ?? "");
      return [...new Set(names)].map((scenario) => ({ scenario, file, lesson: id, language }));
    }),
  );
}
