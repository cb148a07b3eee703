import { expect, test } from "vitest";
import { findLesson, lessonBefore, loadCourse } from "./course.ts";

const course = loadCourse();

test.each(["s05", "S05", "5", "05", "s05_tool_hook_boundary", "./s05_tool_hook_boundary", "s05_tool_hook_boundary/", ".\\s05_tool_hook_boundary\\", "a/b/s05"])(
  "F1-07 %s is s05, however it is spelled",
  (spelled) => {
    expect(findLesson(course, spelled).id).toBe("s05");
  },
);

test.each(["s99", "", "5x", "toString"])("%j is answered with the list of lessons", (spelled) => {
  expect(() => findLesson(course, spelled)).toThrow(new RegExp(`^unknown lesson "${spelled}"; lessons: s01, s02`));
});

test("a word with a line break is answered in one line", () => {
  expect(() => findLesson(course, "a\nb\u001b[31m")).toThrow(/^unknown lesson "a\\nb\\u001b\[31m"; lessons: [^\n]*$/);
});

test("the lesson before", () => {
  expect(lessonBefore(course, findLesson(course, "s02"))?.id).toBe("s01");
  expect(lessonBefore(course, findLesson(course, "s01"))).toBeUndefined();
});
