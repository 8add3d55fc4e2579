package mcpclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/subprocess"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

// Command is a server that is a program (basic/transports, stdio). Each connection starts a new
// process, which ends with the connection: the client closes its input, after Limits.CloseTime
// sends SIGTERM to its process group, and after another CloseTime SIGKILL; on Windows it ends the
// process tree. If the program exits or closes its output, the connection ends too, even if a
// process that it started is still running; that process gets the signals.
//
// The client skips output lines that cannot be messages, up to 64 KiB between two messages, and
// reports them to Options.OnProtocolError.
type Command struct {
	// Path is the program: a name, which is looked up in PATH of this process, or a path, which is
	// relative to Dir.
	Path string
	Args []string // without the name of the program
	Dir  string   // the working directory; "" means the directory of this process
	// Env is added to the environment, as "NAME=value". From the environment of this process, the
	// program gets HOME, LANG, LOGNAME, PATH, SHELL, TERM, TMPDIR and USER; on Windows, the
	// variables that programs need there.
	Env []string
	// InheritEnv passes the whole environment of this process to the program, including its
	// secrets.
	InheritEnv bool
	// Stderr gets the standard error of the program. An *os.File is passed to the program itself.
	// Any other writer is called by one goroutine, and the program waits for it. Unless Stderr is a
	// file, the client keeps the last 64 KiB for the error of a program that exits.
	Stderr io.Writer
	// Prepare may change how the program is started, such as SysProcAttr or Path for a sandbox.
	// Standard streams are set after it, and a process group too unless it has chosen one. Several
	// goroutines may call it.
	Prepare func(*exec.Cmd)
}

// Name returns the last element of Path. For a program that runs another one, it is what that one
// is called in Args: the package of npx and uvx, the image of docker run, the file of node.
func (c Command) Name() string {
	if c.Path == "" {
		return "program without a path"
	}
	return commandName(c.Path, c.Args)
}

// Key returns a digest of Path, Args, Dir, Env and InheritEnv.
func (c Command) Key() string {
	h := sha256.New()
	part := func(list ...string) {
		h.Write(strconv.AppendInt(nil, int64(len(list)), 10))
		for _, s := range list {
			fmt.Fprintf(h, " %d:%s", len(s), s)
		}
		h.Write([]byte{'\n'})
	}
	part(c.Path, c.Dir, strconv.FormatBool(c.InheritEnv))
	part(c.Args...)
	part(c.Env...)
	return "command " + hex.EncodeToString(h.Sum(nil))
}

// AuthorizationContext returns a digest of the environment variables that the program inherits from
// this process. The context is unknown with InheritEnv and with Prepare, which may pass any
// credentials to the program.
func (c Command) AuthorizationContext() (context string, ok bool) {
	if c.InheritEnv || c.Prepare != nil {
		return "", true
	}
	return digest(keptEnvironment()...), true
}

// Restarts reports that each connection starts a new process.
func (c Command) Restarts() bool { return true }

// Dial starts the program.
func (c Command) Dial(ctx context.Context, o dial.Options) (dial.Conn, error) {
	if ctx.Err() != nil {
		return nil, &dial.Error{Again: true, Err: context.Cause(ctx)}
	}
	cmd, err := c.command(o.Logger)
	if err != nil {
		return nil, &dial.Error{Err: err}
	}
	conn, err := subprocess.Start(cmd, c.Stderr, o)
	if err != nil {
		return nil, c.startError(cmd, err)
	}
	return conn, nil
}

// command returns the command to start.
func (c Command) command(log *slog.Logger) (*exec.Cmd, error) {
	if c.Path == "" {
		return nil, errors.New("Command.Path is empty: it is the program of the server")
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	var err error
	if cmd.Env, err = c.environment(); err != nil {
		return nil, err
	}
	if c.Prepare != nil {
		usercode.Call(func() { c.Prepare(cmd) }, func(f usercode.Failure) {
			err = errors.New("Command.Prepare has failed: " + f.String())
			log.LogAttrs(context.Background(), slog.LevelError, "panic in Command.Prepare", f.Attrs()...)
		})
	}
	return cmd, err
}

// kept are the environment variables of this process that programs inherit.
var kept = map[string][]string{
	"unix": {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"},
	"windows": {
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATH", "PATHEXT",
		"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP",
		"TMP", "USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR",
	},
}

// keptEnvironment returns these variables with their values.
func keptEnvironment() []string {
	env := []string{}
	names := kept["unix"]
	if runtime.GOOS == "windows" {
		names = append(names[:len(names):len(names)], kept["windows"]...)
	}
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// environment returns the environment of the program. It is never nil: exec.Cmd would pass the
// environment of this process.
func (c Command) environment() ([]string, error) {
	env := keptEnvironment()
	if c.InheritEnv {
		env = append([]string{}, os.Environ()...)
	}
	for i, entry := range c.Env {
		if name, _, ok := strings.Cut(entry, "="); !ok || name == "" || strings.ContainsRune(entry, 0) {
			return nil, fmt.Errorf("Command.Env[%d] does not have the form NAME=value", i) // it may be a secret
		}
	}
	return append(env, c.Env...), nil
}

// startError explains why the program does not start, and how to fix it.
func (c Command) startError(cmd *exec.Cmd, err error) error {
	failed := &dial.Error{Err: fmt.Errorf("start %s: %w", c.Path, err)}
	if cmd.Dir != "" {
		if info, wrong := os.Stat(cmd.Dir); wrong != nil || !info.IsDir() {
			failed.Err = fmt.Errorf("start %s: the directory Command.Dir %s does not exist", c.Path, cmd.Dir)
			return failed
		}
	}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		failed.Err = fmt.Errorf("there is no program %s in PATH: install it, or set Command.Path to where it is: %w", c.Path, err)
	case errors.Is(err, exec.ErrDot):
		failed.Err = fmt.Errorf("the program %s is in the current directory: write ./%s to start it: %w", c.Path, c.Path, err)
	case errors.Is(err, fs.ErrNotExist):
		failed.Err = fmt.Errorf("there is no program %s, or not the interpreter that its first line names: install it, or correct Command.Path: %w", c.Path, err)
	case errors.Is(err, fs.ErrPermission):
		failed.Err = fmt.Errorf("the program %s may not be executed: check its permissions: %w", c.Path, err)
	}
	var short interface{ Temporary() bool } // of processes, files
	failed.Again = errors.As(err, &short) && short.Temporary()
	return failed
}
