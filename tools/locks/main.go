// Locks lists the locks under which code can wait for a client or anything else outside. Each has a line in a file that says what it can wait
// for, and why no request of a stranger waits for the lock meanwhile, or what bounds the wait. The command reports locks
// without a line, lines whose lock or wait has gone, and waits that are new.
//
//	go run ./locks -file locks/waits.txt ../runtime ../runtime/mcpnats
//
// A lock is a field or package variable of type [sync.Mutex], [sync.RWMutex] or [sync.Cond], or a pointer to one. What
// waits is a channel operation without default, a call into net, os, io and the like, [time.Sleep], Wait, a method of an
// interface that others implement, a function that others give, a lock under which something waits, and a call of a
// function of the repository that does so. Methods that the standard library calls by itself, such as String and MarshalJSON,
// do not count.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	file := flag.String("file", "", "the file that says why the waits under each lock hold up no other client")
	verbose := flag.Bool("v", false, "print the functions between each lock and what waits")
	flag.Parse()
	problems, err := run(*file, *verbose, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "locks:", err)
		os.Exit(2)
	}
	if len(problems) > 0 {
		fmt.Println(strings.Join(problems, "\n"))
		os.Exit(1)
	}
}

func run(file string, verbose bool, dirs []string) ([]string, error) {
	found, err := scan(dirs...)
	if err != nil {
		return nil, err
	}
	if verbose {
		for _, l := range found {
			for _, w := range l.waits {
				fmt.Printf("%s\n\t%s\n\t\t%s\n", l.name, w.what, strings.Join(w.path, "\n\t\t"))
			}
		}
	}
	lines, err := readLines(file)
	if err != nil {
		return nil, err
	}
	return compare(file, found, lines), nil
}
