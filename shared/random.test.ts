import { expect, test } from "vitest";
import { seeded } from "./random.ts";

test("the same seed gives the same choices, another seed gives others", () => {
  const draw = (seed: number) => {
    const random = seeded(seed);
    return Array.from({ length: 50 }, () => random.below(10));
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(new Set(draw(7)).size).toBeGreaterThan(5);
});
