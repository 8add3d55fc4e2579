package stdio_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/stdio"
)

const programEnv = "STDIO_TEST_SHIELD"

// TestMain is also the program that the tests start.
func TestMain(m *testing.M) {
	if shield := os.Getenv(programEnv); shield != "" {
		if err := program(shield == "on"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program repeats the first message, prints before and after, and prints the input that it reads
// from standard input meanwhile.
func program(shielded bool) error {
	conn, restore, err := stdio.Open(1<<20, shielded)
	if err != nil {
		return err
	}
	message, err := conn.Read()
	if err != nil {
		return err
	}
	fmt.Println("printed")
	if shielded {
		rest, err := io.ReadAll(os.Stdin)
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("standard input has %q, %w", rest, err)
		}
	}
	if err := conn.Write(append(message, '\n')); err != nil {
		return err
	}
	if err := conn.Close(); err != nil {
		return err
	}
	if _, err := conn.Read(); err == nil {
		return fmt.Errorf("a closed connection can be read")
	}
	if err := conn.Write([]byte("late\n")); err == nil {
		return fmt.Errorf("a closed connection can be written")
	}
	restore()
	fmt.Println("restored")
	return nil
}

// TestOpen starts the program with a shield and without one.
func TestOpen(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for shield, want := range map[string]struct{ stdout, stderr string }{
		"on":  {"message\nrestored\n", "printed\n"},
		"off": {"printed\nmessage\nrestored\n", ""},
	} {
		t.Run(shield, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), exe)
			cmd.Env = append(os.Environ(), programEnv+"="+shield)
			in, err := cmd.StdinPipe() // which stays open
			if err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(in, "message\n"); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v: %s", err, &stderr)
			}
			if stdout.String() != want.stdout || stderr.String() != want.stderr {
				t.Errorf("standard output %q, want %q; standard error %q, want %q", &stdout, want.stdout, &stderr, want.stderr)
			}
		})
	}
}
