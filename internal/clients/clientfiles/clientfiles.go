// Package clientfiles contains files of clients in every known form, for tests.
package clientfiles

import (
	"fmt"
	"strings"
)

// long returns a list of members of about 2 MB.
func long(member string) string {
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, member, i)
	}
	return b.String()
}

// JSON contains files that can be changed. The object of entries is mcpServers.
var JSON = map[string]string{
	"empty":                   "",
	"blank":                   " \n\n",
	"bom alone":               "\xef\xbb\xbf",
	"comment alone":           "// mine\n",
	"comment without end":     "/* mine */",
	"object":                  "{}",
	"object and line":         "{}\n",
	"object of lines":         "{\n}\n",
	"object with comment":     "{ // mine\n}\n",
	"object with block":       "{/* mine */}",
	"other members":           "{\n    \"a\": 1.50e+01, // one\n    \"b\": [1, 2,],\n    // last\n}\n",
	"no comma":                "{\n  \"a\": {\"x\": 1} // one\n}",
	"tabs":                    "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"x\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n",
	"minified":                `{"a":1,"mcpServers":{"x":{"command":"x"}}}`,
	"minified and empty":      `{"a":1,"mcpServers":{}}`,
	"minified without it":     `{"a":1}`,
	"one line":                `{ "a": 1, "mcpServers": { "x": { "command": "x" } }, }`,
	"crlf":                    "{\r\n  \"mcpServers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n",
	"crlf and bom":            "\xef\xbb\xbf{\r\n  \"a\": 1 // \"\r\n}\r\n",
	"empty entries":           "{\n  \"mcpServers\": {},\n  \"z\": null\n}\n",
	"empty entries, lines":    "{\n  \"mcpServers\": {\n  }\n}\n",
	"empty entries, comment":  "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
	"entries, comments":       "// top\n{\n  \"mcpServers\": {\n    // x\n    \"x\": {} /* behind */, // line\n    // tail\n  }, // after\n}\n// end\n",
	"comma on the next line":  "{\n  \"mcpServers\": {\n    \"x\": {}\n    , \"y\": {}\n  }\n}",
	"comment before comma":    "{\n  \"mcpServers\": {\n    \"x\": {} // c\n    ,\n  }\n}",
	"block over lines":        "{\n  \"mcpServers\": {\n    \"x\": {}, /* a\n b */ }\n}",
	"names with escapes":      `{"mcp\u0053ervers": {"\u0078": {"a": "\"}{,//"}}}`,
	"numbers as spelled":      `{"a": 1.0000000000000000000001, "b": 1E400, "c": -0}`,
	"text that looks like it": `{"a": "\"mcpServers\": {", "b": {"mcpServers": {"n": 1}}}`,
	"duplicates elsewhere":    `{"a": {"x": 1, "x": 2}}`,
	"large":                   "{\n" + long("  \"member%[1]d\": {\"a\": [%[1]d, \"some text\"]},\n") + "  \"z\": 1\n}\n",
}

// BrokenJSON contains files that must not be changed.
var BrokenJSON = map[string]string{
	"unclosed":         `{"mcpServers": {"x": {}}`,
	"unclosed string":  `{"a": "b}`,
	"no comma":         `{"a": 1 "b": 2}`,
	"two values":       `{} {}`,
	"two commas":       `{"a": 1,, "b": 2}`,
	"array":            `[]`,
	"string":           `"x"`,
	"unclosed comment": `{} /* x`,
	"slash":            `{} /`,
	"entries array":    `{"mcpServers": []}`,
	"entries null":     `{"mcpServers": null}`,
	"entries twice":    `{"mcpServers": {}, "mcpServers": {}}`,
	"entry twice":      `{"mcpServers": {"n": 1, "n": 2}}`,
	"single quotes":    `{'a': 1}`,
	"bare name":        `{a: 1}`,
	"control":          "{\"a\": \"\x00\"}",
	"number":           `{"a": 01}`,
	"word":             `{"a": yes}`,
	"utf-16":           "\xff\xfe{\x00}\x00",
	"deep":             strings.Repeat("[", 5000),
	"deep object":      strings.Repeat(`{"a":`, 5000),
	"escape":           `{"a\q": 1}`,
}

