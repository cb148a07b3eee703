/** Blocks that come from lessons.json: previous and next links, the table of lessons, the table for teachers. */

import type { Language, Lesson, Text } from "../../../shared/course.ts";
import { questionsOf } from "../questions.ts";
import { code, lessonOf, table, type Kind } from "./kind.ts";

const readme: Text = { en: "README.md", zh: "README.zh.md" };

export function titleOf(lesson: Lesson, language: Language): string {
  return `${lesson.id} ${lesson.title[language]}`;
}

const navWords = {
  en: { all: "All lessons", other: "中文" },
  zh: { all: "全部课程", other: "English" },
};

export const nav: Kind = {
  form: "section",
  usage: "<!-- nav --> … <!-- /nav -->",
  produce(given) {
    const { language } = given.page;
    const { lessons } = given.sources.course;
    const at = lessons.indexOf(lessonOf(given));
    const linkTo = (lesson: Lesson, text: string) => `[${text}](../${lesson.folder}/${readme[language]})`;
    const [before, after] = [lessons[at - 1], lessons[at + 1]];
    const words = navWords[language];
    return [
      ...(before ? [linkTo(before, `← ${titleOf(before, language)}`)] : []),
      `[${words.all}](../${readme[language]})`,
      `[${words.other}](${readme[language === "en" ? "zh" : "en"]})`,
      ...(after ? [linkTo(after, `${titleOf(after, language)} →`)] : []),
    ].join(" · ");
  },
};

const lessonsHead = {
  en: ["lesson", "the one idea", "minutes", "run"],
  zh: ["课程", "唯一的要点", "分钟", "运行"],
};

export const lessons: Kind = {
  form: "section",
  usage: "<!-- lessons --> … <!-- /lessons -->",
  produce({ sources, page: { language } }) {
    const rows = sources.course.lessons.map((lesson) => [
      `[${titleOf(lesson, language)}](${lesson.folder}/${readme[language]})`,
      lesson.goal[language],
      String(lesson.minutes),
      code(`npm run ${lesson.id}`),
    ]);
    return table(lessonsHead[language], rows);
  },
};

const teachersHead = {
  en: ["lesson", "goal", "minutes", "questions"],
  zh: ["课程", "目标", "分钟", "提问"],
};

export const teachers: Kind = {
  form: "section",
  usage: "<!-- teachers --> … <!-- /teachers -->",
  produce({ sources, page: { language } }) {
    const rows = sources.course.lessons.map((lesson) => [
      `[${titleOf(lesson, language)}](${lesson.folder}/${readme[language]})`,
      lesson.goal[language],
      String(lesson.minutes),
      questionsIn(sources.text(`${lesson.folder}/${readme[language]}`), language).join("<br>"),
    ]);
    return table(teachersHead[language], rows);
  },
};

function questionsIn(source: string | undefined, language: Language): string[] {
  return questionsOf(source ?? "", language).map(({ question }, index) => `${index + 1}. ${question}`);
}
