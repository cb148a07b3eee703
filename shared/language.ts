/** Which language to speak when nobody said. */

import type { Language } from "./course.ts";
import type { Io } from "./io.ts";

/** `LC_ALL`, else `LC_MESSAGES`, else `LANG`, else the system's locale: the first that is set decides. `zh…` is Chinese. */
export function detectLanguage(env: Io["env"], systemLocale: string = Intl.DateTimeFormat().resolvedOptions().locale): Language {
  const locale = env.LC_ALL || env.LC_MESSAGES || env.LANG || systemLocale;
  return locale.toLowerCase().startsWith("zh") ? "zh" : "en";
}