// TOML contains files that can be changed. The table of entries is mcp_servers.
var TOML = map[string]string{
	"empty":               "",
	"blank":               "\n\n",
	"bom alone":           "\xef\xbb\xbf",
	"comment alone":       "# mine\n",
	"comment without end": "# mine",
	"keys":                "model = \"o\"\nn = 1_000\n",
	"no line end":         "model = \"o\"",
	"blanks at the end":   "model = \"o\"\n  ",
	"several lines":       "a = 1\n\n\n",
	"tables":              "a = 1 # one\n\n[b]\nc = 'd' # two\n\n# about e\n[[e]]\nx = 1\n[[e]]\nx = 2\n",
	"entries":             "[mcp_servers.x]\ncommand = \"x\"\n\n[mcp_servers.x.env]\nA = \"b\"\n\n# last\n[z]\n",
	"holder":              "[mcp_servers]\n\n[mcp_servers.x]\n",
	"inline beside":       "[mcp_servers]\nx = { command = \"x\" }\n",
	"dotted beside":       "[mcp_servers]\nx.command = \"x\"\n",
	"quoted":              "[\"mcp_servers\" . 'x y']\n",
	"crlf":                "a = 1\r\n\r\n[mcp_servers.x]\r\ncommand = 'x'\r\n",
	"bom and crlf":        "\xef\xbb\xbfa = 1\r\n",
	"tabs":                "\ta\t=\t1\t# c\n\t[b]\n\t\tc = 2\n",
	"strings":             "a = \"\"\"\n[mcp_servers.n]\n\\\n   x\"\"\"\"\"\nb = '''\n[[[''''\nc = \"#\\u00e4\\\"\"\n",
	"arrays":              "a = [ # c\n  1,\n  [\"]\"], # d\n  {x = 1, y.z = '}'},\n]\n",
	"values":              "a = +1.5e-3\nb = 0xdead_beef\nc = inf\nd = -nan\ne = 1979-05-27T07:32:00.5-07:00\nf = 1979-05-27 07:32:00\ng = 07:32:00\nh = 1979-05-27\ni = true\nj = 0\nk = 1979-05-27t07:32:00z\n",
	"dotted elsewhere":    "a.b.c = 1\na.d = 2\n[x]\ny.z = 3\n",
	"implicit":            "[a.b.c]\nx = 1\n[a]\ny = 2\n",
	"minified":            "a=1\n[mcp_servers.x]\ncommand='x'\nargs=['a','b']",
	"large":               long("[table%d]\na = [1, 2]\ntext = \"some text\"\n"),
}

// BrokenTOML contains files that must not be changed.
var BrokenTOML = map[string]string{
	"unclosed header":  "[mcp_servers",
	"no value":         "a =\n",
	"no key":           "= 1\n",
	"twice":            "a = 1\na = 2\n",
	"table twice":      "[a]\n[a]\n",
	"unclosed string":  "a = \"b\n",
	"unclosed lines":   "a = \"\"\"b\n",
	"unclosed array":   "a = [1,\n",
	"two values":       "a = 1 2\n",
	"word":             "a = yes\n",
	"json":             "{\"mcp_servers\": {}}\n",
	"encoding":         "a = \"\xff\"\n",
	"carriage return":  "a = 1\rb = 2\n",
	"control":          "a = 1 # \x01\n",
	"inline lines":     "a = {x = 1,\ny = 2}\n",
	"number":           "a = 01\n",
	"entries inline":   "mcp_servers = {}\n",
	"entries value":    "mcp_servers = 1\n",
	"entries array":    "[[mcp_servers]]\n",
	"entries dotted":   "mcp_servers.x.command = \"x\"\n",
	"entry inline":     "[mcp_servers]\nn = {command = \"x\"}\n",
	"entry dotted":     "[mcp_servers]\nn.command = \"x\"\n",
	"entry array":      "[[mcp_servers.n]]\ncommand = \"x\"\n",
	"extended value":   "a = 1\n[a.b]\n",
	"extended inline":  "a = {}\n[a.b]\n",
	"surrogate":        "a = \"\\ud800\"\n",
	"unknown escape":   "a = \"\\q\"\n",
	"deep":             "a = " + strings.Repeat("[", 5000),
	"key over lines":   "\"\"\"a\"\"\" = 1\n",
	"array then table": "[[a]]\n[a]\n",
}
