package main

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parsed parses a command line.
func parsed(line string) (*config, error) {
	set := flag.NewFlagSet("shop", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	c := newConfig(set)
	return c, c.parse(strings.Fields(line))
}

func TestConfig(t *testing.T) {
	for _, c := range []struct{ line, problem string }{
		{"-replicas 3", ""},
		{"-replicas 3 -port 0 -dir x -sync", ""},
		{"-replicas 2", "1, 3 or 5"},
		{"-replicas -1", "1, 3 or 5"},
		{"-replicas 3 -http 8080", "leave out"},
		{"-replicas 3 -nats nats://x", "leave out"},
		{"-replicas 3 -port 65535", "-port"},
		{"-http 8080 -dir x", ""},
		{"-http 8080 -dir x more", "unknown argument more"},
		{"-http 8080", "-dir is missing"},
		{"-dir x", "-http is missing"},
		{"-http 8080 -dir x -routes 10.0.0.1:6222", "-name and -peers"},
		{"-http 8080 -dir x -name a -routes 10.0.0.1:6222 -peers 10.0.0.1:6222,10.0.0.2:6222", ""},
		{"-http 8080 -dir x -name a -peers 10.0.0.1:6222", "needs -routes"},
		{"-http 8080 -dir x -routes-cert x", "go together"},
		{"-http 8080 -nats nats://x", ""},
		{"-http 8080 -nats nats://x -nats-user u -nats-password-file f", ""},
		{"-http 8080 -nats nats://x -nats-user u", "go together"},
		{"-http 8080 -nats nats://x -nats-user u -nats-password-file f -nats-creds c", "takes the place"},
		{"-http 8080 -nats nats://x -dir x", "leave out -dir"},
		{"-http 8080 -dir x -nats-user u", "need -nats"},
		{"-http 8080 -dir x -stop-delay -1s", "negative"},
	} {
		_, err := parsed(c.line)
		if c.problem == "" && err != nil || c.problem != "" && (!errors.Is(err, errUsage) || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %v, want %q", c.line, err, c.problem)
		}
	}
}

func TestSecret(t *testing.T) {
	dir := t.TempDir()
	long, short := filepath.Join(dir, "long"), filepath.Join(dir, "short")
	for file, text := range map[string]string{long: "a secret of 16 bytes or more\n", short: "short\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(line, variable, dir string) (string, error) {
		t.Setenv(secretVariable, variable)
		c, err := parsed("-http 1 -nats nats://x " + line)
		if err != nil {
			t.Fatal(err)
		}
		secret, err := c.secret(dir)
		return string(secret), err
	}
	if got, err := read("-secret-file "+long, "of the environment, at least 16", ""); got != "a secret of 16 bytes or more" || err != nil {
		t.Errorf("of a file: %q, %v", got, err)
	}
	if got, err := read("", "of the environment, at least 16", dir); got != "of the environment, at least 16" || err != nil {
		t.Errorf("of the environment: %q, %v", got, err)
	}
	for _, line := range []string{"", "-secret-file " + short, "-secret-file " + dir} {
		if got, err := read(line, "", ""); err == nil {
			t.Errorf("%s: %q", line, got)
		}
	}
	first, err := read("", "", filepath.Join(dir, "new"))
	if err != nil || len(first) < minSecret {
		t.Errorf("a new one: %q, %v", first, err)
	}
	if again, err := read("", "", filepath.Join(dir, "new")); again != first || err != nil {
		t.Errorf("it is %q at the second start, and was %q: %v", again, first, err)
	}
	routes, err := derive([]byte(first), "routes")
	store, err2 := derive([]byte(first), "store")
	if errors.Join(err, err2) != nil || routes == store || strings.Contains(routes+store, first) || len(routes) < minSecret {
		t.Errorf("derived: %q, %q", routes, store)
	}
}
