package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// startSample is the cost of one start of a server, up to the answer to its first tools/list.
type startSample struct {
	Wall float64 `json:"wall"` // milliseconds
	CPU  float64 `json:"cpu"`  // milliseconds
	Peak int64   `json:"peak"` // bytes
}

// variant is a server with a number of tools, each with its own types.
type variant struct {
	server string
	tools  int
}

func (v variant) name() string { return fmt.Sprintf("%s%d", v.server, v.tools) }

// The sources of variants. All have the same tools; the hand-written one publishes the generated
// one's tools.
var sources = map[string]string{
	"mcpgen": `// Package main serves {{len .}} tools.
//
//mcp:server name=catalog version=1.0.0
package main

import (
	"context"
	"log"
)

func main() {
	if err := NewMCPServer().ServeStdio(context.Background()); err != nil {
		log.Fatal(err)
	}
}
{{range .}}` + types + `
// Find{{.}} finds what is kept in place {{.}}.
//
//mcp:tool readonly
func Find{{.}}(args Args{{.}}) Found{{.}} { return Found{{.}}{Total: args.Limit} }
{{end}}`,
	"gosdk": `package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	s := mcp.NewServer(&mcp.Implementation{Name: "catalog", Version: "1.0.0"}, nil)
{{range .}}	mcp.AddTool(s, &mcp.Tool{Name: "find{{.}}", Description: "Finds what is kept in place {{.}}."}, find{{.}})
{{end}}	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
{{range .}}` + types + `
func find{{.}}(_ context.Context, _ *mcp.CallToolRequest, args Args{{.}}) (*mcp.CallToolResult, Found{{.}}, error) {
	return nil, Found{{.}}{Total: args.Limit}, nil
}
{{end}}`,
	"mcpgo": `package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("catalog", "1.0.0", server.WithToolCapabilities(true), server.WithInputSchemaValidation())
{{range .}}	s.AddTool(mcp.NewTool("find{{.}}", mcp.WithDescription("Finds what is kept in place {{.}}."),
		mcp.WithInputSchema[Args{{.}}](), mcp.WithOutputSchema[Found{{.}}]()), mcp.NewStructuredToolHandler(find{{.}}))
{{end}}	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
{{range .}}` + types + `
func find{{.}}(_ context.Context, _ mcp.CallToolRequest, args Args{{.}}) (Found{{.}}, error) {
	return Found{{.}}{Total: args.Limit}, nil
}
{{end}}`,
	"limit": `package main

import (
	_ "embed"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/bench/servers/limit"
)

//go:embed tools.json
var tools string

func main() {
	if err := limit.New(tools).ServeLines(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
`,
}

const types = `
// Args{{.}} is what to find.
type Args{{.}} struct {
	ID    int64    ` + "`" + `json:"id" jsonschema:"number of the place"` + "`" + `
	Query string   ` + "`" + `json:"query" jsonschema:"words that must be there"` + "`" + `
	Sort  string   ` + "`" + `json:"sort,omitempty" jsonschema:"the member to sort by"` + "`" + `
	Limit int      ` + "`" + `json:"limit,omitempty" jsonschema:"how many to return at most"` + "`" + `
	Tags  []string ` + "`" + `json:"tags,omitempty" jsonschema:"tags that must be there"` + "`" + `
}

// Found{{.}} is what was found.
type Found{{.}} struct {
	Total int      ` + "`" + `json:"total" jsonschema:"how many there are"` + "`" + `
	Names []string ` + "`" + `json:"names" jsonschema:"what they are called"` + "`" + `
}
`

