package load

import (
	"os/exec"
	"testing"
	"time"
)

// manyImports is a package above some three hundred others.
const manyImports = `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package m

import (
	"archive/zip"
	"compress/bzip2"
	"database/sql"
	"debug/dwarf"
	"debug/elf"
	"encoding/gob"
	"encoding/xml"
	"expvar"
	"go/doc"
	"go/importer"
	"html/template"
	"image/gif"
	"image/jpeg"
	"image/png"
	"index/suffixarray"
	"log/slog"
	"log/syslog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/http/pprof"
	"net/rpc/jsonrpc"
	"net/smtp"
	"os/user"
	"runtime/trace"
	"testing/fstest"
	"testing/quick"
	"text/tabwriter"
)

var _ = []any{zip.Store, bzip2.NewReader, sql.LevelDefault, dwarf.TagArrayType, elf.ET_CORE, gob.NewDecoder, xml.Header, expvar.Get, doc.New,
	importer.Default, template.New, gif.Decode, jpeg.Decode, png.Decode, suffixarray.New, slog.Default, syslog.LOG_ALERT, multipart.ErrMessageTooLarge,
	cookiejar.New, httptest.NewRecorder, httputil.DumpRequest, pprof.Cmdline, jsonrpc.Dial, smtp.Dial, user.Current, trace.Start, fstest.TestFS, quick.Check, tabwriter.Debug}

// Request is.
type Request struct{ Header http.Header; Level slog.Level; Time sql.NullTime }

// Search finds.
//
//mcp:tool
func Search(r Request) {}
`

// BenchmarkLoad reports the time of Load, with the doc comments of other
// packages' fields, as a multiple of that of go list -export -deps of the same
// package, both warm.
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
		for _, imp := range pkgs[0].Imports {
			scope := imp.Types.Scope()
			for _, name := range scope.Names()[:min(3, scope.Len())] {
				d.Of(scope.Lookup(name))
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
