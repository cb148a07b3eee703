/** s09: whether arguments fit the schema of a tool, and in one sentence what does not fit. */

/** The part of JSON Schema that this course teaches. What an object has beyond its properties is left alone. */
export type Schema =
  | ObjectSchema
  | { type: "array"; items?: Schema }
  | { type: "string"; enum?: readonly string[] }
  | { type: "number" | "integer"; minimum?: number }
  | { type: "boolean" };

export type ObjectSchema = {
  type: "object";
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
};

/** The first thing that does not fit, as a text for the model, or undefined when all fits. `name` is what the value is called. */
export function problemWith(schema: Schema, value: unknown, name = "arguments"): string | undefined {
  switch (schema.type) {
    case "object":
      return isObject(value) ? problemWithProperties(schema, value, name) : mismatch(schema, value, name);
    case "array":
      if (!Array.isArray(value)) return mismatch(schema, value, name);
      return firstProblem(value, (item, index) => schema.items && problemWith(schema.items, item, `${name}[${index}]`));
    case "string":
      return typeof value === "string" && (schema.enum?.includes(value) ?? true) ? undefined : mismatch(schema, value, name);
    case "boolean":
      return typeof value === "boolean" ? undefined : mismatch(schema, value, name);
    default:
      return fitsNumber(schema, value) ? undefined : mismatch(schema, value, name);
  }
}

function problemWithProperties(schema: ObjectSchema, value: Record<string, unknown>, name: string): string | undefined {
  const inside = (key: string) => (name === "arguments" ? key : `${name}.${key}`);
  const missing = schema.required?.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `${inside(missing)} is missing`;
  return firstProblem(Object.entries(schema.properties ?? {}), ([key, each]) =>
    Object.hasOwn(value, key) ? problemWith(each, value[key], inside(key)) : undefined,
  );
}

function firstProblem<Item>(items: readonly Item[], problemOf: (item: Item, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const problem = problemOf(item, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fitsNumber(schema: { type: "number" | "integer"; minimum?: number }, value: unknown): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  if (schema.type === "integer" && !Number.isInteger(value)) return false;
  return value >= (schema.minimum ?? -Infinity);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mismatch(schema: Schema, value: unknown, name: string): string {
  return `${name} must be ${schema.type === "object" ? "an object" : shapeOf(schema)}, not ${preview(value)}`;
}

const PREVIEW = 40;

/** The value as the model wrote it, cut short: a broken argument may be very long. */
function preview(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}

/** The shape that a schema asks for, in short: `{ text: string, times?: integer }`. */
export function shapeOf(schema: Schema): string {
  if (schema.type === "array") return schema.items ? `array of ${shapeOf(schema.items)}` : "array";
  if (schema.type === "string" && schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  if ("minimum" in schema) return `${schema.type} from ${schema.minimum}`;
  if (schema.type !== "object") return schema.type;
  const fields = Object.entries(schema.properties ?? {}).map(([key, each]) => `${key}${schema.required?.includes(key) ? "" : "?"}: ${shapeOf(each)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
