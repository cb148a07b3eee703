import { defineConfig } from "vitest/config";

/**
 * Two projects, run one after the other by tools/test.ts:
 * "tests" asks whether the code works, "checks" whether the repository still tells the truth about it
 * (copies in step, growth, texts). A student's own change may turn the second red, never the first.
 */
const common = {
  pool: "forks" as const,
  isolate: false,
  testTimeout: 20_000,
  env: { NO_COLOR: "1" },
  exclude: ["**/node_modules/**", "conformance/**"],
};

export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: "tests", include: ["{s,my_s}[0-9]*/**/*.test.ts", "shared/**/*.test.ts", "tools/**/*.test.ts"] } },
      { test: { ...common, name: "checks", include: ["tools/**/*.check.ts"] } },
    ],
  },
});
