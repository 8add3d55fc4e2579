package clients

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
)

// Record is the list of installed entries, in a file of the user. It does not contain entries of
// other origin: a file in a cloned repository may name any program.
type Record struct {
	Files map[string]*FileRecord `json:"files"` // by path, after following links
}

// FileRecord contains the installed entries of a file.
type FileRecord struct {
	Before  Before                 `json:"before"`
	Entries map[string]EntryRecord `json:"entries"` // by name
}

// EntryRecord is an installed entry.
type EntryRecord struct {
	Sum string `json:"sum"` // of the entry's content
	// Build is the source of the program, nil for other programs.
	Build *Build `json:"build,omitempty"`
}

// Build describes a program that was built from a package.
type Build struct {
	File    string `json:"file"`
	Dir     string `json:"dir"` // relative to which Package is named
	Package string `json:"package"`
	Tags    string `json:"tags,omitempty"`
}

// RecordFile returns the path of the record, in the configuration directory of the user.
func RecordFile(config string) string { return filepath.Join(config, "mcpgen", "installed.json") }

// ReadRecord returns the record, which may be empty.
func (s *System) ReadRecord() (*Record, error) {
	text, _, err := readFile(s.Record)
	if err != nil {
		return nil, err
	}
	return parseRecord(s.Record, text)
}

func parseRecord(path string, text []byte) (*Record, error) {
	r := &Record{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	if r.Files == nil {
		r.Files = map[string]*FileRecord{}
	}
	return r, nil
}

// changeRecord updates the record.
func (s *System) changeRecord(ctx context.Context, edit func(*Record)) error {
	return replace(ctx, s.Record, 0o600, "", func(old []byte) (change, error) {
		r, err := parseRecord(s.Record, old)
		if err != nil {
			return change{}, err
		}
		edit(r)
		maps.DeleteFunc(r.Files, func(_ string, f *FileRecord) bool { return f == nil || len(f.Entries) == 0 })
		text, err := json.MarshalIndent(r, "", "  ")
		return change{text: append(text, '\n')}, err
	})
}

// sum returns a hash of an entry's content, regardless of its notation.
func sum(value any) string {
	text, err := json.Marshal(value) // maps are sorted
	if err != nil {
		return ""
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:16])
}
