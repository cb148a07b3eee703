/** For tests only: a fake provider whose refusals and left-over answers fail the test that made it. */

import { onTestFinished } from "vitest";
import { FakeProvider, type FakeOptions, type Script } from "./fake-provider.ts";
import type { WireRequest } from "./history.ts";

/** Must be called inside a test. The test fails at its end when a request was refused or a scripted answer was not asked for. */
export function scripted<Request extends WireRequest, Event extends { type: string }>(
  script: Script<Request, Event>,
  options: FakeOptions = {},
): FakeProvider<Request, Event> {
  const provider = new FakeProvider<Request, Event>(script, options);
  onTestFinished(() => {
    if (provider.refusals.length > 0) throw new Error(provider.refusals.join("\n"));
    if (provider.left > 0) throw new Error(`${provider.left} scripted answers are left over`);
  });
  return provider;
}
