import { expect, test } from "vitest";
import { detectLanguage } from "./language.ts";

test.each([
  [{ LC_ALL: "zh_CN.UTF-8", LANG: "en_US.UTF-8" }, "zh"],
  [{ LC_ALL: "", LC_MESSAGES: "zh_TW.UTF-8", LANG: "en_US.UTF-8" }, "zh"],
  [{ LC_ALL: "C", LANG: "zh_CN.UTF-8" }, "en"],
  [{ LC_MESSAGES: "en_GB", LANG: "zh_CN.UTF-8" }, "en"],
  [{ LANG: "zh_CN.UTF-8" }, "zh"],
  [{ LANG: "ZH" }, "zh"],
  [{ LANG: "de_DE.UTF-8" }, "en"],
] as const)("%o speaks %s", (env, language) => {
  expect(detectLanguage(env, language === "zh" ? "en-US" : "zh-CN")).toBe(language);
});

test.each([["zh-Hans-CN", "zh"], ["fr-FR", "en"]] as const)("with nothing set, the system's %s speaks %s", (locale, language) => {
  expect(detectLanguage({}, locale)).toBe(language);
});
