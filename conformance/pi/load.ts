/** Finds an installed version of Pi, and the pi-ai that it uses. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { AgentClass, Faux, LoopFunctions, PiMessage } from "./types.ts";

/** The versions that the course names, the reference last. */
export const versions = ["1.0.3", "1.6.0"] as const;
export const reference = "1.6.0";

export type Pi = {
  version: string;
  piAi: string;
  core: LoopFunctions & { Agent: AgentClass };
  ai: {
    fauxProvider(options: unknown): Faux;
    fauxAssistantMessage(content: unknown, options?: unknown): PiMessage;
    createAssistantMessageEventStream(): { push(event: unknown): void; end(message?: unknown): void };
  };
};

const here = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where a version stands: beside this package's other packages, or in a folder of its own (`npm run conformance -- --pi`). */
export function folderOf(version: string): string | undefined {
  const places = [
    join(here, "node_modules", `pi-agent-core-${version}`),
    join(here, ".pi", version, "node_modules", "@earendil-works", "pi-agent-core"),
  ];
  return places.find((place) => existsSync(join(place, "package.json")));
}

/** @throws Error that says how to install it, when it is not there. */
export async function loadPi(version: string): Promise<Pi> {
  const folder = folderOf(version);
  if (folder === undefined) throw new Error(`Pi ${version} is not installed; npm run conformance installs it`);
  const aiFolder = packageBeside(folder, "@earendil-works/pi-ai");
  const [core, ai] = await Promise.all([importFrom(folder), importFrom(aiFolder)]);
  return { version: manifest(folder).version, piAi: manifest(aiFolder).version, core: core as Pi["core"], ai: ai as Pi["ai"] };
}

/** The package that a file in `folder` would get: the nearest on the way up. */
function packageBeside(folder: string, name: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const found = join(at, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
  }
  throw new Error(`${name} is missing beside ${folder}; install again: npm run conformance`);
}

type Manifest = { version: string; exports: { ".": { import: string } } };

function manifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function importFrom(folder: string): Promise<unknown> {
  return import(pathToFileURL(join(folder, manifest(folder).exports["."].import)).href);
}
