/** s15: how much a session may spend. Running out is told to the caller as what it is, never as an answer. */

/** A limit that is missing does not limit. Zero means that none is left. */
export type BudgetLimits = {
  /** Finished steps, whether they went well or not. */
  turns?: number;
  /** Calls that the gate let through. */
  toolCalls?: number;
  /** Since the session began, by the clock of the host. */
  seconds?: number;
};

export type Spent = Required<BudgetLimits>;
export type BudgetName = keyof BudgetLimits;

const names: readonly BudgetName[] = ["turns", "toolCalls", "seconds"];

/** @throws RangeError that names the limit, when it is unknown, negative or no number; turns and calls come in whole numbers. */
export function checkLimits(limits: BudgetLimits): void {
  if (typeof limits !== "object" || limits === null) throw new RangeError(`limits are an object with ${names.join(", ")}`);
  const unknown = Object.keys(limits).find((name) => !names.some((known) => known === name));
  if (unknown !== undefined) throw new RangeError(`unknown limit ${unknown}; limits: ${names.join(", ")}`);
  for (const name of names) {
    const limit = limits[name];
    if (limit === undefined) continue;
    const fits = name === "seconds" ? Number.isFinite(limit) : Number.isInteger(limit);
    if (!fits || limit < 0) throw new RangeError(`the limit of ${name} must be ${name === "seconds" ? "a" : "a whole"} number, 0 or more; it is ${limit}`);
  }
}

/** The limit that the next step would break, or undefined. A step without a tool needs no call. */
export function exceededBy(limits: BudgetLimits, spent: Spent, needsTool: boolean): BudgetName | undefined {
  return names.find((name) => (name !== "toolCalls" || needsTool) && spent[name] >= (limits[name] ?? Infinity));
}

/** The limits of which a fifth or less is left. */
export function nearlySpent(limits: BudgetLimits, spent: Spent): BudgetName[] {
  return names.filter((name) => spent[name] > 0 && spent[name] >= 0.8 * (limits[name] ?? Infinity));
}
