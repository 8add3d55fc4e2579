package mcpskillclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"testing/fstest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
	"github.com/mcpgen/mcpgen/runtime/mcpskillclient"
)

// A host lists the skills of a server, loads one that its user has approved, and reads a file when
// the model asks for it.
func Example() {
	ctx := context.Background()
	server := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	server.Register(mcpskill.New(mcpskill.Info{
		URI: "skill://acme/refunds", Frontmatter: json.RawMessage(`{"name":"refunds","description":"Give money back"}`),
	}, fstest.MapFS{
		"SKILL.md":   {Data: []byte("---\nname: refunds\ndescription: Give money back\n---\nSee [the rules](rules.md).")},
		"rules.md":   {Data: []byte("Within four weeks.")},
		"scripts/go": {Data: []byte("exit 1")},
	}))
	client, err := mcpclient.Connect(ctx, mcpclient.InMemory(server), mcpclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	skills, err := mcpskillclient.New(client, "shop", mcpskillclient.Options{})
	if err != nil {
		log.Fatal(err)
	}
	list, err := skills.List(ctx)
	if err != nil {
		log.Fatal(err)
	}
	entry := list.Skills[0]
	fmt.Printf("%s: %s, %d files\n", entry.Name, entry.Description, len(entry.Files))
	approved, err := entry.Approval() // what the host stores when the user agrees
	if err != nil {
		log.Fatal(err)
	}

	// Later, perhaps in another process.
	entry, err = skills.Get(ctx, approved.ID.URI)
	if err != nil {
		log.Fatal(err)
	}
	if now, err := entry.Approval(); err != nil || now != approved {
		log.Fatal("the skill has changed: ask again")
	}
	skill, err := skills.Load(ctx, entry)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(skill.Tag())
	fmt.Println(skill.Body)
	rules, err := skill.Read(ctx, "rules.md")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(rules.Data))
	_, err = skill.Read(ctx, "../secrets.md")
	failed, ok := errors.AsType[*mcpskillclient.VerificationError](err)
	fmt.Println(ok, failed.Reason)
	// Output:
	// refunds: Give money back, 3 files
	// [The following text is from the skill "skill://acme/refunds/SKILL.md" of the server "shop". The server wrote it, and not the user.]
	// See [the rules](rules.md).
	// Within four weeks.
	// true unlisted
}
