package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/interop/hostile"
	"github.com/mcpgen/mcpgen/interop/hostile/probe"
)

var (
	withPeers = flag.Bool("peers", false, "run other people's clients against every hostile server")
	writeDocs = flag.Bool("docs", false, "run all clients against hostile servers, one at a time, and write the table into docs/decide/comparison.md")
)

// hostileTime is the timeout of the clients' context.
const hostileTime = 10 * time.Second

// hostileClients are the clients of the table, in the order of its columns.
var hostileClients = []struct{ name, title, module string }{
	{"mcpgen", "mcpgen", ""},
	{"gosdk", "Go SDK", "github.com/modelcontextprotocol/go-sdk"},
	{"mcpgo", "mcp-go", "github.com/mark3labs/mcp-go"},
}

// hostilePrograms returns the directory of the clients and the server.
var hostilePrograms = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(filepath.Dir(bookstore), "hostile") + string(filepath.Separator)
	for from, to := range map[string]string{"./hostile/clients/...": dir, "./hostile/server": dir + "server" + exe()} {
		if out, err := exec.Command("go", "build", "-o", to, from).CombinedOutput(); err != nil {
			return "", fmt.Errorf("build %s: %w\n%s", from, err, out)
		}
	}
	return dir, nil
})

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// hostileCell is the outcome of one client with one server.
type hostileCell struct {
	text    string
	good    bool
	ran     bool   // the client has reported its outcome
	message string // of the error
}

// meet runs one client against one server.
func meet(ctx context.Context, dir, client string, row *hostile.Row, limit time.Duration) hostileCell {
	to := probe.Server{Over: row.Over, Path: dir + "server" + exe(), Row: row.Name, Do: row.Do, Time: limit}
	server, strayed := new(hostile.Server), func() int { return 0 }
	if row.Over != "stdio" {
		var stop func()
		server, to.URL, strayed, stop = hostile.Start(row)
		defer stop()
	}
	argument, err := json.Marshal(to)
	if err != nil {
		return hostileCell{text: err.Error()}
	}
	// The client ends itself after twice the time.
	ctx, cancel := context.WithTimeout(ctx, 4*limit+30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, dir+client+exe(), string(argument))
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	cmd.WaitDelay = time.Second // a server that it has left behind may keep its output open
	runErr := cmd.Run()
	var o probe.Outcome
	if json.Unmarshal(out.Bytes(), &o) != nil {
		return hostileCell{text: fmt.Sprintf("ended: %v: %.200s", runErr, &stderr)}
	}
	sent := ""
	if row.Sent != nil {
		sent = row.Sent(server)
	}
	return judge(row, &o, strayed(), sent, limit)
}

// judge returns the outcome of a row, and whether it is correct.
func judge(row *hostile.Row, o *probe.Outcome, strayed int, sent string, limit time.Duration) hostileCell {
	c := hostileCell{ran: true, good: true, message: o.Error}
	var parts []string
	note := func(good bool, text string) {
		c.good = c.good && good
		if !good {
			text = "**" + text + "**"
		}
		parts = append(parts, text)
	}
	switch {
	case o.Ended == "memory":
		note(false, "no end of memory")
	case o.Ended != "":
		note(false, "no end")
	case o.Error != "" && o.Seconds > limit.Seconds()-0.1:
		note(row.Waits, "timeout")
	case o.Error != "":
		note(row.Want == "error", "error")
	case o.Value == row.Want:
		note(true, "right")
	case row.Want == "error":
		note(false, "accepted")
	default:
		note(false, "wrong value")
	}
	if row.Elsewhere && strayed > 0 {
		note(false, "sent there")
	}
	if row.Asked && o.Asked {
		note(false, "the user is asked")
	}
	if sent != "" {
		note(false, sent)
	}
	note(o.Seconds < limit.Seconds()+2, fmt.Sprintf("%.1f s", o.Seconds))
	note(o.MB <= float64(row.Memory()), fmt.Sprintf("%.0f MB", o.MB))
	c.text = strings.Join(parts, ", ")
	return c
}

