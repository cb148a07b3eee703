import { expect, test } from "vitest";
import { nestingFault } from "./testing.ts";

const events = (...types: string[]) => types.map((type) => {
  const [name = "", toolCallId] = type.split(" ");
  return { type: name, ...(toolCallId === undefined ? {} : { toolCallId }) };
});

test.each([
  [["agent_start", "turn_start", "message_start", "message_update", "message_end", "turn_end", "agent_end"]],
  [["agent_start", "tool_execution_start a", "tool_execution_start b", "tool_execution_end a", "tool_execution_end b", "agent_end"]],
])("accepts %j", (types) => {
  expect(nestingFault(events(...types))).toBeUndefined();
});

test.each([
  [["agent_start"], "never ended: agent"],
  [["agent_start", "turn_start", "agent_end"], "agent ended before turn"],
  [["agent_start", "turn_end", "agent_end"], "turn ended without a start"],
  [["agent_start", "turn_start", "turn_start"], "turn started twice"],
  [["agent_start", "agent_end", "agent_end"], "agent_end after the end of the run"],
  [["agent_start", "message_update", "agent_end"], "message_update outside of its start and end"],
  [["agent_start", "turn_start", "tool_execution_start a", "turn_end", "agent_end"], "turn ended before tool_execution a"],
])("finds the fault in %j", (types, fault) => {
  expect(nestingFault(events(...types))).toBe(fault);
});
