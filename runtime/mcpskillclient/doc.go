// Package mcpskillclient reads the skills of MCP servers for hosts: the extension
// io.modelcontextprotocol/skills, on a client of package mcpclient. It is a module of its own,
// since it reads YAML.
//
//	skills, err := mcpskillclient.New(client, "shop", mcpskillclient.Options{})
//	list, err := skills.List(ctx)
//	... show list.Skills[0], and ask the user for approval
//	skill, err := skills.Load(ctx, list.Skills[0])
//	... give skill.Tag() and skill.Body to the model
//	file, err := skill.Read(ctx, "references/returns.md")
//
// [Client.List] and [Client.Get] return entries, and read no file. [Client.Load] reads SKILL.md,
// and [Skill.Read] another file, when the host needs it. Both return bytes only after they have
// compared size, digest and, for SKILL.md, the frontmatter with the entry, which stays the
// reference as long as the host uses the [Skill]: a file that the server adds or changes later is
// an error ([VerificationError]) until the host gets the entry again, asks for approval again and
// loads the new entry.
//
// Left to the host are the rules that a library cannot keep for it: approval, which
// [Entry.Approval] binds to the files of a skill; the gate in front of every program that a skill
// makes the model run; and names, which several skills may have. A digest shows that an entry and a
// file fit together, and not that either can be trusted.
package mcpskillclient
