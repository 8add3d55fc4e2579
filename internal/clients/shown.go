package clients

import (
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/internal/mask"
)

// Shown returns an entry without the values that may be credentials: values of variables and header
// fields, parts of arguments and URLs, and strings in unknown members. hidden contains the names of
// these values, except for arguments that are only suspicious.
func (c *Client) Shown(entry Fields) (shown Fields, hidden []string) {
	command := ""
	for _, f := range entry {
		if text, ok := f.Value.(string); ok && f.Name == "command" {
			command = text
		}
	}
	for _, f := range entry {
		value, names := c.shownMember(command, f)
		shown = append(shown, Field{f.Name, value})
		hidden = append(hidden, names...)
	}
	return shown, hidden
}

func (c *Client) shownMember(command string, f Field) (value any, hidden []string) {
	if f.Name == "" {
		return shownValue(f.Name, f.Value)
	}
	if c.Variables != "" && (f.Name == c.Variables || f.Name == "bearer_token_env_var" || f.Name == "env_"+c.Headers) {
		return f.Value, nil // names of variables
	}
	switch f.Name {
	case "type", "cwd":
		return f.Value, nil
	case "command":
		if text, ok := f.Value.(string); ok {
			words, _ := mask.Command(text, nil)
			_, secrets := mask.Arguments([]string{text})
			if len(secrets) > 0 {
				hidden = []string{"the command"}
			}
			return words[0], hidden
		}
	case "args":
		if args, ok := f.Value.([]string); ok {
			words, _ := mask.Command(command, args)
			_, secrets := mask.Arguments(args)
			if len(secrets) > 0 {
				hidden = []string{"an argument"}
			}
			return words[1:], hidden
		}
	case c.URL, "url":
		if text, ok := f.Value.(string); ok {
			text, secrets := mask.URL(text)
			if len(secrets) > 0 {
				hidden = []string{"the URL"}
			}
			return text, hidden
		}
	case "env", c.Headers:
		if members, ok := f.Value.(Fields); ok {
			var all Fields
			for _, m := range members {
				value, names := shownValue(m.Name, m.Value)
				all, hidden = append(all, Field{m.Name, value}), append(hidden, names...)
			}
			return all, hidden
		}
	}
	return shownValue(f.Name, f.Value)
}

// shownValue hides texts at any depth.
func shownValue(name string, value any) (shown any, hidden []string) {
	switch v := value.(type) {
	case string:
		if v == "" || mask.IsReference(v) {
			return v, nil
		}
		return mask.Sign, []string{name}
	case []string:
		return shownValue(name, plain(v))
	case []any:
		all := make([]any, len(v))
		for i, item := range v {
			one, names := shownValue(name, item)
			all[i], hidden = one, append(hidden, names...)
		}
		return all, slices.Compact(hidden)
	case Fields:
		all := Fields{}
		for _, m := range v {
			one, names := shownValue(name+"."+m.Name, m.Value)
			all, hidden = append(all, Field{m.Name, one}), append(hidden, names...)
		}
		return all, hidden
	}
	return value, nil // a number, true, false or null
}

// fieldsOf is the inverse of plain, with sorted members.
func fieldsOf(value any) any {
	switch v := value.(type) {
	case map[string]any:
		f := Fields{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f = append(f, Field{name, fieldsOf(v[name])})
		}
		return f
	case []any:
		texts, all := make([]string, 0, len(v)), make([]any, 0, len(v))
		for _, item := range v {
			if text, ok := item.(string); ok {
				texts = append(texts, text)
			}
			all = append(all, fieldsOf(item))
		}
		if len(texts) == len(v) {
			return texts
		}
		return all
	}
	return value
}

// lines returns the lines that show an entry.
func (t *Target) lines(value any) (text string, hidden []string) {
	entry, ok := fieldsOf(plain(value)).(Fields)
	if !ok {
		return jsonString(t.Name) + ": " + mask.Sign, []string{"the entry"}
	}
	entry, hidden = t.Client.Shown(entry)
	if t.Client.TOML {
		return entry.TOML(t.Client.Holds, t.Name, "\n"), hidden
	}
	return jsonString(t.Name) + ": " + entry.JSON(true), hidden
}

// Secrets returns the values of a server that must not be shown, to mask them in the output of
// others.
func (c *Client) Secrets(s *Server, lookup func(string) (string, bool)) []string {
	var all []string
	for _, variables := range [][]Variable{s.Env, s.Header} {
		for i := range variables {
			for _, value := range []string{variables[i].Value, c.Expand(variables[i].Value, lookup)} {
				all = append(all, mask.Parts(value)...)
			}
		}
	}
	for _, text := range []string{s.URL, c.Expand(s.URL, lookup)} {
		_, hidden := mask.URL(text)
		all = append(all, hidden...)
	}
	args := append([]string{s.Command}, s.Args...)
	_, hidden := mask.Command(args[0], args[1:])
	all = append(all, hidden...)
	for i, arg := range args {
		args[i] = c.Expand(arg, lookup)
		if args[i] != arg {
			all = append(all, args[i])
		}
	}
	_, hidden = mask.Command(args[0], args[1:])
	return append(all, hidden...)
}
