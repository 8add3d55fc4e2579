package contract

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Read reads a contract: a contract file, what mcpgen list -json prints, or saved
// answers of any server to tools/list, resources/list, resources/templates/list,
// prompts/list, initialize and server/discover. Answers are results or whole
// JSON-RPC responses, any number of them one after the other, in an array, or as
// the events of an HTTP response; a bare array of features is one, too. Of what
// the text says nothing of, nothing is known, unless it names the server.
func Read(data []byte) (*Contract, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errors.New("the text is not UTF-8")
	}
	if conflicted(data) {
		return nil, errors.New("there are merge markers in the text")
	}
	all, err := readValues(events(data))
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

// conflicted reports whether git left a conflict in a text.
func conflicted(data []byte) bool {
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) {
			return true
		}
	}
	return false
}

// Replaceable reports whether a file may be overwritten with a contract: it is
// empty, a contract, or one with merge markers.
func Replaceable(data []byte) bool {
	text := bytes.TrimSpace(data)
	if len(text) == 0 || conflicted(text) && bytes.Contains(text, []byte(`"server": {`)) {
		return true
	}
	c, err := Read(data)
	return err == nil && c.server != nil
}

// events returns the data of server-sent events, and other text as it is.
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

// read takes one JSON value in.
func (c *Contract) read(v *value) error {
	switch v.kind {
	case object:
		return c.readObject(v)
	case array:
		for _, item := range v.items {
			if !item.is(object) {
				return fmt.Errorf("an array has something else than objects in it: %s", shorten(item.compact(), 60))
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
	return fmt.Errorf("%s is no JSON object", shorten(v.compact(), 60))
}

// featureKind tells what an object in a bare array is, "" if no feature.
func featureKind(v *value) Kind {
	switch {
	case v.str("name") != "" && v.get("inputSchema") != nil:
		return Tool
	case v.str("uri") != "":
		return Resource
	case v.str("uriTemplate") != "":
		return Template
	}
	return ""
}

func (c *Contract) readObject(v *value) error {
	if v.get("jsonrpc") != nil {
		switch result, failed := v.get("result"), v.get("error"); {
		case failed != nil:
			return fmt.Errorf("the answer is an error: %s", shorten(failed.compact(), 200))
		case v.get("method") != nil:
			return nil // a request or notification that was saved along
		case result.is(object):
			return c.readObject(result)
		}
		return errors.New("the JSON-RPC message has no result")
	}
	if result := v.get("result"); result.is(object) && len(v.members) == 1 {
		return c.readObject(result)
	}
	c.readServer(v)
	for _, l := range lists {
		list := v.get(l.member)
		if list == nil {
			continue
		}
		if list.kind != array {
			return fmt.Errorf("%s is no array", l.member)
		}
		c.know(l.kind)
		for _, item := range list.items {
			if !item.is(object) {
				return fmt.Errorf("%s has something else than objects in it: %s", l.member, shorten(item.compact(), 60))
			}
			if err := c.add(l.kind, item); err != nil {
				return err
			}
		}
		c.readCursor(l.member, v)
	}
	return nil
}

// readCursor notes a page that another should follow, until it does.
func (c *Contract) readCursor(list string, page *value) {
	note := list + " has further pages (nextCursor), which are not there: what is on them seems to be missing"
	for i, n := range c.notes {
		if n == note {
			c.notes = append(c.notes[:i], c.notes[i+1:]...)
			break
		}
	}
	if page.str("nextCursor") != "" {
		c.notes = append(c.notes, note)
	}
}

// readServer takes the identity of the server: the member server of a contract,
// or serverInfo and instructions of an answer.
func (c *Contract) readServer(v *value) {
	if s := v.get("server"); s.is(object) {
		c.setServer(s)
		return
	}
	info := v.get("serverInfo")
	if !info.is(object) {
		return
	}
	c.server = &value{kind: object, members: info.without("version").members}
	if i := v.get("instructions"); i.is(text) {
		c.server.members = append(c.server.members[:len(c.server.members):len(c.server.members)], member{"instructions", i})
	}
}
