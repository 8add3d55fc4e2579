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

// Record is what was installed, in a file of the user. Entries of other origin are not in it:
// a file of a cloned repository may name any program.
type Record struct {
	Files map[string]*FileRecord `json:"files"` // by path, with links followed
}

// FileRecord is what was installed in a file.
type FileRecord struct {
	Before  Before                 `json:"before"`
	Entries map[string]EntryRecord `json:"entries"` // by name
}

// EntryRecord is an entry that was installed.
type EntryRecord struct {
	Sum string `json:"sum"` // of what the entry says
	// Build says what the program was built from, nil for other programs.
	Build *Build `json:"build,omitempty"`
}

// Build is a program that was built from a package.
type Build struct {
	File    string `json:"file"`
	Dir     string `json:"dir"` // in which Package is named
	Package string `json:"package"`
	Tags    string `json:"tags,omitempty"`
}

// RecordFile is where the record of a user is, in the configuration directory of the user.
func RecordFile(config string) string { return filepath.Join(config, "mcpgen", "installed.json") }

// ReadRecord returns the record. It is empty if nothing was installed.
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

// changeRecord changes the record.
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

// sum is a hash of what an entry says, however it is written.
func sum(value any) string {
	text, err := json.Marshal(value) // maps are sorted
	if err != nil {
		return ""
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:16])
}
