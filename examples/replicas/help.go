package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// flagGroups are the flags in the order of the help. Those that are in no group belong to the last
// one.
var flagGroups = []struct {
	title string
	names []string
}{
	{"All replicas on this machine:", []string{"replicas", "port"}},
	{"One replica, with a NATS server inside:", []string{"name", "dir", "routes", "peers", "routes-cert", "routes-key", "routes-ca", "sync"}},
	{"One replica, with NATS elsewhere:", []string{"nats", "nats-user", "nats-password-file", "nats-creds"}},
	{"The shop:", []string{"secret-file", "stop-delay", "supplier-time", "copies", "until-eof", "version"}},
	{"Serving over HTTP:", []string{"http", "allow-host", "allow-origin", "tls-cert", "tls-key", "client-ca"}},
	{"Who may call:", nil},
}

// printHelp prints what to type first, and the flags in groups.
func printHelp(out io.Writer, set *flag.FlagSet) {
	fmt.Fprintf(out, `%[1]s -replicas 3 starts a shop of three processes at http://127.0.0.1:8080/mcp

usage: %[1]s -replicas N [flags]
       %[1]s -http ADDR -dir DIR [flags]
       %[1]s -http ADDR -nats URL [flags]
`, set.Name())
	var grouped []string
	for _, group := range flagGroups {
		grouped = append(grouped, group.names...)
	}
	for _, group := range flagGroups {
		names := group.names
		if names == nil {
			set.VisitAll(func(f *flag.Flag) {
				if !slices.Contains(grouped, f.Name) {
					names = append(names, f.Name)
				}
			})
		}
		fmt.Fprintf(out, "\n%s\n\n", group.title)
		for _, name := range names {
			printFlag(out, set.Lookup(name))
		}
	}
}

// The columns of the help, behind a tab of eight.
const (
	helpColumn = 21
	helpWidth  = 72
)

// printFlag prints a flag, and what it does in a column of its own.
func printFlag(out io.Writer, f *flag.Flag) {
	value, usage := flag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
		usage += " (default " + f.DefValue + ")"
	}
	line := strings.TrimSpace("-" + f.Name + " " + value)
	for word := range strings.FieldsSeq(usage) {
		switch {
		case len(line) < helpColumn:
			line += strings.Repeat(" ", helpColumn-len(line))
		case len(line)+1+len(word) > helpWidth:
			fmt.Fprintf(out, "\t%s\n", line)
			line = strings.Repeat(" ", helpColumn)
		default:
			line += " "
		}
		line += word
	}
	fmt.Fprintf(out, "\t%s\n", line)
}
