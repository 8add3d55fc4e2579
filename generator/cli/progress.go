package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/load"
)

// progress shows slow stages: on a terminal on a line that is cleared afterwards and counts the
// packages that are compiled, elsewhere on a line after two seconds and one each half minute. With
// -v it shows the duration of each stage. Stages are begun and ended by one goroutine.
type progress struct {
	w        io.Writer
	terminal bool
	verbose  bool

	mu      sync.Mutex
	dir     string // in which the go command compiles
	stage   string
	began   time.Time
	shown   bool
	count   int // loaded packages; 0 if unknown
	printed time.Time
	stop    chan struct{}
}

// The intervals at which a stage that takes longer than load.SlowLoad is shown.
const (
	redraw = time.Second      // on a terminal
	remind = 30 * time.Second // elsewhere

	// Elsewhere a line requires so many compiled packages, or so long a stage.
	manyCompiled = 10
	lateNotice   = 10 * time.Second
)

func newProgress(w io.Writer, terminal bool) *progress {
	return &progress{w: w, terminal: terminal}
}

// isTerminal reports whether the file is a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// follow sets the directory in which the go command works.
func (p *progress) follow(dir string) {
	p.mu.Lock()
	p.dir = dir
	p.mu.Unlock()
}

// begin ends the current stage and begins another: "loading ./bookstore".
func (p *progress) begin(stage string) {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage, p.began, p.count, p.printed = stage, time.Now(), 0, time.Time{}
	if p.terminal && !p.verbose {
		fmt.Fprintf(p.w, "\r\x1b[K%s ...", stage)
		p.shown = true
	}
	stop := make(chan struct{})
	p.stop = stop
	go p.watch(stop)
}

// packages sets the number of loaded packages, and shows it.
func (p *progress) packages(count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count = count
	if p.stop != nil {
		p.show()
	}
}

// watch shows the stage repeatedly until it ends.
func (p *progress) watch(stop chan struct{}) {
	ticker := time.NewTicker(redraw)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		p.mu.Lock()
		if p.stop == stop && (p.count > 0 || time.Since(p.began) >= 2*load.SlowLoad) {
			p.show()
		}
		p.mu.Unlock()
	}
}

// show shows the stage.
func (p *progress) show() {
	text := p.stage
	compiled := p.compiled()
	if compiled > 0 {
		text = strings.Replace(text, "loading ", "compiling the dependencies of ", 1)
	}
	var details []string
	if p.count > 0 {
		details = append(details, count(p.count, "package"))
	}
	if compiled > 0 {
		details = append(details, fmt.Sprintf("%d compiled", compiled))
	}
	details = append(details, time.Since(p.began).Truncate(time.Second).String())
	text += ": " + strings.Join(details, ", ")
	switch {
	case p.terminal && !p.verbose:
		fmt.Fprintf(p.w, "\r\x1b[K%s ...", text)
		p.shown = true
	case compiled < manyCompiled && (compiled == 0 || time.Since(p.began) < lateNotice):
		// A slow machine alone does not justify a line in a log.
	case p.printed.IsZero() || time.Since(p.printed) >= remind:
		fmt.Fprintln(p.w, text)
		p.printed = time.Now()
	}
}

// compiled counts the packages that the go command has compiled or is compiling: each has its own
// directory, but cached ones do not.
func (p *progress) compiled() int {
	if p.dir == "" {
		return 0
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(p.dir), "go-build*", "b[0-9]*"))
	if err != nil {
		return 0
	}
	return len(names)
}

// end ends the stage, if there is one.
func (p *progress) end() {
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != "" && p.verbose {
		fmt.Fprintf(p.w, "%s: %v\n", p.stage, time.Since(p.began).Round(time.Millisecond))
	}
	p.stage = ""
}

// clear removes the line from the terminal, so that other lines can be written, and stops showing
// the stage.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
