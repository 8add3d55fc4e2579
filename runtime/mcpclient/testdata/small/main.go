// Command small calls a tool of a server that is a program.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	c, err := mcpclient.Connect(ctx, mcpclient.Command{Path: os.Args[1]}, mcpclient.Options{})
	if err != nil {
		return err
	}
	defer c.Close()
	r, err := c.Call(ctx, os.Args[2], nil)
	if err != nil {
		return err
	}
	fmt.Println(r.Text())
	if r.IsError {
		return errors.New("the tool has failed")
	}
	return nil
}
