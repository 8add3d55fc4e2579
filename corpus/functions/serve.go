package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
)

// transport responds to every request of a client from memory, with a response that several clients
// accept.
const transport = `
type transport struct{}

func (transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body := "{\"ok\":true,\"status\":\"success\",\"data\":{}}"
	switch {
	case r.URL.Host == "api.github.com":
		body = "[]"
	case strings.Contains(r.URL.Host, "amazonaws"):
		body = "<answer></answer>"
	}
	return &http.Response{
		StatusCode: 200, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}
`

// serverSource is a program that serves the packages of one module. It opens no connections.
func serverSource(m module, all []*settled) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Server serves the functions of %s.\npackage main\n\nimport (\n", m.path)
	for _, path := range []string{"context", "io", "log", "net/http", "strings"} {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	b.WriteString("\n")
	for i, s := range all {
		fmt.Fprintf(&b, "\tpkg%d %q\n", i, "github.com/mcpgen/mcpgen/corpus/"+filepath.ToSlash(s.dir))
	}
	fmt.Fprintf(&b, "\n\t\"github.com/mcpgen/mcpgen/runtime/mcp\"\n)\n%s\nfunc main() {\n\thttp.DefaultTransport = transport{}\n", transport)
	fmt.Fprintf(&b, "\ts := mcp.NewServer(mcp.ServerInfo{Name: %q, Version: \"1\"})\n", m.name)
	for i, s := range all {
		to := "s"
		if len(all) > 1 {
			to = fmt.Sprintf("mcp.Prefix(s, %q)", s.name)
		}
		fmt.Fprintf(&b, "\tpkg%d.RegisterMCP(%s", i, to)
		for _, r := range s.receivers {
			fmt.Fprintf(&b, ", pkg%d.New%s()", i, r)
		}
		b.WriteString(")\n")
	}
	b.WriteString("\tif err := s.ServeStdio(context.Background()); err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n")
	return format.Source(b.Bytes())
}

// build compiles and vets the packages of a module and its server, and returns the program.
func build(m module, all []*settled, bin string) (string, error) {
	dir := filepath.Join("out", "functions", m.name)
	source, err := serverSource(m, all)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(dir, "server"), 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "server", "main.go"), source, 0o644); err != nil {
		return "", err
	}
	program := filepath.Join(bin, m.name)
	for _, args := range [][]string{{"build", "-o", program, "./" + dir + "/server"}, {"vet", "./" + dir + "/..."}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("go %s of %s: %w\n%s", args[0], m.path, err, out)
		}
	}
	return program, nil
}
