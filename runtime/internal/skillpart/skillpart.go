// Package skillpart defines what package mcpskill gives to package mcp for one skill. Package mcp
// does not import mcpskill, so that programs without skills do not link it.
package skillpart

import "encoding/json"

// Part makes a resource, the SKILL.md of a skill, the skill. It does not change.
type Part struct {
	URI   string   // of the directory
	Files []string // URIs of the other files, except those of nested skills
	// Listings are the files as a list of resources would have them.
	Listings []json.RawMessage
	Tools    []string // names of tools; callers who may not use all of them do not see the skill
	Skills   []string // URIs of the SKILL.md of skills directly in it, which are parts of its manifest
	Entry    []byte   // the entry in skills/list and skills/get, as JSON
	Largest  int      // bytes of the largest file
	// Directories are the children in each directory by its URI, except SKILL.md and those of
	// nested skills.
	Directories map[string][]Child
}

// Child is a file or a directory in a directory.
type Child struct {
	URI     string
	Listing []byte // as a Resource of the protocol
}
