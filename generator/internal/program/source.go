package program

import (
	"fmt"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// runtimePackage is imported by the generated file, so the target may import it without further
// requirements of its module.
const runtimePackage = "github.com/mcpgen/mcpgen/runtime/mcp"

// commandPackage is imported by a program for HTTP, too: it is in the same module, and needs no
// other.
const commandPackage = "github.com/mcpgen/mcpgen/runtime/mcpcmd"

// authPackage is imported by a program with flags for authentication. It needs one other module,
// which the command needs as well, so that a module with the command has it.
const authPackage = "github.com/mcpgen/mcpgen/runtime/mcpauth"

// packages returns the packages of this module that a program imports.
func (c *Config) packages() []string {
	all := []string{runtimePackage}
	if c.HTTP {
		all = append(all, commandPackage)
	}
	if c.Auth {
		all = append(all, authPackage)
	}
	return all
}

// overlay adds the files of the program and returns the import path of its main package.
func (t *Target) overlay(o *overlay, cfg *Config) (main string, err error) {
	m := t.Model
	if err := o.add(t.Generated, t.Source); err != nil {
		return "", err
	}
	// All paths are spelled like the generated file's, which came from the go command, since a
	// directory may have another spelling.
	dir := filepath.Dir(t.Generated)
	first := ""
	if !cfg.HTTP {
		below := free(dir, "mcpgen_first", "")
		first = m.Path + "/" + filepath.Base(below)
		for _, name := range slices.Sorted(maps.Keys(firstFiles)) {
			if err := o.add(filepath.Join(below, name), []byte(firstFiles[name])); err != nil {
				return "", err
			}
		}
	}
	if err := o.add(free(dir, "mcpgen_program", ".go"), serveSource(m, cfg, first)); err != nil {
		return "", err
	}
	if m.Main {
		return m.Path, t.hideMain(o)
	}
	virtual := free(dir, "mcpgen_program", "")
	if err := o.add(filepath.Join(virtual, "main.go"), mainSource(m)); err != nil {
		return "", err
	}
	return m.Path + "/" + filepath.Base(virtual), nil
}

// serveSource returns the file that is overlaid into the package. All its names have a prefix,
// including the imports, as the package may use every plain name itself. first is the import path
// of the package of firstFiles, or "".
func serveSource(m *model.Package, cfg *Config, first string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\n", m.Name)
	b.WriteString(`import (
	mcpgenContext "context"
	mcpgenFmt "fmt"
	mcpgenOS "os"
	mcpgenSignal "os/signal"
	mcpgenSyscall "syscall"
	mcpgenTime "time"

	mcpgenMCP "` + runtimePackage + `"
`)
	if cfg.HTTP {
		b.WriteString("\tmcpgenIO \"io\"\n\tmcpgenCmd \"" + commandPackage + "\"\n")
	}
	if first != "" {
		fmt.Fprintf(&b, "\tmcpgenFirst %q\n", first)
	}
	options := ""
	if cfg.Auth {
		b.WriteString("\tmcpgenAuth \"" + authPackage + "\"\n")
		options = ", mcpgenAuth.Flags()"
	}
	from := receiverPackages(m)
	for _, p := range slices.SortedFunc(maps.Keys(from), func(x, y *types.Package) int { return strings.Compare(x.Path(), y.Path()) }) {
		fmt.Fprintf(&b, "\t%s %q\n", from[p], p.Path())
	}
	b.WriteString(`)

// MCPGenServe makes the receivers and serves until the end of standard input
// or a signal. It returns the exit code.
func MCPGenServe() int {
	mcpgenCtx, mcpgenStop := mcpgenContext.WithCancel(mcpgenContext.Background())
	defer mcpgenStop()
	mcpgenSignals := make(chan mcpgenOS.Signal, 1)
	mcpgenSignal.Notify(mcpgenSignals, mcpgenOS.Interrupt, mcpgenSyscall.SIGTERM)
	go func() {
		<-mcpgenSignals
		mcpgenStop()
		// Ctrl-C comes from the terminal, and again from each process that passes it on.
		// A later signal ends the program at once.
		mcpgenTime.Sleep(mcpgenTime.Second / 2)
		mcpgenSignal.Stop(mcpgenSignals)
	}()
	// It cleans up even if standard error is closed.
	mcpgenSignal.Notify(make(chan mcpgenOS.Signal, 1), mcpgenSyscall.SIGPIPE)
`)
	if cfg.HTTP {
		b.WriteString(`	// It ends with the process that started it, however that ends.
	go func() {
		_, _ = mcpgenIO.Copy(mcpgenIO.Discard, mcpgenOS.Stdin)
		mcpgenStop()
	}()
`)
	}
	b.WriteString(`
	// Output of a constructor must not be mixed with the messages.
	mcpgenStdout := mcpgenOS.Stdout
	mcpgenOS.Stdout = mcpgenOS.Stderr
`)
	var args []string
	for i, recv := range m.Receivers {
		args = append(args, writeReceiver(&b, m, recv, i, from))
	}
	b.WriteString("\tmcpgenOS.Stdout = mcpgenStdout\n")
	if first != "" {
		b.WriteString(`	if mcpgenHandle, mcpgenOther := mcpgenFirst.Restore(); mcpgenOther {
		mcpgenOS.Stdout = mcpgenOS.NewFile(mcpgenHandle, mcpgenStdout.Name())
	}
`)
	}
	b.WriteString("\n")
	b.WriteString(`	var mcpgenServer *mcpgenMCP.Server
	if mcpgenReason := MCPGenRegister(func() {
`)
	if m.Server != nil {
		fmt.Fprintf(&b, "\t\tmcpgenServer = NewMCPServer(%s)\n", strings.Join(args, ", "))
	} else {
		fmt.Fprintf(&b, "\t\tmcpgenServer = mcpgenMCP.NewServer(mcpgenMCP.ServerInfo{Name: %q})\n", model.ServerName(m.Path))
		if len(m.Forms) == 0 || m.HasFeatures() { // a package with forms only has nothing to register
			fmt.Fprintf(&b, "\t\tRegisterMCP(%s)\n", strings.Join(append([]string{"mcpgenServer"}, args...), ", "))
		}
	}
	b.WriteString(`	}); mcpgenReason != "" {
		mcpgenFmt.Fprintln(mcpgenOS.Stderr, "register the features:", mcpgenReason)
		return 1
	}
`)
	if cfg.HTTP {
		b.WriteString(`	if err := mcpgenCmd.Run(mcpgenCtx, mcpgenServer, mcpgenOS.Args[1:]` + options + `); err != nil {
		mcpgenFmt.Fprintln(mcpgenOS.Stderr, "mcpgen run:", err)
		if _, ok := err.(*mcpgenCmd.UsageError); ok {
			return 2
		}
		return 1
	}
`)
	} else {
		b.WriteString(`	if err := mcpgenServer.ServeStdio(mcpgenCtx); err != nil && mcpgenCtx.Err() == nil {
		mcpgenFmt.Fprintln(mcpgenOS.Stderr, "serve over stdio:", err)
		return 1
	}
`)
	}
	b.WriteString(`	return 0
}

// MCPGenRegister returns the text of the panic for a feature that cannot be registered. Other panics, such as those of
// functions that registration calls, have their stack.
func MCPGenRegister(register func()) (reason string) {
	defer func() {
		mcpgenPanic := recover()
		if text, ok := mcpgenPanic.(string); ok && len(text) > 3 && text[:3] == "mcp" {
			reason = text
		} else if mcpgenPanic != nil {
			panic(mcpgenPanic)
		}
	}()
	register()
	return ""
}

// only this statement may use mcpgenMCP.
var _ mcpgenMCP.Registrar
`)
	if m.Main {
		b.WriteString("\nfunc main() { mcpgenOS.Exit(MCPGenServe()) }\n")
	}
	return []byte(b.String())
}

// receiverPackages returns names for the packages that declare receivers.
func receiverPackages(m *model.Package) map[*types.Package]string {
	names := map[*types.Package]string{}
	for _, recv := range m.Receivers {
		p := recv.Pkg
		if recv.Constructor != nil {
			p = recv.Constructor.Pkg
		}
		add := func(p *types.Package) {
			if p != nil && p != m.Types && names[p] == "" {
				names[p] = fmt.Sprintf("mcpgenFrom%d", len(names))
			}
		}
		if recv.Constructor == nil && recv.Type != nil {
			spell(m, recv.Type, func(p *types.Package) string {
				add(p)
				return ""
			})
			continue
		}
		add(p)
	}
	return names
}

// spell returns the type that a receiver points to, with the name that generated code uses for it.
func spell(m *model.Package, t types.Type, qualifier types.Qualifier) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return types.TypeString(t, qualifier)
	}
	alias, args := m.Aliases.Of(named)
	if alias == nil {
		return types.TypeString(named, qualifier)
	}
	name := alias.Name()
	if q := qualifier(alias.Pkg()); q != "" {
		name = q + "." + name
	}
	var texts []string
	for arg := range args.Types() {
		texts = append(texts, types.TypeString(arg, qualifier))
	}
	if len(texts) > 0 {
		name += "[" + strings.Join(texts, ", ") + "]"
	}
	return name
}

