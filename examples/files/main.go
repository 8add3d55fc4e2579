// Files publishes the files of a folder as resources. Nothing outside the folder
// can be read, whatever the URI or a symbolic link says.
//
//	go run ./files -dir ./files             # serves the client that has started it
//	go run ./files -dir ./files -http 8080 # at http://127.0.0.1:8080/mcp
package main

import (
	"flag"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

func main() {
	dir := flag.String("dir", ".", "the `folder` with the files")
	flags := mcpcmd.WithFlags(flag.CommandLine)
	flag.Parse()
	root, err := os.OpenRoot(*dir)
	if err != nil {
		log.Fatal("files: ", err)
	}
	mcpcmd.Main(newServer(root), flags, mcpcmd.WithCleanup(func() { _ = root.Close() }))
}

func newServer(root *os.Root) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "files"})
	s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "files:///", Description: "The files of the folder."}, root))
	return s
}
