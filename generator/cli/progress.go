package cli

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress shows on a terminal what takes long, in a line that is cleared afterwards, and
// with -v how long each stage took. It is used by one goroutine.
type progress struct {
	w        io.Writer
	terminal bool
	verbose  bool

	stage string
	began time.Time
	shown bool
}

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

// begin ends the stage before and begins another: "loading ./bookstore".
func (p *progress) begin(stage string) {
	p.end()
	p.stage, p.began = stage, time.Now()
	if p.terminal && !p.verbose {
		fmt.Fprintf(p.w, "\r\x1b[K%s ...", stage)
		p.shown = true
	}
}

// end ends the stage, if there is one.
func (p *progress) end() {
	if p.stage != "" && p.verbose {
		fmt.Fprintf(p.w, "%s: %v\n", p.stage, time.Since(p.began).Round(time.Millisecond))
	}
	p.stage = ""
	p.clear()
}

// clear removes the line from the terminal, so that others can be written.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
