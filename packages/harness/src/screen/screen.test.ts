import assert from "node:assert/strict";
import { test } from "node:test";
import { Screen } from "./screen.ts";

const SIZE = { cols: 20, rows: 5 };

/** A screen, and what it has said by the time everything is drawn. */
const lab = (size = SIZE) => {
  const answers: string[] = [];
  const lines: string[] = [];
  const screen = new Screen({ ...size, answer: (text) => answers.push(text) });
  const draw = (text: string): Promise<void> =>
    new Promise((resolve) => {
      screen.write(Buffer.from(text), (off) => lines.push(...off));
      screen.inOrder(resolve);
    });
  return { screen, answers, lines, draw };
};

test("lines come out as they leave the screen, in order and once, however many there are", async () => {
  const { screen, lines, draw } = lab();
  const count = 20_000;
  await draw(Array.from({ length: count }, (_, index) => `line ${index}\r\n`).join(""));
  const all = [...lines, ...screen.rest()];
  assert.equal(lines.length, count - SIZE.rows + 1);
  assert.deepEqual(
    all,
    Array.from({ length: count }, (_, index) => `line ${index}`),
  );
});

test("a line that the terminal wrapped comes out as one", async () => {
  const { screen, lines, draw } = lab();
  const long = "0123456789".repeat(7);
  await draw(`${long}\r\nnext\r\n${"\r\n".repeat(10)}`);
  assert.deepEqual([...lines, ...screen.rest()].slice(0, 2), [long, "next"]);
});

test("an alternate screen and repaints leave no lines behind", async () => {
  const { lines, draw, screen } = lab();
  await draw("before\r\n\u001b[?1049h");
  for (let frame = 0; frame < 50; frame += 1) {
    await draw(`\u001b[H\u001b[2J${"frame\r\n".repeat(10)}`);
  }
  assert.equal(screen.text()[0], "frame");
  await draw("\u001b[?1049lafter\r\n");
  assert.deepEqual([...lines, ...screen.rest()], ["before", "after"]);
});

test("H-180 a repaint draws the same screen again, with what is above it and the modes that the serializer loses", async () => {
  const { screen, draw } = lab();
  await draw(
    `${"above\r\n".repeat(20)}\u001b[31mred\u001b[0m\u001b[2;4r\u001b[3;7H\u001b[?25l\u001b[?1006h\u001b[?2004h\u001b[4 q`,
  );
  const repaint = screen.repaint();
  const again = lab();
  await again.draw(repaint);
  assert.deepEqual(again.screen.text(), screen.text());
  assert.equal(again.screen.repaint(), repaint);
  assert.equal(repaint.match(/above/g)?.length, 20);
  for (const mode of ["\u001b[?25l", "\u001b[?1006h", "\u001b[?2004h", "\u001b[4 q", "\u001b[2;4r"]) {
    assert.ok(repaint.includes(mode), JSON.stringify(mode));
  }
  await draw("\u001bc");
  assert.ok(!screen.repaint().includes("\u001b[?25l"));
});

test("a program's questions are answered", async () => {
  const { answers, draw } = lab();
  await draw("ab\u001b[6n");
  assert.deepEqual(answers, ["\u001b[1;3R"]);
});

test("what is asked between two writes is seen between them", async () => {
  const { screen } = lab();
  const seen: string[] = [];
  screen.write(Buffer.from("one"), () => undefined);
  screen.inOrder(() => seen.push(screen.text()[0] ?? ""));
  screen.write(Buffer.from(" two"), () => undefined);
  await new Promise<void>((resolve) => screen.inOrder(resolve));
  assert.deepEqual(seen, ["one"]);
  assert.equal(screen.text()[0], "one two");
});

test("a resize gives nothing out twice and loses nothing", async () => {
  const { screen, lines, draw } = lab();
  const numbered = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => `line ${from + index}`);
  await draw(numbered(0, 30).join("\r\n"));
  screen.resize({ cols: SIZE.cols, rows: 12 });
  await draw(`\r\n${numbered(30, 60).join("\r\n")}`);
  screen.resize(SIZE);
  await draw(`\r\n${numbered(60, 90).join("\r\n")}`);
  assert.deepEqual([...lines, ...screen.rest()], numbered(0, 90));
});

test("a program that erases what is above the screen goes on being read", async () => {
  const { screen, lines, draw } = lab();
  await draw("old\r\n".repeat(20));
  await draw("\u001b[H\u001b[2J\u001b[3J");
  await draw("new\r\n".repeat(20));
  assert.equal([...lines, ...screen.rest()].filter((line) => line === "new").length, 20);
});