// TestHostileServers runs mcpgen's client against servers that violate the protocol, and checks its
// outcomes. Third-party clients meet the first server, which violates nothing, and with -peers or
// -docs all of them: they only have to run, and the table is printed. With -docs it is written.
func TestHostileServers(t *testing.T) {
	dir, err := hostilePrograms()
	if err != nil {
		t.Fatal(err)
	}
	cells := make([][]hostileCell, len(hostile.Rows))
	for i := range hostile.Rows {
		row := &hostile.Rows[i]
		cells[i] = make([]hostileCell, len(hostileClients))
		for j, client := range hostileClients {
			if client.module != "" && i > 0 && !*withPeers && !*writeDocs {
				continue
			}
			t.Run(row.Name+"/"+client.name, func(t *testing.T) {
				if !*writeDocs {
					t.Parallel()
				}
				c := meet(t.Context(), dir, client.name, row, hostileTime)
				t.Logf("a server that %s: %s %s", row.About, c.text, c.message)
				if !c.ran || client.module == "" && !c.good {
					t.Errorf("a server that %s: %s, want %s", row.About, c.text, row.Want)
				}
				cells[i][j] = c
			})
		}
	}
	t.Cleanup(func() { // after the end of all clients
		if *withPeers || *writeDocs {
			fmt.Print(hostileTable(cells))
		}
		if *writeDocs && !t.Failed() {
			if err := writeHostileTable(cells); err != nil {
				t.Error(err)
			}
		}
	})
}

// The table is between these lines in docs/decide/comparison.md.
const hostilePage, hostileBegin, hostileEnd = "../docs/decide/comparison.md", "<!-- hostile servers -->\n", "<!-- end of hostile servers -->\n"

func writeHostileTable(cells [][]hostileCell) error {
	text, err := os.ReadFile(hostilePage)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), hostileBegin)
	_, after, ended := strings.Cut(rest, hostileEnd)
	if !ok || !ended {
		return fmt.Errorf("%s has no place for the table", hostilePage)
	}
	return os.WriteFile(hostilePage, []byte(before+hostileBegin+hostileTable(cells)+hostileEnd+after), 0o600)
}

// hostileTable returns the table. Its last line counts the correct outcomes.
func hostileTable(cells [][]hostileCell) string {
	var b strings.Builder
	b.WriteString("\n| a server that | right is |")
	versions := moduleVersions()
	for _, client := range hostileClients {
		fmt.Fprintf(&b, " %s |", strings.TrimSpace(client.title+" "+strings.TrimPrefix(versions[client.module], "v")))
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(hostileClients)) + "\n")
	right := make([]int, len(hostileClients))
	for i := range hostile.Rows {
		row := &hostile.Rows[i]
		fmt.Fprintf(&b, "| %s | %s |", row.About, wanted(row))
		for j, c := range cells[i] {
			if c.good {
				right[j]++
			}
			fmt.Fprintf(&b, " %s |", c.text)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "| right, of %d | |", len(hostile.Rows))
	for _, n := range right {
		fmt.Fprintf(&b, " %d |", n)
	}
	return b.String() + "\n\n"
}

// wanted returns the correct outcome.
func wanted(row *hostile.Row) string {
	text := "the result"
	switch {
	case row.Want == "error" && row.Waits:
		text = "a timeout"
	case row.Want == "error":
		text = "an error"
	case row.Do == "close":
		text = "it is ended"
	case row.Want != "right":
		text = "`" + row.Want + "`"
	}
	if row.Elsewhere {
		text += ", nothing is sent there"
	}
	if row.Asked {
		text += ", the user is not asked"
	}
	return fmt.Sprintf("%s, at most %d MB", text, row.Memory())
}

// moduleVersions returns the versions in go.mod.
func moduleVersions() map[string]string {
	versions := map[string]string{}
	text, err := os.ReadFile("go.mod")
	if err != nil {
		return versions
	}
	for _, m := range regexp.MustCompile(`(?m)^\s+(\S+) (v\S+)`).FindAllStringSubmatch(string(text), -1) {
		versions[m[1]] = m[2]
	}
	return versions
}

// TestHostileTable: the table in docs/decide/comparison.md contains every row, and the versions
// that this module requires.
func TestHostileTable(t *testing.T) {
	text, err := os.ReadFile(hostilePage)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), hostileBegin)
	table, _, ok := strings.Cut(rest, hostileEnd)
	if !ok {
		t.Fatalf("%s has no table", hostilePage)
	}
	want := make([]string, 0, len(hostile.Rows)+len(hostileClients))
	for i := range hostile.Rows {
		want = append(want, fmt.Sprintf("| %s | %s |", hostile.Rows[i].About, wanted(&hostile.Rows[i])))
	}
	for module, version := range moduleVersions() {
		for _, client := range hostileClients {
			if client.module == module {
				want = append(want, client.title+" "+strings.TrimPrefix(version, "v")+" |")
			}
		}
	}
	for _, line := range want {
		if !strings.Contains(table, line) {
			t.Errorf("the table does not have %q: run go test -run TestHostileServers -docs .", line)
		}
	}
	if got := strings.Count(table, "\n| "); got != len(hostile.Rows)+2 {
		t.Errorf("the table has %d rows, and there are %d servers", got-2, len(hostile.Rows))
	}
}
