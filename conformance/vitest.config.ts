import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", ".pi/**"],
    pool: "forks",
    isolate: false,
    testTimeout: 20_000,
    env: { NO_COLOR: "1" },
  },
});
