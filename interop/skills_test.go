package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcpskillclient"
)

// Frontmatter with values of every type, and as JSON.
const (
	refundsBlock = "---\nname: refunds\ndescription: >-\n  Give money\n  back\nlicense: Apache-2.0\nmetadata:\n  version: \"1.10\"\n" +
		"x-number: 1.5\nx-true: true\nx-null: null\nx-list:\n  - a\n  - \"2025-01-01\"\n---\n"
	refundsJSON = `{"name":"refunds","description":"Give money back","license":"Apache-2.0","metadata":{"version":"1.10"},` +
		`"x-number":1.5,"x-true":true,"x-null":null,"x-list":["a","2025-01-01"]}`
	euBlock = "---\nname: eu\ndescription: Refunds in the EU\nallowed-tools: Bash\n---\n"
	euJSON  = `{"name":"eu","description":"Refunds in the EU","allowed-tools":"Bash"}`
)

// skillFiles are the files of a skill with another one within, by their paths: text, bytes,
// nothing, and names that need encoding.
var skillFiles = map[string][]byte{
	"refunds/SKILL.md":              []byte(refundsBlock + "\n# Refunds\n"),
	"refunds/references/RETURNS.md": []byte("Grüße\r\n"),
	"refunds/assets/a b+ü%.bin":     {0, 0xff, 0xfe},
	"refunds/assets/empty.txt":      {},
	"refunds/eu/SKILL.md":           []byte(euBlock),
}

// frontmatters are those of the skills, by URI.
var frontmatters = map[string]string{"skill://acme/refunds/SKILL.md": refundsJSON, "skill://acme/refunds/eu/SKILL.md": euJSON}

// TypeScript's client lists, reads and verifies the skills of our server, one whose text a function
// returns included.
func TestTypeScriptReadsSkills(t *testing.T) {
	program := node(t)
	files := fstest.MapFS{}
	for name, data := range skillFiles {
		files[name] = &fstest.MapFile{Data: data}
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "skills", Version: "1"})
	block := func(path, block, object string) mcpskill.Block {
		sum := sha256.Sum256([]byte(block))
		return mcpskill.Block{Path: path, Frontmatter: object, Hash: hex.EncodeToString(sum[:])}
	}
	for _, f := range mcpskill.Tree(&mcpskill.TreeInfo{URI: "skill://acme/", Blocks: []mcpskill.Block{
		block("refunds", refundsBlock, refundsJSON), block("refunds/eu", euBlock, euJSON),
	}}, files) {
		s.Register(f)
	}
	const daily, dailyText = "skill://acme/daily/SKILL.md", "---\nname: daily\ndescription: Today\n---\nOpen.\n"
	s.Register(mcpskill.Dynamic(mcpskill.Info{URI: strings.TrimSuffix(daily, "/SKILL.md"), Frontmatter: json.RawMessage(`{"name":"daily","description":"Today"}`)},
		func(context.Context) (string, error) { return dailyText, nil }))
	site := httptest.NewServer(mcphttp.NewHandler(s))
	defer site.Close()

	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	command := exec.CommandContext(ctx, program, filepath.Join(clients, "skills.mjs"), site.URL+"/mcp")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var got struct {
		Supported, DirectoryRead bool
		Skills                   map[string]json.RawMessage
		Files                    map[string][]byte
		Directories              map[string][]string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !got.Supported || !got.DirectoryRead || len(got.Skills) != 3 {
		t.Errorf("supported %v, directories %v, %d skills", got.Supported, got.DirectoryRead, len(got.Skills))
	}
	for uri, want := range frontmatters {
		sameJSON(t, uri, got.Skills[uri], []byte(want))
	}
	if string(got.Files[daily]) != dailyText {
		t.Errorf("%s: %q", daily, got.Files[daily])
	}
	// What is encoded in a URI is for the server to choose.
	var contents, want []string
	for uri, data := range got.Files {
		if uri != daily {
			contents = append(contents, string(data))
		}
	}
	for _, data := range skillFiles {
		want = append(want, string(data))
	}
	slices.Sort(contents)
	slices.Sort(want)
	if !slices.Equal(contents, want) {
		t.Errorf("the files %q, want %q", contents, want)
	}
	if got, want := got.Directories["skill://acme/refunds/SKILL.md"], []string{
		"skill://acme/refunds/SKILL.md text/markdown", "skill://acme/refunds/assets inode/directory", "skill://acme/refunds/eu inode/directory", "skill://acme/refunds/references inode/directory",
	}; !slices.Equal(got, want) {
		t.Errorf("the directory %q, want %q", got, want)
	}
}

// Our client lists, loads and verifies the skills of TypeScript's server, on several pages.
func TestOurClientReadsSkills(t *testing.T) {
	program := node(t)
	argument, err := json.Marshal(skillFiles)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcpclient.Connect(t.Context(), mcpclient.Command{
		Path: program, Args: []string{filepath.Join(clients, "servers", "skills.mjs"), string(argument)}, Stderr: os.Stderr,
	}, mcpclient.Options{OnProtocolError: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	skills, err := mcpskillclient.New(client, "typescript", mcpskillclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := skills.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Skills) != 2 || len(list.Refused) > 0 {
		t.Fatalf("%d skills, refused %v", len(list.Skills), list.Refused)
	}
	for _, e := range list.Skills {
		sameJSON(t, e.ID.URI, e.Frontmatter, []byte(frontmatters[e.ID.URI]))
		again, err := skills.Get(t.Context(), e.ID.URI)
		if err != nil {
			t.Fatal(err)
		}
		first, errFirst := e.Approval()
		second, errSecond := again.Approval()
		if first != second || errFirst != nil || errSecond != nil {
			t.Errorf("%s: the approvals %v and %v differ", e.ID, first, second)
		}
		skill, err := skills.Load(t.Context(), again)
		if err != nil {
			t.Errorf("%s: %v", e.ID, err)
			continue
		}
		for _, f := range e.Files {
			content, err := skill.Read(t.Context(), f.Path)
			want := skillFiles[strings.TrimPrefix(e.Dir, "acme/")+"/"+f.Path]
			if err != nil || !bytes.Equal(content.Data, want) || !content.Verified {
				t.Errorf("%s: %+v, %v, want %q", f.URI, content, err, want)
			}
		}
	}
	if files := len(list.Skills[0].Files) + len(list.Skills[1].Files); files != len(skillFiles)+1 {
		t.Errorf("%d files, want those of the outer skill and those of the inner one", files)
	}
}

// sameJSON compares two values.
func sameJSON(t *testing.T, what string, got, want []byte) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}
