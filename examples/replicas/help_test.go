package main

import (
	"bytes"
	"flag"
	"io"
	"strings"
	"testing"
)

// TestHelp: the first line is a command that works, and each flag is in one group.
func TestHelp(t *testing.T) {
	for _, arg := range []string{"-h", "-help", "--help"} {
		var stdout, stderr bytes.Buffer
		if code := run([]string{arg}, strings.NewReader(""), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Fatalf("%s: exit code %d, %s", arg, code, &stderr)
		}
		lines := strings.Split(stdout.String(), "\n")
		if !strings.HasPrefix(lines[0], "shop -replicas 3 starts ") {
			t.Errorf("%s: the first line is %s", arg, lines[0])
		}
		if _, err := parsed("-replicas 3"); err != nil {
			t.Error(err)
		}
		count := map[string]int{}
		for _, line := range lines {
			if len(strings.ReplaceAll(line, "\t", strings.Repeat(" ", 8))) > 80 {
				t.Errorf("%s: more than 80 columns: %s", arg, line)
			}
			if name, ok := strings.CutPrefix(line, "\t-"); ok {
				name, _, _ = strings.Cut(name, " ")
				count[name]++
			}
		}
		set := flag.NewFlagSet("shop", flag.ContinueOnError)
		newConfig(set)
		set.VisitAll(func(f *flag.Flag) {
			if f.Name != "version" && count[f.Name] != 1 {
				t.Errorf("%s: -%s is there %d times", arg, f.Name, count[f.Name])
			}
		})
		last := -1
		for _, title := range []string{"usage:", "\n\t-replicas N", "\n\t-dir", "\n\t-nats URL", "\n\t-copies", "\n\t-http ADDR", "\n\t-keys"} {
			if at := strings.Index(stdout.String(), title); at <= last {
				t.Errorf("%s: %q is not behind what comes before it", arg, title)
			} else {
				last = at
			}
		}
	}
}

// TestWrongFlag: the list of flags does not hide the error.
func TestWrongFlag(t *testing.T) {
	for args, want := range map[string]string{
		"-replica 3":  "shop: flag provided but not defined: -replica: -help has all flags\n",
		"-replicas x": "shop: invalid value \"x\" for flag -replicas: parse error: -help has all flags\n",
	} {
		var stderr bytes.Buffer
		if code := run(strings.Fields(args), strings.NewReader(""), io.Discard, &stderr); code != 2 || stderr.String() != want {
			t.Errorf("%s: exit code %d, %q", args, code, &stderr)
		}
	}
}
