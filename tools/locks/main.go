// Locks lists the locks under which code can wait for a client or anything else outside of the
// process. A file contains a line for each of them with the possible waits, and with the reason why
// no other client's request waits for the lock in the meantime, or the limit of the wait. The
// command reports locks without a line, lines whose lock or wait no longer exists, and new waits.
//
//	go run ./locks -file locks/waits.txt ../runtime ../runtime/mcpnats
//
// A lock is a field or package variable of type [sync.Mutex], [sync.RWMutex] or [sync.Cond], or a
// pointer to one. A wait is a channel operation without default, a call into net, os, io and the
// like, [time.Sleep], Wait, a method of an interface that other code implements, a function that
// other code passes, a lock under which something waits, and a call of a function in the repository
// that waits. Methods that the standard library calls implicitly, such as String and MarshalJSON,
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
