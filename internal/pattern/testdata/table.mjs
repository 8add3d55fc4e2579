// Writes what ECMA-262 makes of expressions and texts, for TestTable:
//
//	node testdata/table.mjs > testdata/table.json
//
// Each line has an expression, and for each of the texts of the first line whether it matches in
// Unicode mode, as 1 or 0; or null where it is no expression there.
const texts = [''];
for (const c of [0, 7, 8, 9, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1f, 0x20, 0x21, 0x24, 0x2d, 0x2e, 0x2f, 0x30, 0x39, 0x41, 0x5a, 0x5f, 0x61, 0x62,
  0x7a, 0x7f, 0x85, 0xa0, 0xb5, 0xc0, 0xdf, 0xe9, 0xff, 0x130, 0x17f, 0x2b0, 0x378, 0x660, 0x1680, 0x180e, 0x1fff, 0x2000, 0x200a, 0x200b, 0x2010,
  0x2028, 0x2029, 0x202f, 0x2030, 0x205f, 0x2060, 0x212a, 0x3000, 0x3001, 0x4e00, 0xd7ff, 0xe000, 0xfefe, 0xfeff, 0xff00, 0xfffd, 0x1f600, 0x10ffff]) {
  texts.push(String.fromCodePoint(c));
}
texts.push('ab', 'a b', 'a\nb', 'a\r\nb', 'a\u2028b', ' a', 'a ', '\u00a0a', 'é1', '1é', '_a', 'a.b', 'a-b', 'aa', 'aaa', 'b\n', '\nb', '\u{1f600}\u{1f600}', 'A1', 'a\u00a0b', '[', ']', 'x:y');
const atoms = ['\\s', '\\S', '.', '\\w', '\\W', '\\d', '\\D', '[\\s]', '[\\S]', '[^\\s]', '[^\\S]', '[\\s\\d]', '[\\Sa]', '[^\\s\\d]', '[^.]', '[.]', '[\\w-]',
  '[^a]', '[a-z]', '[^a-z]', '\\p{L}', '\\P{L}', '\\p{Lu}', '\\p{N}', '[\\p{Zs}]', '[^\\p{L}\\s]', '\\p{Cc}', '\\p{Z}', '\\p{C}', '\\x0b', '\\xa0', '\\v', '\\t', '\\f', '\\n', '\\r', '\\$', '\\/',
  '[$^.*+?(){}|]', '[\\]]', '[^]', '[]', '[\\[]', '[[]', '\\b', '\\B', '^', '$', '(?:)', 'a', 'é', '\u{1f600}', '\\\\'];
const shapes = [(x) => x, (x) => `^${x}$`, (x) => `^${x}+$`, (x) => `^a${x}b$`, (x) => `\\b${x}`, (x) => `${x}\\B`, (x) => `(${x}|b)${x}`, (x) => `^${x}{2}?`, (x) => `(?<n>${x})*$`];
const more = ['a{,2}', 'a{', '}', ']', '{', 'a**', 'a++', 'a?+', 'a{2}{3}', '\\A', '\\z', '\\Z', '\\Qa\\E', '[[:alpha:]]', '(?i)a', '(?i:a)', '(?P<n>a)', '\\cJ', '\\0', '\\07', '\\u0041',
  '\\u{41}', '\\x{41}', '\\a', '\\e', '(?=a)', '(?!a)', '(?<=a)', '(?<!a)', '(a)\\1', '\\k<n>', '[b-a]', '[a-\\d]', '[\\d-a]', '\\pL', '\\p{Greek}', '\\p{^L}', '[a&&b]', '[a--b]', 'a|', '|', '()', '(|a)', '\\-', '[\\-]', '\\_', '\\@', 'a{3,2}', '^*', '\\b+', '(?#a)'];
console.log(JSON.stringify(texts));
for (const e of [...atoms.flatMap((x) => shapes.map((f) => f(x))), ...more]) {
  let found = null;
  try {
    const re = new RegExp(e, 'u');
    found = texts.map((s) => (re.test(s) ? '1' : '0')).join('');
  } catch {}
  console.log(JSON.stringify([e, found]));
}
