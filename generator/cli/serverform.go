package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// maxAnswer limits the length of a typed line.
const maxAnswer = 64 << 10

// elicit asks the questions of a server on the terminal, field by field. Without a terminal the
// question is printed and cancelled.
func (r *remoteServer) elicit(ctx context.Context, e *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	c := r.c
	form, err := e.Form()
	if err != nil {
		return mcpclient.Cancel(), err
	}
	if !c.hasTerminal() {
		c.noteln("the server asks: %s\n\thint: there is no terminal to answer on, so the question was cancelled", shown(e.Message))
		return mcpclient.Cancel(), nil
	}
	c.noteln("The server asks: %s\n(Enter takes what is in brackets; decline refuses the whole form)", shown(e.Message))
	answer := map[string]any{}
	for i := range form.Fields {
		value, given, err := c.ask(ctx, &form.Fields[i])
		switch {
		case err == errDeclined:
			return mcpclient.Decline(), nil
		case err != nil:
			return mcpclient.Cancel(), nil
		case given:
			answer[form.Fields[i].Name] = value
		}
	}
	return mcpclient.Accept(answer), nil
}

// errDeclined is returned if the user declines a question.
var errDeclined = fmt.Errorf("declined")

// ask asks for one field until the answer is valid. given is false if nothing was typed.
func (c *command) ask(ctx context.Context, f *mcpclient.Field) (value any, given bool, err error) {
	label := shown(f.Label())
	if f.Description != "" {
		label += " (" + shown(f.Description) + ")"
	}
	for i, choice := range f.Choices {
		title := choice.Value
		if choice.Title != "" && choice.Title != choice.Value {
			title += ": " + choice.Title
		}
		label += fmt.Sprintf("\n  %d) %s", i+1, shown(title))
	}
	if f.Default != "" {
		label += " [" + shown(f.Default) + "]"
	}
	for {
		fmt.Fprintf(c.err, "%s: ", label)
		text, err := c.readLine(ctx)
		switch {
		case err != nil:
			return nil, false, err
		case text == "decline":
			return nil, false, errDeclined
		case text == "":
			if !f.Required || f.Default != "" {
				return nil, false, nil
			}
			fmt.Fprintln(c.err, "an answer is required")
			continue
		}
		value := typed(f, text)
		if err := f.Check(value); err != nil {
			fmt.Fprintln(c.err, shown(err.Error()))
			continue
		}
		return value, true, nil
	}
}

// typed converts a typed text to the value of a field. Text that cannot be converted stays text,
// which the check of the field refuses.
func typed(f *mcpclient.Field, text string) any {
	switch f.Kind {
	case mcp.IntegerField, mcp.NumberField:
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	case mcp.BooleanField:
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			return true
		case "n", "no", "false":
			return false
		}
	case mcp.ChoiceField:
		return chosen(f, text)
	case mcp.ChoicesField:
		all := []string{}
		for part := range strings.SplitSeq(text, ",") {
			all = append(all, chosen(f, strings.TrimSpace(part)))
		}
		return all
	case mcp.StringField:
	}
	return text
}

// chosen returns a choice by its value, its title or its number.
func chosen(f *mcpclient.Field, text string) string {
	for _, choice := range f.Choices {
		if choice.Value == text {
			return text
		}
	}
	for _, choice := range f.Choices {
		if choice.Title == text {
			return choice.Value
		}
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.Choices) {
		return f.Choices[n-1].Value
	}
	return text
}

// openURL shows a link of a server. The user opens it, not this command. The user first agrees to
// open it, which is the answer, and then confirms that it is done, since a server need not report
// that. A link without an id belongs to a round, which is answered once the link is done: the
// server would ask again.
func (r *remoteServer) openURL(ctx context.Context, e *mcpclient.Elicitation) (mcp.ElicitAction, error) {
	r.asking.Lock()
	waits := false
	defer func() {
		if !waits {
			r.asking.Unlock()
		}
	}()
	c := r.c
	c.noteln("The server asks to open a link: %s\n\t%s", shown(e.Message), shown(e.URL))
	if !c.hasTerminal() {
		c.noteln("\thint: there is no terminal to answer on, so the question was cancelled")
		return mcp.ActionCancel, nil
	}
	fmt.Fprint(c.err, "Do you open it? [y/N]: ")
	text, err := c.readLine(ctx)
	switch {
	case err != nil:
		return mcp.ActionCancel, nil
	case !strings.EqualFold(text, "y") && !strings.EqualFold(text, "yes"):
		return mcp.ActionDecline, nil
	case e.ID == "":
		if c.awaitLink(ctx, e) != nil {
			return mcp.ActionCancel, nil
		}
		return mcp.ActionAccept, nil
	}
	waits = true // for the next typed line
	go func() {
		defer r.asking.Unlock()
		_ = c.awaitLink(c.ctx, e)
	}()
	return mcp.ActionAccept, nil
}

// awaitLink waits until the user or the server confirms that the link's purpose is done.
func (c *command) awaitLink(ctx context.Context, e *mcpclient.Elicitation) error {
	fmt.Fprint(c.err, "Press Enter when it is done: ")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if done := e.Done(); done != nil {
		go func() {
			select {
			case <-done:
				stop()
			case <-ctx.Done():
			}
		}()
	}
	_, err := c.readLine(ctx)
	if err == nil {
		e.Complete()
		return nil
	}
	select {
	case <-e.Done():
		fmt.Fprintln(c.err, "the server says that it is done")
		return nil
	default:
		return err
	}
}

// hasTerminal reports whether a person can answer.
func (c *command) hasTerminal() bool {
	in, ok := c.in.(*os.File)
	return c.asksAnyway || ok && isTerminal(in)
}

// readLine reads a typed line. It returns when ctx is done, but the read of the terminal continues,
// and the next call gets its line.
func (c *command) readLine(ctx context.Context) (string, error) {
	if c.typed == nil {
		c.typed = make(chan string)
		go func() {
			defer close(c.typed)
			lines := bufio.NewScanner(c.in)
			lines.Buffer(nil, maxAnswer)
			for lines.Scan() {
				c.typed <- lines.Text()
			}
		}()
	}
	select {
	case line, ok := <-c.typed:
		if !ok {
			return "", io.EOF
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
