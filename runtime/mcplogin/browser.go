package mcplogin

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// OpenBrowser is the default of Config.OpenBrowser: it opens the URL in the person's browser, and
// also writes it to standard error, for persons who use another browser. It does not fail without a
// browser. The URL is one argument of a program and passes through no shell.
func OpenBrowser(_ context.Context, to string) error {
	if !strings.HasPrefix(to, "https://") && !(strings.HasPrefix(to, "http://") && isLoopbackURL(to)) {
		return fmt.Errorf("the URL %s is neither https nor of this machine", quote(to))
	}
	fmt.Fprintln(os.Stderr, "To log in, open this address in a browser:", to)
	name, args := browserCommand(runtime.GOOS, to)
	path, err := exec.LookPath(name)
	if err != nil {
		return nil // the person has the URL
	}
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		return nil
	}
	go func() { _ = cmd.Wait() }() // the browser may continue to run
	return nil
}

// browserCommand returns the program that opens a URL.
func browserCommand(system, to string) (name string, args []string) {
	switch system {
	case "darwin":
		return "open", []string{to}
	case "windows":
		// Not "cmd /c start", which interprets "&" and "%".
		return "rundll32", []string{"url.dll,FileProtocolHandler", to}
	}
	return "xdg-open", []string{to}
}
