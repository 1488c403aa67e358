import assert from "node:assert/strict";
import { test } from "node:test";
import { citation, type Selected } from "../src/citation.ts";

const at = (startLine: number, endLine = startLine, endCharacter = 3): Selected => ({ startLine, endLine, endCharacter });

test("a cursor is a line, numbered from 1", () => {
  assert.equal(citation("src/a.py", [at(0, 0, 0)]), "src/a.py:1");
  assert.equal(citation("src/a.py", [at(23)]), "src/a.py:24");
});

test("a selection over lines is a range", () => {
  assert.equal(citation("src/a.py", [at(23, 25)]), "src/a.py:24-26");
});

test("a selection that ends at the first character of a line leaves that line out", () => {
  assert.equal(citation("a.py", [at(23, 26, 0)]), "a.py:24-26");
  assert.equal(citation("a.py", [at(23, 24, 0)]), "a.py:24");
});

test("several selections are a list in the order of the file, joined where they touch", () => {
  assert.equal(citation("a.py", [at(20, 24), at(9)]), "a.py:10,21-25");
  assert.equal(citation("a.py", [at(4, 5), at(6, 8), at(5)]), "a.py:5-9");
  assert.equal(citation("a.py", [at(1, 8), at(3)]), "a.py:2-9");
});
