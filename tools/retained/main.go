// Retained lists the places in which code retains data: growing fields and package variables of
// types that outlive a message. A file contains a line for each place with its limit. The command
// reports places without a line, and lines whose place no longer exists.
//
//	go run ./retained -file retained/places.txt ../runtime ../runtime/mcpnats
//
// A place is a field or package variable of a map, slice, channel, [sync.Map] or
// [container/list.List] type that code outside of tests extends: the code assigns to a key,
// appends, sends, stores or pushes, directly or in a function that it passes the value to. Fields
// count in types that contain a lock or an atomic value, in types of package variables, and in all
// types reachable from these. Other values live as long as a call.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	file := flag.String("file", "", "the file that says what bounds each place")
	rows := flag.String("rows", "", "the page whose table has the rows that the file names")
	flag.Parse()
	problems, err := run(*file, *rows, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "retained:", err)
		os.Exit(2)
	}
	if len(problems) > 0 {
		fmt.Println(strings.Join(problems, "\n"))
		os.Exit(1)
	}
}

func run(file, rows string, dirs []string) ([]string, error) {
	found := map[string]place{}
	for _, dir := range dirs {
		places, err := scan(dir)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			found[p.name] = p
		}
	}
	lines, err := readLines(file)
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(rows)
	if err != nil {
		return nil, err
	}
	return compare(file, found, lines, string(page)), nil
}