// buildVariants builds servers with a number of tools, the generated one first.
func (w *workshop) buildVariants(tools int) error {
	dir := w.out("startup")
	if err := w.variantModule(dir); err != nil {
		return err
	}
	numbers := make([]int, tools)
	for i := range numbers {
		numbers[i] = i + 1
	}
	for _, server := range servers {
		v := variant{server, tools}
		home := filepath.Join(dir, v.name())
		if err := os.MkdirAll(home, 0o755); err != nil {
			return err
		}
		var text bytes.Buffer
		if err := template.Must(template.New("").Parse(sources[server])).Execute(&text, numbers); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(home, "main.go"), text.Bytes(), 0o644); err != nil {
			return err
		}
		switch server {
		case "mcpgen":
			if err := w.run(home, w.out("mcpgen"), "."); err != nil {
				return err
			}
		case "limit":
			list, err := w.toolsOf(variant{"mcpgen", tools})
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(home, "tools.json"), list, 0o644); err != nil {
				return err
			}
		}
		began := time.Now()
		if err := w.build(home, w.out("bin", v.name()), "."); err != nil {
			return err
		}
		w.say("built %s in %.1f s\n", v.name(), time.Since(began).Seconds())
	}
	return nil
}

// variantModule creates the module of the variants, with the requirements of this module.
func (w *workshop) variantModule(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file, err := os.ReadFile(filepath.Join(w.dir, "go.mod"))
	if err != nil {
		return err
	}
	root := filepath.Dir(w.dir)
	text := strings.Replace(string(file), "module github.com/mcpgen/mcpgen/bench\n", "module startup\n", 1)
	text = strings.Replace(text, "=> ../", "=> "+root, 1)
	text += "\nrequire github.com/mcpgen/mcpgen/bench v0.0.0\n\nreplace github.com/mcpgen/mcpgen/bench => " + w.dir + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(w.dir, "go.sum"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644); err != nil {
		return err
	}
	return w.run(filepath.Dir(w.dir), "go", "build", "-o", w.out("mcpgen"), "./cmd/mcpgen")
}

// toolsOf returns the array of tools that a variant lists.
func (w *workshop) toolsOf(v variant) ([]byte, error) {
	_, list, err := w.startUp(v)
	if err != nil {
		return nil, err
	}
	_, rest, _ := bytes.Cut(list, []byte(`"result":{"tools":`))
	array, ok := bytes.CutSuffix(bytes.TrimSpace(rest), []byte(`}}`))
	if !ok {
		return nil, fmt.Errorf("list of %s: %s", v.name(), clip(string(list)))
	}
	return array, nil
}

const listMessage = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`

// startUp starts a variant and lists its tools.
func (w *workshop) startUp(v variant) (s startSample, list []byte, err error) {
	began := time.Now()
	p, err := start(w.out("bin", v.name()))
	if err != nil {
		return s, nil, err
	}
	defer func() {
		total := p.stop()
		if s.CPU == 0 {
			s.CPU = millis(total)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w; stderr: %s", v.name(), err, p.stderr.String())
		}
	}()
	t := &pipe{in: p.in, out: bufio.NewReaderSize(p.out, 1<<20)}
	if _, err := io.WriteString(p.in, initializeMessage+"\n"); err != nil {
		return s, nil, err
	}
	if _, err := t.read(); err != nil {
		return s, nil, err
	}
	if _, err := io.WriteString(p.in, initializedMessage+"\n"+listMessage+"\n"); err != nil {
		return s, nil, err
	}
	if list, err = t.read(); err != nil {
		return s, nil, err
	}
	s.Wall = millis(time.Since(began))
	if used, ok := cpu(p.cmd.Process.Pid); ok {
		s.CPU = millis(used)
	}
	s.Peak = p.peak()
	return s, bytes.Clone(list), checkNames(list, v.tools)
}

// checkNames checks that all tools of a variant are listed.
func checkNames(list []byte, tools int) error {
	value, err := decoded(list)
	if err != nil {
		return err
	}
	envelope, _ := value.(map[string]any)
	result, _ := envelope["result"].(map[string]any)
	all, _ := result["tools"].([]any)
	names := map[string]bool{}
	for _, item := range all {
		tool, _ := item.(map[string]any)
		name, _ := tool["name"].(string)
		schema, _ := tool["inputSchema"].(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		if len(properties) != 5 {
			return fmt.Errorf("tool %s has %d properties, want 5", name, len(properties))
		}
		names[name] = true
	}
	if len(names) != tools || len(all) != tools {
		return fmt.Errorf("%d tools are listed, want %d", len(names), tools)
	}
	return nil
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
