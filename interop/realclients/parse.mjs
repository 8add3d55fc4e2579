// Parses texts as VS Code parses its files: a JSON array of texts on standard input becomes an
// array of {value, errors}.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { parse, printParseErrorCode } = createRequire(import.meta.url)("jsonc-parser");

const texts = JSON.parse(readFileSync(0, "utf8"));
const results = texts.map((text) => {
  const errors = [];
  // VS Code removes the byte order mark before it parses.
  const value = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
  return { value, errors: errors.map((e) => printParseErrorCode(e.error)) };
});
process.stdout.write(JSON.stringify(results));
