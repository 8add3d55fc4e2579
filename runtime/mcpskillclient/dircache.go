package mcpskillclient

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// NewDirCache returns a cache in a directory, which it makes, of up to a number of bytes; 0 means
// 64 MiB. The path of a file contains the server's name, and a hash of the skill's URI. Files are
// written at once and never changed; where there is no room, those that were not used for the
// longest time are removed. Several processes may share the directory.
//
// The directory must not be one in which hosts look for skills of the user, such as
// ~/.claude/skills or .agents/skills, or one above or below them that belongs to a host: content
// that came from a server must not be taken for a skill of the user (Cache isolation).
// os.UserCacheDir has a good place.
func NewDirCache(dir string, bytes int64) (Cache, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("mcpskillclient: cache: %w", err)
	}
	real, err := withoutLinks(abs)
	if err != nil {
		return nil, fmt.Errorf("mcpskillclient: cache: %w", err)
	}
	for _, place := range []string{abs, real} {
		if err := checkPlace(place); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(real, 0o700); err != nil {
		return nil, fmt.Errorf("mcpskillclient: make cache: %w", err)
	}
	if bytes <= 0 {
		bytes = defaultCacheBytes
	}
	return &dirCache{dir: real, limit: bytes, used: -1}, nil
}

// withoutLinks follows the links of a path whose last parts need not exist.
func withoutLinks(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a link that leads nowhere", path)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	real, err = withoutLinks(parent)
	return filepath.Join(real, filepath.Base(path)), err
}

// hostFolders are folders of hosts, in the home directory or in a project, with skills below them.
var hostFolders = []string{
	".agent", ".agents", ".amp", ".claude", ".claude-plugin", ".codex", ".continue", ".copilot", ".cursor", ".factory", ".gemini",
	".github", ".goose", ".kiro", ".opencode", ".qwen", ".roo", ".vscode", ".windsurf",
}

// checkPlace refuses a directory in which a host may look for skills.
func checkPlace(dir string) error {
	for part := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		part = strings.ToLower(part)
		if part == "skills" || part == "skill" || slices.Contains(hostFolders, part) {
			return fmt.Errorf("mcpskillclient: cache: hosts look for skills of the user in %s, below %q; choose another directory, such as one in os.UserCacheDir", dir, part)
		}
	}
	return nil
}

// dirCache is a cache in a directory.
type dirCache struct {
	dir   string
	limit int64

	mu   sync.Mutex
	used int64 // bytes of all files, -1 if unknown
}

// root opens the directory, so that no link in it leads out.
func (d *dirCache) root() (*os.Root, error) {
	return os.OpenRoot(d.dir)
}

// name returns the path of a file in the cache, or an error for a key without a digest.
func (key CacheKey) name() (string, error) {
	digits, ok := strings.CutPrefix(key.Digest, "sha256:")
	if sum, err := hex.DecodeString(digits); !ok || err != nil || len(sum) != sha256.Size {
		return "", fmt.Errorf("mcpskillclient: cache: %q is no digest", key.Digest)
	}
	return path.Join(serverFolder(key.ID.Server), skillFolder(key.ID.URI), digits), nil
}

func (d *dirCache) Get(key CacheKey) ([]byte, error) {
	name, err := key.name()
	if err != nil {
		return nil, err
	}
	root, err := d.root()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // files were only opened below it
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Something else than the cache may have written a file of any size.
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil || len(data) > MaxBytes {
		return nil, err
	}
	now := time.Now()
	_ = root.Chtimes(name, now, now) // else the file is removed earlier
	return append([]byte{}, data...), nil
}

func (d *dirCache) Put(key CacheKey, data []byte) error {
	name, err := key.name()
	if err != nil {
		return err
	}
	if int64(len(data)) > d.limit {
		return nil // it is read from the server each time
	}
	root, err := d.root()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // files were only opened below it
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.makeRoom(root, int64(len(data))); err != nil {
		return err
	}
	temporary := path.Join(path.Dir(name), "new-"+rand.Text())
	if err := root.WriteFile(temporary, data, 0o600); err != nil {
		return errors.Join(err, ignoreMissing(root.Remove(temporary)))
	}
	if err := root.Rename(temporary, name); err != nil {
		return errors.Join(err, ignoreMissing(root.Remove(temporary)))
	}
	d.used += int64(len(data))
	return nil
}

func (d *dirCache) Drop(server string) error {
	root, err := d.root()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // files were only opened below it
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used = -1
	return root.RemoveAll(serverFolder(server))
}

// storedFile is a file in the directory.
type storedFile struct {
	name string
	size int64
	used time.Time
}

// makeRoom removes files until there is room for n bytes. It reads the directory only if the files
// that this process knows of exceed the limit.
func (d *dirCache) makeRoom(root *os.Root, n int64) error {
	if d.used >= 0 && d.used+n <= d.limit {
		return nil
	}
	var files []storedFile
	d.used = 0
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreMissing(err)
		}
		files = append(files, storedFile{name, info.Size(), info.ModTime()})
		d.used += info.Size()
		return nil
	})
	if err != nil {
		d.used = -1
		return err
	}
	if d.used+n <= d.limit {
		return nil
	}
	slices.SortFunc(files, func(a, b storedFile) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	// A quarter of the room is left, so that the next files do not read the directory again.
	for _, f := range files {
		if d.used+n <= d.limit/4*3 {
			break
		}
		if err := ignoreMissing(root.Remove(f.name)); err != nil {
			d.used = -1
			return err
		}
		d.used -= f.size
	}
	return nil
}

// ignoreMissing returns nil for a file that another process has removed.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
