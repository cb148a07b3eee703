/** What a check finds, and the lines in which it says so. */

export type Problem = {
  /** Relative to the root of the course, with `/`; a folder ends in `/`. */
  file: string;
  /** What is wrong. */
  message: string;
  /** What to do about it. */
  remedy: string;
};

/** One line per problem; the empty text when there is none. Made for `expect(report(problems)).toBe("")`. */
export function report(problems: readonly Problem[]): string {
  return problems.map(({ file, message, remedy }) => `${file}: ${message} -> ${remedy}`).join("\n");
}
