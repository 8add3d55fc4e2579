package main

import (
	"fmt"
	"os"
)

func main() {
	if runChild() {
		return
	}
	if err := measure(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "replicas:", err)
		os.Exit(1)
	}
}
