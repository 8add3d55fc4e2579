package mcpcmd_test

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// The main function of a program.
func ExampleMain() {
	server := mcp.NewServer(mcp.ServerInfo{Name: "greeter"}) // or the generated NewMCPServer
	mcpcmd.Main(server,
		mcpcmd.WithHTTPOptions(mcphttp.WithAllowedHosts("mcp.example.com")),
	)
}

// A program with its own flag, and a resource to close.
func ExampleWithFlags() {
	dir := flag.String("dir", ".", "the directory to serve")
	flags := mcpcmd.WithFlags(flag.CommandLine)
	flag.Parse()
	root, err := os.OpenRoot(*dir)
	if err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(mcp.ServerInfo{Name: "files"})
	server.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "files://"}, root))
	mcpcmd.Main(server, flags, mcpcmd.WithCleanup(func() { _ = root.Close() }))
}

// A program whose help, version and commands need no database.
func ExampleMainFunc() {
	dir := flag.String("dir", ".", "the directory to serve")
	open := func(context.Context) (*mcp.Server, func(), error) {
		root, err := os.OpenRoot(*dir)
		if err != nil {
			return nil, nil, err
		}
		server := mcp.NewServer(mcp.ServerInfo{Name: "files"})
		server.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "files://"}, root))
		return server, func() { _ = root.Close() }, nil
	}
	mcpcmd.MainFunc(open,
		mcpcmd.WithServerInfo(mcp.ServerInfo{Name: "files"}),
		mcpcmd.WithFlags(flag.CommandLine), // which it parses
		mcpcmd.WithCommands(),
	)
}

// A program in a test, at a free port.
func ExampleRun() {
	server := mcp.NewServer(mcp.ServerInfo{Name: "greeter", Version: "1.0.0"})
	ctx, stop := context.WithCancel(context.Background())
	answered := make(chan string, 1)
	err := mcpcmd.Run(ctx, server, []string{"-http", "127.0.0.1:0"}, mcpcmd.WithReady(func(url string) {
		go func() {
			defer stop()
			resp, err := http.Get(url)
			if err != nil {
				answered <- err.Error()
				return
			}
			_ = resp.Body.Close()
			answered <- resp.Status
		}()
	}))
	fmt.Println(<-answered, err)
	// Output: 400 Bad Request <nil>
}
