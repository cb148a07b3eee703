/** Every observed sentence about Pi in the course, with the scenario that proves it and the check that its outcome is what it says. */

import { callFacts } from "./facts/calls.ts";
import type { Fact } from "./facts/kinds.ts";
import { sessionFacts } from "./facts/sessions.ts";
import { turnFacts } from "./facts/turns.ts";

export const facts: readonly Fact[] = [...turnFacts, ...callFacts, ...sessionFacts];