// qualified returns the name of a declaration, qualified if it is in one of those packages.
func qualified(names map[*types.Package]string, p *types.Package, name string) string {
	if p == nil {
		return name
	}
	return names[p] + "." + name
}

// writeReceiver writes the statements that make a receiver, and returns the expression for it.
func writeReceiver(b *strings.Builder, m *model.Package, recv *model.Receiver, i int, from map[*types.Package]string) string {
	name := fmt.Sprintf("mcpgenReceiver%d", i)
	c := recv.Constructor
	if c == nil {
		spelled := qualified(from, recv.Pkg, recv.TypeName)
		if recv.Type != nil {
			spelled = spell(m, recv.Type, func(p *types.Package) string { return from[p] })
		}
		fmt.Fprintf(b, "\tvar %s %s\n", name, spelled)
		return "&" + name
	}
	results := []string{name}
	if c.Cleanup {
		results = append(results, name+"Cleanup")
	}
	if c.Error {
		results = append(results, name+"Error")
	}
	arg := ""
	if c.Context {
		arg = "mcpgenCtx"
	}
	fmt.Fprintf(b, "\t%s := %s(%s)\n", strings.Join(results, ", "), qualified(from, c.Pkg, c.Func), arg)
	if c.Cleanup {
		fmt.Fprintf(b, "\tif %[1]sCleanup != nil {\n\t\tdefer %[1]sCleanup()\n\t}\n", name)
	}
	if c.Error {
		fmt.Fprintf(b, "\tif %[1]sError != nil {\n\t\tmcpgenFmt.Fprintln(mcpgenOS.Stderr, %[2]q, %[1]sError)\n\t\treturn 1\n\t}\n", name, c.Func+":")
	}
	if c.Addr {
		return "&" + name
	}
	return name
}

// mainSource returns the main package. It imports the target and the standard library, so that it
// builds wherever the target does, also from a vendor directory.
func mainSource(m *model.Package) []byte {
	return fmt.Appendf(nil, `package main

import (
	"os"

	target %q
)

func main() { os.Exit(target.MCPGenServe()) }
`, m.Path)
}
