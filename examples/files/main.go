// Files publishes the files of a folder as resources. No URI or symbolic link leads outside the
// folder.
//
//	go run ./files -dir ./files             # serves the client that has started it
//	go run ./files -dir ./files -http 8080 # at http://127.0.0.1:8080/mcp
package main

import (
	"context"
	"flag"
	"os"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() {
	dir := flag.String("dir", ".", "the `folder` with the files")
	open := func(context.Context) (*mcp.Server, func(), error) {
		root, err := os.OpenRoot(*dir)
		if err != nil {
			return nil, nil, err
		}
		return newServer(root), func() { _ = root.Close() }, nil
	}
	mcpcmd.MainFunc(open, mcpcmd.WithServerInfo(mcp.ServerInfo{Name: "files"}), mcpcmd.WithFlags(flag.CommandLine))
}

func newServer(root *os.Root) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "files"})
	s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "files:///", Description: "The files of the folder."}, root))
	return s
}
