/**
 * s06: what a turn may rely on, taken once when the turn begins.
 * Still missing: the host cannot replace it for one request (s08).
 */

import type { AgentState } from "./messages.ts";
import type { ToolRegistry } from "./tools.ts";

/** The model and the tools, handlers included, of one turn. */
export type TurnSnapshot = {
  readonly model: string;
  readonly registry: ToolRegistry;
};

/** Takes the snapshot of a turn. Changes made to the state or the registry afterwards wait for the next turn. */
export function createTurnSnapshot(state: AgentState, registry: ToolRegistry): TurnSnapshot {
  return Object.freeze({ model: state.model, registry: registry.copy() });
}
