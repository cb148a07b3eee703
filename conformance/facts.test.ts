/** Every sentence holds on both versions, and every README names only scenarios about which there is one. */

import { describe, expect, test } from "vitest";
import { facts } from "./facts.ts";
import { markers } from "./facts/markers.ts";
import { playOnPi } from "./pi/driver.ts";
import { loadPi, versions } from "./pi/load.ts";
import { scenarioNamed, scenarios } from "./scenarios.ts";
import type { Trace } from "./trace.ts";

describe.each(versions)("on Pi %s", async (version) => {
  const pi = await loadPi(version);
  test.each(facts)("$scenario: $says.en", async ({ scenario, holds }) => {
    expect(holds(await playOnPi(pi, scenarioNamed(scenario)), version)).toBe(true);
  });
});

test("a sentence says something: it does not hold for most of the other scenarios too", async () => {
  const pi = await loadPi("1.6.0");
  const traces: Trace[] = [];
  for (const scenario of scenarios) traces.push(await playOnPi(pi, scenario));
  const empty = facts.filter(({ holds }) => traces.filter((trace) => holds(trace, "1.6.0")).length > traces.length / 2);
  expect(empty.map(({ scenario }) => scenario)).toEqual([]);
});

test("every scenario has its sentence, once", () => {
  const told = facts.map(({ scenario }) => scenario).sort();
  expect(told).toEqual(scenarios.map(({ name }) => name).sort());
});

describe("the markers in the READMEs", () => {
  const found = markers();

  test("there are some, in both languages", () => {
    for (const language of ["en", "zh"]) expect(found.filter((marker) => marker.language === language).length).toBeGreaterThan(50);
  });

  test.each(found)("$file names $scenario", ({ scenario }) => {
    expect(facts.map((fact) => fact.scenario)).toContain(scenario);
  });
});
