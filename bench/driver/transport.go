package main

import (
	"fmt"
	"path/filepath"
)

// transport is a transport with a revision.
type transport struct {
	name   string
	title  string
	http   bool
	modern bool // revision 2026-07-28
	alone  bool // a legacy revision without sessions
}

var transports = []*transport{
	{name: "stdio", title: "stdio"},
	{name: "stdio-modern", title: "stdio, 2026-07-28", modern: true},
	{name: "http-session", title: "HTTP, session", http: true},
	{name: "http-sessionless", title: "HTTP, without sessions", http: true, alone: true},
	{name: "http-modern", title: "HTTP, 2026-07-28", http: true, modern: true},
}

// servers are the names of the programs, in the order of the table.
var servers = []string{"mcpgen", "limit", "mcpgo", "gosdk"}

var titles = map[string]string{
	"mcpgen": "mcpgen", "gosdk": "go-sdk 1.8.0", "mcpgo": "mcp-go 1.2.1", "limit": "hand-written codec",
}

// titleOf returns the name of a server in tables.
func titleOf(server string) string {
	if t, ok := titles[server]; ok {
		return t
	}
	return server
}

// binary returns the program of a server.
func (t *transport) binary(dir, server string) string {
	kind := "stdio"
	if t.http {
		kind = "http"
	}
	return filepath.Join(dir, server+"-"+kind)
}

// try takes one sample of a server, in a new process.
func (l *load) try(dir, server string) (s sample, err error) {
	bin := l.over.binary(dir, server)
	var p *process
	var args []string
	if l.over.http {
		// go-sdk serves 2026-07-28 only without sessions.
		if l.over.alone || l.over.modern && server == "gosdk" {
			args = append(args, "-sessionless")
		}
		if l.scenario.events {
			args = append(args, "-events")
		}
		p, err = startSite(bin, args...)
	} else {
		p, err = start(bin)
	}
	if err != nil {
		return s, err
	}
	defer func() {
		total := p.stop()
		if s.CPU == 0 && s.Calls > 0 {
			s.CPU = total.Seconds() / float64(s.Calls) * 100_000
		}
		if err != nil {
			err = fmt.Errorf("%s, %s, %s, %d at a time: %w; stderr: %s", server, l.over.name, l.scenario.name, l.at, err, p.stderr.String())
		}
	}()
	lanes, err := l.lanes(p)
	if err != nil {
		return s, err
	}
	defer func() {
		for _, one := range lanes {
			one.close()
		}
	}()
	return l.measure(p, lanes)
}

// lanes opens the lanes of the load.
func (l *load) lanes(p *process) ([]lane, error) {
	if !l.over.http {
		t, err := newPipe(p, l)
		return []lane{t}, err
	}
	var lanes []lane
	for i := range l.at {
		c, err := newConnection(p.address(), l, i)
		if err != nil {
			return lanes, err
		}
		lanes = append(lanes, c)
	}
	return lanes, nil
}
