package main

import (
	"os"
	"strings"
	"testing"
)

// asProgram is the environment variable that makes the test binary run as the program: replicas are
// separate processes.
const asProgram = "SHOP_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		text string
	}{
		{"-help", 0, "-replicas N"},
		{"-version", 0, ""},
		{"", 2, "-http is missing"},
		{"-nonsense", 2, "-nonsense"},
		{"-http 127.0.0.1:0 -dir " + t.TempDir() + " -secret-file missing", 1, "missing"},
		{"-http nonsense:x -dir " + t.TempDir(), 2, "-http"},
	} {
		var text strings.Builder
		code := run(strings.Fields(c.args), strings.NewReader(""), &text, &text)
		if code != c.code || !strings.Contains(text.String(), c.text) {
			t.Errorf("%s: exit code %d, %s", c.args, code, &text)
		}
	}
}
