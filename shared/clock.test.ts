import { expect, test } from "vitest";
import { manualClock, passTime } from "./clock.ts";

test("wakes in order of time, not of asking, and tells the time", async () => {
  const clock = manualClock();
  const woken: string[] = [];
  for (const ms of [30, 10, 20]) void clock.wait(ms).then(() => woken.push(`${ms} at ${clock.now()}`));
  await clock.advance(25);
  expect(woken).toEqual(["10 at 10", "20 at 20"]);
  expect(clock.now()).toBe(25);
  await clock.advance(5);
  expect(woken).toEqual(["10 at 10", "20 at 20", "30 at 30"]);
});

test("who sleeps again while time moves is woken again", async () => {
  const clock = manualClock();
  const woken: number[] = [];
  const twice = async () => {
    await clock.wait(10);
    await clock.wait(10);
    woken.push(clock.now());
  };
  void twice();
  await clock.advance(30);
  expect(woken).toEqual([20]);
});

test("an aborted signal ends the waiting with its reason", async () => {
  const clock = manualClock();
  const controller = new AbortController();
  const waiting = clock.wait(10, controller.signal);
  controller.abort("enough");
  await expect(waiting).rejects.toBe("enough");
  await expect(clock.wait(10, controller.signal)).rejects.toBe("enough");
});

test("time passes until the work has settled, and not for ever", async () => {
  const clock = manualClock();
  expect(await passTime(clock, clock.wait(7).then(() => clock.now()))).toBe(7);
  await expect(passTime(clock, clock.wait(1).then(() => Promise.reject(new Error("no"))))).rejects.toThrow("no");
  const endless = async () => {
    for (;;) await clock.wait(1);
  };
  await expect(passTime(clock, endless(), 20)).rejects.toThrow("still not settled after 20 ms");
});
