package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/zoo"
	"github.com/mcpgen/mcpgen/internal/proof/zoo/prove"
)

// types writes the types of the tools in a package to a file.
func types(t *testing.T, file, dir, pattern string) {
	t.Helper()
	app := exec.Command(program(t, "mcpgen"), "app", "types", "-o", file, pattern)
	app.Dir, app.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := app.CombinedOutput(); err != nil {
		t.Fatalf("mcpgen app types: %v\n%s", err, out)
	}
}

// tsc checks files with the compiler of TypeScript. It skips the test if the compiler is not
// installed, or fails it in CI (CI=true).
func tsc(t *testing.T, files ...string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "clients", "node_modules", ".bin", "tsc"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		complain := t.Skipf
		if os.Getenv("CI") == "true" {
			complain = t.Fatalf
		}
		complain("the compiler is not installed, run \"npm ci\" in interop/clients: %v", err)
	}
	check := exec.Command(path, append([]string{"--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "esnext", "--target", "es2022"}, files...)...)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, tail(string(out)))
	}
}

// The types of other packages compile: of a whole program, and of the features that the official
// suite needs.
func TestTypesCompile(t *testing.T) {
	dir := t.TempDir()
	books, features := filepath.Join(dir, "books.ts"), filepath.Join(dir, "features.ts")
	types(t, books, "../../examples", "./bookstore")
	types(t, features, "../../conformance", "./internal/features")
	page := filepath.Join(dir, "page.ts")
	const script = `import type { Tools } from "./books.js";
declare function call<Name extends keyof Tools>(name: Name, args: Tools[Name]["args"]): Promise<Tools[Name]["result"]>;
const report = await call("report_by_decade", { from: 1850 });
const copies: number | undefined = report["1850s"]?.available;
const { books } = await call("search_books", { query: "sea", language: "fr", sort: "year" });
const added: string | undefined = books[0]?.addedAt;
// @ts-expect-error
await call("search_books", { query: "sea", language: "xx" });
// @ts-expect-error
await call("search_books", {});
// @ts-expect-error
await call("report_by_decade", { since: 1850 });
export { added, copies };
`
	if err := os.WriteFile(page, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	tsc(t, books, features, page)
}

// The types of the zoo accept what its schemas accept, and refuse values of another shape.
func TestTypesOfValues(t *testing.T) {
	dir := t.TempDir()
	types(t, filepath.Join(dir, "zoo.ts"), "../..", "./internal/proof/zoo")
	tools, err := prove.Connect(t, zoo.NewMCPServer, prove.Modern).Tools()
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	script.WriteString("import type { Tools } from \"./zoo.js\";\n")
	valid, misshapen := 0, 0
	for i, tool := range tools {
		for side, schema := range map[string]string{"args": string(tool.InputSchema), "result": string(tool.OutputSchema)} {
			if schema == "" {
				continue
			}
			good, bad, err := prove.Examples(schema, 10, uint64(i))
			if err != nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			name := fmt.Sprintf("%s%d", side, i)
			for j, value := range good {
				fmt.Fprintf(&script, "export const %s_%d: Tools[%q][%q] = %s;\n", name, j, tool.Name, side, value)
			}
			for j, value := range bad {
				fmt.Fprintf(&script, "// @ts-expect-error\nexport const %s_not%d: Tools[%q][%q] = %s;\n", name, j, tool.Name, side, value)
			}
			valid, misshapen = valid+len(good), misshapen+len(bad)
		}
	}
	t.Logf("%d valid values, %d of another shape", valid, misshapen)
	if valid < 4000 || misshapen < 4000 {
		t.Errorf("only %d valid values, %d of another shape", valid, misshapen)
	}
	file := filepath.Join(dir, "values.ts")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tsc(t, file)
}
