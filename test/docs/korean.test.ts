import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { koreanOf } from "../../tools/site/pages";
import { differences } from "./translation";

const labPages = readdirSync("docs/labs").filter((file) => file.endsWith(".md"));
const files = ["README.md", ...labPages.map((file) => `docs/labs/${file}`)];

test("each of these pages is in Korean, and there are no others", () => {
  const inKorean = readdirSync("docs/ko", { recursive: true, encoding: "utf8" }).filter((file) => file.includes("."));
  expect(inKorean.map((file) => `docs/ko/${file}`).sort()).toEqual(files.map(koreanOf).sort());
});

test.for(files)("the Korean page of %s is in step with it", (file) => {
  const pages = new Map([...files, ...files.map(koreanOf)].map((name) => [name, readFileSync(name, "utf8")]));
  expect(differences(file, pages)).toEqual([]);
});

describe("a page that is not in step", () => {
  const english = `# Lab

English | [한국어](../ko/labs/lab.md)

## Start

Run \`up\` **twice** within 20 minutes; see [the end](#the-end), [alerts](../alerts.md#cost) and [all](README.md).

\`\`\`sh
up # now
\`\`\`

<details><summary>Answer</summary>

| what | value |
| ---- | ----: |
| GPUs |     4 |

</details>

## The end

![The lab](lab.svg)

- It took two hours.
`;
  const korean = `# 실습

[English](../../labs/lab.md) | 한국어

## 시작

20분 안에 \`up\`을 **두 번** 실행합니다. [끝](#끝), [알림](../../alerts.md#cost), [전체](README.md)를 참고하세요.

\`\`\`sh
up # now
\`\`\`

<details><summary>정답</summary>

| 항목 | 값 |
| ---- | -: |
| GPU  |  4 |

</details>

## 끝

![실습](../../labs/lab.svg)

- 2시간이 걸렸습니다.
`;
  const compare = (translation: string) => {
    const pages = { "docs/labs/README.md": "# Labs\n", "docs/ko/labs/README.md": "# 실습\n" };
    const pair = { "docs/labs/lab.md": english, "docs/ko/labs/lab.md": translation };
    return differences("docs/labs/lab.md", new Map(Object.entries({ ...pages, ...pair })));
  };

  test("the sample is in step", () => {
    expect(compare(korean)).toEqual([]);
  });

  test.for([
    [
      "a heading of another level",
      "## 끝",
      "### 끝",
      "lab.md:21 has heading open h2, but docs/ko/labs/lab.md:21 has heading open h3",
    ],
    [
      "a missing heading",
      "## 끝\n\n",
      "",
      "lab.md:21 has heading open h2, but docs/ko/labs/lab.md:21 has paragraph open",
    ],
    [
      "another command",
      "up # now",
      "down",
      "lab.md:9 has the code block ```sh\nup # now\n```, but docs/ko/labs/lab.md:9",
    ],
    ["another language of code", "```sh", "```text", "has the code block ```text"],
    ["a missing fold", "<details><summary>정답</summary>\n\n", "", "has the HTML <details><summary></summary>, but"],
    ["a missing end of a fold", "</details>\n\n", "", "lab.md:19 has the HTML </details>, but"],
    ["a missing row", "| GPU  |  4 |\n", "", "has tbody open"],
    ["a missing column", / \| +(?:값|-:|4)(?= \|)/g, "", "has th"],
    ["another alignment", " -: |", " -- |", "style=text-align:right"],
    [
      "another number in a table",
      "|  4 |",
      "|  5 |",
      "lab.md:17: the number 4 is missing, the number 5 is not in English",
    ],
    ["another number in a text", "20분", "30분", "lab.md:7: the number 20 is missing, the number 30 is not in English"],
    ["another number than the word", "2시간", "3시간", "lab.md:25: the number 3 is not in English"],
    ["another inline code", "`up`", "`down`", "inline code: expected up; got down"],
    ["bold text that Markdown does not see", "**두 번** ", "**두 번.**은 ", "marks: expected strong; got none"],
    [
      "a link to an English heading",
      "#끝",
      "#the-end",
      "expected docs/alerts.md#cost, docs/ko/labs/README.md, docs/ko/labs/lab.md#끝; got",
    ],
    ["a link to another page", "alerts.md#cost", "drill.md", "got docs/drill.md"],
    ["a link to the English page", "(README.md)", "(../../labs/README.md)", "got docs/alerts.md#cost"],
    ["a copy of a picture", "../../labs/lab.svg", "lab.svg", "expected docs/labs/lab.svg; got docs/ko/labs/lab.svg"],
    ["text in English", "2시간이 걸렸습니다.", "It took two hours.", "lab.md:25: the text is not translated"],
    ["an added item", "- 2시간이", "- 하나.\n- 2시간이", "but docs/ko/labs/lab.md:26 has list item"],
    ["text after the end", "걸렸습니다.\n", "걸렸습니다.\n\n덧붙인 말.\n", "docs/labs/lab.md ends, but"],
  ] as const)("%s", ([, part, changed, message]) => {
    const translation = korean.replace(part, changed);
    expect(translation).not.toBe(korean);
    expect(compare(translation).join("\n")).toContain(message);
  });
});
