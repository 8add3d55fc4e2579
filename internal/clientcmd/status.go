package clientcmd

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/columns"
	"github.com/mcpgen/mcpgen/internal/mask"
)

func absolute(path string) (string, error) { return filepath.Abs(path) }

// answerTime limits the time in which a server must start and answer tools/list.
const answerTime = 10 * time.Second

// StatusOptions are the values of the flags of status.
type StatusOptions struct {
	JSON  bool
	Start bool // also entries that install has not written
	Wide  bool // cut nothing on a terminal
	// Only selects entries. It may be nil.
	Only func(*clients.Status) bool
}

// Define adds the flags of status.
func (o *StatusOptions) Define(set *flag.FlagSet) {
	set.BoolVar(&o.JSON, "json", false, "")
	set.BoolVar(&o.Start, "start", false, "")
	set.BoolVar(&o.Wide, "wide", false, "")
}

// row is an entry in the output of status.
type row struct {
	Client  string   `json:"client"`
	Scope   string   `json:"scope"`
	Path    string   `json:"path"`
	Name    string   `json:"name,omitempty"`
	Command []string `json:"command,omitempty"` // without credentials, like URL
	URL     string   `json:"url,omitempty"`
	Hidden  bool     `json:"hidden,omitempty"` // *** replaces values that may be credentials
	Ours    bool     `json:"installed"`        // by install, and unchanged since
	Current *bool    `json:"current,omitempty"`
	Answers *bool    `json:"answers,omitempty"` // nil if the server was not started
	Tools   *int     `json:"tools,omitempty"`
	Tokens  *int     `json:"tokens,omitempty"`
	Finding string   `json:"finding,omitempty"`
}

// Status prints the entries of clients. It reports whether it has found problems.
func (c *Command) Status(ctx context.Context, args []string, o StatusOptions) (found bool, err error) {
	chosen := clients.All
	if len(args) > 0 {
		client, _, err := c.client(args[0], "")
		if err != nil {
			return false, err
		}
		chosen = []*clients.Client{client}
	}
	rows := []*row{}
	for _, client := range chosen {
		list, err := c.System.Status(client)
		if err != nil {
			return false, err
		}
		tools := 0
		for _, s := range list {
			if s.Name != "" && (len(args) > 1 && s.Name != args[1] || o.Only != nil && !o.Only(s)) {
				continue
			}
			r := c.row(ctx, s, o)
			if r.Tools != nil {
				tools += *r.Tools
			}
			if most := client.MostTools; most > 0 && tools > most && r.Tools != nil && r.Finding == "" {
				r.Finding = fmt.Sprintf("%s passes on %d tools, and its servers have %d up to here", client.Title, most, tools)
			}
			found = found || r.Finding != ""
			rows = append(rows, r)
		}
	}
	if o.JSON {
		enc := json.NewEncoder(c.Out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return found, enc.Encode(rows)
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(c.Out, "no client has an entry here")
		return false, err
	}
	screen := c.Screen
	if o.Wide {
		screen = screen.Wide()
	}
	w := columns.NewTable(c.Out, screen)
	w.Cut = []string{"SERVER", "STATE"}
	fmt.Fprintln(w, "CLIENT\tSCOPE\tNAME\tTOOLS\tTOKENS\tSTATE\tSERVER")
	for _, r := range rows {
		row := []string{r.Client, r.Scope, cells.Replace(dash(r.Name)), number(r.Tools), number(r.Tokens), cells.Replace(r.state()), cells.Replace(r.server())}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return found, err
	}
	if slices.ContainsFunc(rows, func(r *row) bool { return r.Hidden }) {
		_, err = fmt.Fprint(c.Out, screen.Fit(mask.Sign+" stands for a value that may be a credential, or is the value of a flag of one letter: the file of the client has it\n"))
	}
	return found, err
}

// row checks an entry.
func (c *Command) row(ctx context.Context, s *clients.Status, o StatusOptions) *row {
	r := &row{Client: s.Client.Name, Scope: string(s.Scope), Path: s.Path, Name: s.Name, Ours: s.Ours, Finding: s.Finding}
	var hidden, hiddenURL []string
	r.URL, hiddenURL = mask.URL(s.Server.URL)
	if s.Server.Command != "" {
		r.Command, hidden = mask.Command(s.Server.Command, s.Server.Args)
	}
	r.Hidden = len(hidden)+len(hiddenURL) > 0
	if s.Ours && s.Build != nil && c.Current != nil {
		current, err := c.Current(ctx, s.Build)
		switch {
		case err != nil:
			r.find("build " + s.Build.Package + ": " + err.Error())
		case !current:
			r.find("its source has changed: install it again with -build " + s.Build.File)
		}
		if err == nil {
			r.Current = &current
		}
	}
	if c.Probe == nil || s.Name == "" || s.Finding != "" && !strings.HasPrefix(s.Finding, "the scope") || !s.Ours && !o.Start {
		return r
	}
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, fmt.Errorf("no answer within %v", answerTime))
	defer cancel()
	tools, tokens, err := c.Probe(ctx, s)
	answers := err == nil
	r.Answers = &answers
	if err != nil {
		// The error, or the program, may repeat values from its command line.
		text, _, _ := strings.Cut(mask.Text(err.Error(), s.Client.Secrets(&s.Server, c.System.Lookup)), "\n")
		r.find("it does not answer: " + text)
		return r
	}
	r.Tools, r.Tokens = &tools, &tokens
	return r
}

// find adds a finding, unless the row already has one.
func (r *row) find(text string) {
	if r.Finding == "" {
		r.Finding = text
	}
}

func (r *row) state() string {
	switch {
	case r.Finding != "":
		return r.Finding
	case r.Answers != nil:
		return "answers"
	case !r.Ours:
		return "not started: -start starts it"
	}
	return "there"
}

func (r *row) server() string {
	if r.URL != "" {
		return r.URL
	}
	if len(r.Command) == 0 {
		return r.Path
	}
	return words(r.Command)
}

// cells escapes characters that end the cell or the row of a table; texts in files may contain
// them.
var cells = strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`, "\v", `\v`, "\f", `\f`)

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func number(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}
