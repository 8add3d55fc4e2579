package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A slow stage is shown with the number of packages: once and then each half minute in a log, each
// second on a terminal.
func TestSlowProgress(t *testing.T) {
	dir := t.TempDir()
	compile := func(from, to int) {
		for i := from; i <= to; i++ {
			if err := os.MkdirAll(filepath.Join(dir, "go-build7", fmt.Sprintf("b%03d", i)), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := newProgress(&b, false)
		p.follow(dir)
		p.begin("loading ./tools")
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		compile(1, 12)
		p.packages(812)
		const first = "compiling the dependencies of ./tools: 812 packages, 12 compiled, 2s\n"
		if b.String() != first {
			t.Errorf("in a log: %q", &b)
		}
		compile(13, 40)
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if got := strings.TrimPrefix(b.String(), first); got != "compiling the dependencies of ./tools: 812 packages, 40 compiled, 33s\n" {
			t.Errorf("later: %q", got)
		}
		p.end()
		before := b.Len()
		p.packages(813)
		time.Sleep(time.Hour)
		synctest.Wait()
		if b.Len() != before {
			t.Errorf("after the end: %q", &b)
		}

		// Packages that are not compiled cause no line in a log.
		b.Reset()
		p.follow(t.TempDir())
		p.begin("loading ./tools")
		time.Sleep(time.Minute)
		synctest.Wait()
		p.packages(812)
		p.end()
		if b.Len() > 0 {
			t.Errorf("without compiling: %q", &b)
		}

		p = newProgress(&b, true)
		p.follow(dir)
		p.begin("loading .")
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if got := b.String(); got != "\r\x1b[Kloading . ..." {
			t.Errorf("on a terminal: %q", got)
		}
		p.packages(812)
		compile(41, 41)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := b.String(); !strings.Contains(got, "812 packages, 40 compiled, 1s ...") || !strings.HasSuffix(got, "\r\x1b[Kcompiling the dependencies of .: 812 packages, 41 compiled, 2s ...") {
			t.Errorf("it does not count: %q", got)
		}
		p.end()
		if got := b.String(); !strings.HasSuffix(got, " ...\r\x1b[K") {
			t.Errorf("the line stays: %q", got)
		}
	})
}
