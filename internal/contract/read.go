package contract

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// Read reads a contract: a contract file, the output of mcpgen list -json, or saved results of any
// server for tools/list, resources/list, resources/templates/list, prompts/list, skills/list,
// initialize and server/discover. They are results or whole JSON-RPC responses, any number of them
// in sequence, in an array, or as the events of an HTTP response; a bare array of features is also
// accepted. Missing lists are unknown, unless the text is a contract with a server.
func Read(data []byte) (*Contract, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errors.New("the text is not UTF-8")
	}
	if conflicted(data) {
		return nil, errors.New("there are merge markers in the text")
	}
	all, err := jsontree.Read(events(data))
	if err != nil {
		return nil, err
	}
	c := &Contract{}
	for _, v := range all {
		if err := c.read(v); err != nil {
			return nil, err
		}
	}
	if c.server == nil && len(c.known) == 0 {
		return nil, errors.New("there is no list of features in it: neither tools, nor resources, resourceTemplates or prompts")
	}
	return c, nil
}

// conflicted reports whether a text contains git's conflict markers.
func conflicted(data []byte) bool {
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return true
		}
	}
	return false
}

// Replaceable reports whether a file may be overwritten with a contract: it is empty, a contract,
// or a contract with conflict markers.
func Replaceable(data []byte) bool {
	text := bytes.TrimSpace(data)
	if len(text) == 0 || conflicted(text) && bytes.Contains(text, []byte(`"server": {`)) {
		return true
	}
	c, err := Read(data)
	return err == nil && c.server != nil
}

// events returns the data of server-sent events, or any other text unchanged.
func events(data []byte) []byte {
	var b bytes.Buffer
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		name, rest, _ := strings.Cut(line, ":")
		switch name {
		case "data":
			b.WriteString(strings.TrimPrefix(rest, " ") + "\n")
		case "", "event", "id", "retry":
		default:
			return data
		}
	}
	return b.Bytes()
}

// read adds one JSON value.
func (c *Contract) read(v *jsontree.Value) error {
	switch v.Kind {
	case jsontree.Object:
		return c.readObject(v)
	case jsontree.Array:
		for _, item := range v.Items {
			if !item.Is(jsontree.Object) {
				return fmt.Errorf("an array has an element that is not an object: %s", shorten(item.Compact(), 60))
			}
			if kind := featureKind(item); kind != "" {
				if err := c.add(kind, item); err != nil {
					return err
				}
			} else if err := c.readObject(item); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("%s is not a JSON object", shorten(v.Compact(), 60))
}

// featureKind returns the kind of an object in a bare array, or "" if it is not a feature.
func featureKind(v *jsontree.Value) Kind {
	switch {
	case v.Str("name") != "" && v.Get("inputSchema") != nil:
		return Tool
	case v.Str("uri") != "" && v.Get("frontmatter") != nil:
		return Skill
	case v.Str("uri") != "":
		return Resource
	case v.Str("uriTemplate") != "":
		return Template
	}
	return ""
}

func (c *Contract) readObject(v *jsontree.Value) error {
	if v.Get("jsonrpc") != nil {
		switch result, failed := v.Get("result"), v.Get("error"); {
		case failed != nil:
			return fmt.Errorf("the answer is an error: %s", shorten(failed.Compact(), 200))
		case v.Get("method") != nil:
			return nil // a request or notification among the saved messages
		case result.Is(jsontree.Object):
			return c.readObject(result)
		}
		return errors.New("the JSON-RPC message has no result")
	}
	if result := v.Get("result"); result.Is(jsontree.Object) && len(v.Members) == 1 {
		return c.readObject(result)
	}
	c.readServer(v)
	for _, l := range lists {
		list := v.Get(l.member)
		if list == nil {
			continue
		}
		if list.Kind != jsontree.Array {
			return fmt.Errorf("%s is not an array", l.member)
		}
		c.know(l.kind)
		for _, item := range list.Items {
			if !item.Is(jsontree.Object) {
				return fmt.Errorf("%s has an element that is not an object: %s", l.member, shorten(item.Compact(), 60))
			}
			if err := c.add(l.kind, item); err != nil {
				return err
			}
		}
		c.readCursor(l.member, v)
	}
	return nil
}

// readCursor records that a list has a further page, until that page is read.
func (c *Contract) readCursor(list string, page *jsontree.Value) {
	note := list + " has further pages (nextCursor), which are not there: what is on them seems to be missing"
	for i, n := range c.notes {
		if n == note {
			c.notes = append(c.notes[:i], c.notes[i+1:]...)
			break
		}
	}
	if page.Str("nextCursor") != "" {
		c.notes = append(c.notes, note)
	}
}

// readServer reads the identity of the server: the member server of a contract, or serverInfo and
// instructions of a result.
func (c *Contract) readServer(v *jsontree.Value) {
	if s := v.Get("server"); s.Is(jsontree.Object) {
		c.setServer(s)
		return
	}
	info := v.Get("serverInfo")
	if !info.Is(jsontree.Object) {
		return
	}
	c.server = &jsontree.Value{Kind: jsontree.Object, Members: info.Without("version").Members}
	if i := v.Get("instructions"); i.Is(jsontree.Text) {
		c.server.Members = append(c.server.Members[:len(c.server.Members):len(c.server.Members)], jsontree.Member{Name: "instructions", Value: i})
	}
}
