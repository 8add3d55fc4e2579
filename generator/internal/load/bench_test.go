package load

import (
	"go/types"
	"os/exec"
	"testing"
	"time"
)

// manyImports is a package with some three hundred dependencies.
const manyImports = `
-- go.mod --
module example.com/m
go 1.26
-- app/app.go --
// Package app is the rest of a program.
package app

import (
	_ "archive/zip"
	_ "compress/bzip2"
	_ "database/sql"
	_ "debug/dwarf"
	_ "debug/elf"
	_ "encoding/gob"
	_ "encoding/xml"
	_ "expvar"
	_ "go/doc"
	_ "go/importer"
	_ "html/template"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	_ "index/suffixarray"
	_ "log/slog"
	_ "log/syslog"
	_ "mime/multipart"
	_ "net/http"
	_ "net/http/cookiejar"
	_ "net/http/httptest"
	_ "net/http/httputil"
	_ "net/http/pprof"
	_ "net/rpc/jsonrpc"
	_ "net/smtp"
	_ "os/user"
	_ "runtime/trace"
	_ "testing/fstest"
	_ "testing/quick"
	_ "text/tabwriter"
)

// ID is a number.
type ID int
-- a.go --
package m

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"example.com/m/app"
)

// Request is.
type Request struct {
	ID     app.ID
	Header http.Header
	Level  slog.Level
	Time   sql.NullTime
	At     time.Time
}

var errNone = errors.New(strings.ToLower("None"))

// Search finds.
//
//mcp:tool
func Search(ctx context.Context, r Request) error { return fmt.Errorf("%w", errNone) }
`

// BenchmarkLoad reports the time of Load, with the doc comments of other packages' fields, as a
// multiple of the time of go list -export -deps for the same package, both warm.
func BenchmarkLoad(b *testing.B) {
	dir := write(b, manyImports)
	env := offline("PWD=" + dir)
	list := func(args ...string) time.Duration {
		cmd := exec.Command("go", append([]string{"list"}, args...)...)
		cmd.Dir, cmd.Env = dir, env
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		return time.Since(start)
	}
	load := func() time.Duration {
		start := time.Now()
		pkgs, _, err := Load(b.Context(), Config{Dir: dir, Env: env})
		if err != nil {
			b.Fatal(err)
		}
		d := NewDocs(pkgs...)
		request := pkgs[0].Types.Scope().Lookup("Request").Type().Underlying().(*types.Struct)
		for f := range request.Fields() {
			named := f.Type().(*types.Named)
			d.Of(named.Obj())
			if s, ok := named.Underlying().(*types.Struct); ok {
				d.Of(s.Field(0))
			}
		}
		return time.Since(start)
	}
	export := []string{"-e", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,Imports", "."}
	list(export...)
	load()
	var listed, loaded time.Duration
	for b.Loop() {
		listed += list(export...)
		loaded += load()
	}
	n := time.Duration(b.N)
	b.ReportMetric(float64((listed / n).Milliseconds()), "list-ms")
	b.ReportMetric(float64((loaded / n).Milliseconds()), "load-ms")
	b.ReportMetric(float64(loaded)/float64(listed), "ratio")
	b.ReportMetric(0, "ns/op")
}
