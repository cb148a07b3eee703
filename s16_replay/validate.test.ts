import { expect, test } from "vitest";
import { problemWith, shapeOf, type Schema } from "./validate.ts";

const person: Schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    age: { type: "integer", minimum: 0 },
    mood: { type: "string", enum: ["good", "bad"] },
    tags: { type: "array", items: { type: "string" } },
    home: { type: "object", properties: { zip: { type: "number" } }, required: ["zip"] },
    happy: { type: "boolean" },
  },
  required: ["name"],
};

test.each<[Schema, unknown]>([
  [person, { name: "Ada" }],
  [person, { name: "", age: 0, mood: "bad", tags: [], home: { zip: 1.5 }, happy: false }],
  [person, { name: "Ada", unknown: "is left alone" }],
  [{ type: "object" }, {}],
  [{ type: "array" }, [1, "x", null]],
  [{ type: "number" }, -0.5],
])("%j accepts %j", (schema, value) => {
  expect(problemWith(schema, value)).toBeUndefined();
});

test.each<[unknown, string]>([
  [{}, "name is missing"],
  [JSON.parse('{"__proto__": {"name": "Ada"}}'), "name is missing"],
  [Object.create({ name: "Ada" }), "name is missing"],
  [{ name: undefined }, "name must be string, not undefined"],
  [{ name: null }, "name must be string, not null"],
  [{ name: "Ada", age: -1 }, "age must be integer from 0, not -1"],
  [{ name: "Ada", age: 1.5 }, "age must be integer from 0, not 1.5"],
  [{ name: "Ada", age: "1" }, 'age must be integer from 0, not "1"'],
  [{ name: "Ada", age: Number.NaN }, "age must be integer from 0, not null"],
  [{ name: "Ada", mood: "so-so" }, 'mood must be "good" | "bad", not "so-so"'],
  [{ name: "Ada", tags: "x" }, 'tags must be array of string, not "x"'],
  [{ name: "Ada", tags: ["x", 7] }, "tags[1] must be string, not 7"],
  [{ name: "Ada", home: {} }, "home.zip is missing"],
  [{ name: "Ada", home: { zip: "1" } }, 'home.zip must be number, not "1"'],
  [{ name: "Ada", home: [] }, "home must be an object, not []"],
  [{ name: "Ada", happy: 0 }, "happy must be boolean, not 0"],
  ["text", 'arguments must be an object, not "text"'],
  [undefined, "arguments must be an object, not undefined"],
])("refuses %j and says why", (value, problem) => {
  expect(problemWith(person, value)).toBe(problem);
});

test("the shape of a schema, in short", () => {
  expect(shapeOf(person)).toBe('{ name: string, age?: integer from 0, mood?: "good" | "bad", tags?: array of string, home?: { zip: number }, happy?: boolean }');
  expect(shapeOf({ type: "object" })).toBe("{}");
});
