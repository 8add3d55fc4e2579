package mcpclient

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// FileEras returns an [EraStore] that stores eras in a file, such as one below [os.UserCacheDir].
// The file belongs to the store: other content is ignored and replaced. It has mode 0600 and at
// most 4 MiB, and contains no secrets. FileEras creates missing folders.
//
// Several processes may use one file. They do not wait for each other: of two simultaneous writes,
// one may overwrite the other, and the client probes the lost server again. A file that cannot be
// read or written is not an error; then the client probes servers, and logs that once with the
// package slog. The next stored era replaces a broken file.
func FileEras(path string) EraStore { return &fileEras{path: path} }

// fileEras reads the file for each Get, since connections are rare and other processes write to it.
type fileEras struct {
	path   string
	broken sync.Once // the file has been logged
	mu     sync.Mutex
}

// eraFile is the content of the file.
type eraFile struct {
	Format  string             `json:"format"`
	Servers map[string]fileEra `json:"servers"`
}

type fileEra struct {
	Revision string          `json:"revision"`
	Discover json.RawMessage `json:"discover,omitempty"`
	At       time.Time       `json:"at"`
}

const eraFormat = "mcpgen eras 1"

func (f *fileEras) Get(target string) (Era, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := f.read()[target]
	return Era(e), ok
}

func (f *fileEras) Put(target string, e Era) {
	f.mu.Lock()
	defer f.mu.Unlock()
	servers := f.read()
	servers[target] = fileEra(e)
	f.write(servers)
}

func (f *fileEras) Drop(target string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	servers := f.read()
	if _, ok := servers[target]; ok {
		delete(servers, target)
		f.write(servers)
	}
}

// read returns the content of the file, or nothing if it has another format.
func (f *fileEras) read() map[string]fileEra {
	var file eraFile
	data, err := regularfile.ReadWithin(f.path, maxEraBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]fileEra{}
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err == nil && (file.Format != eraFormat || file.Servers == nil) {
		err = errors.New("it has another format")
	}
	if err != nil {
		f.broken.Do(func() {
			slog.Warn("mcpclient: the file of eras cannot be read; it is replaced when a server was probed", "path", f.path, "error", err)
		})
		return map[string]fileEra{}
	}
	return file.Servers
}

// write replaces the file. If there are too many eras, it omits the oldest.
func (f *fileEras) write(servers map[string]fileEra) {
	newest := slices.SortedFunc(maps.Keys(servers), func(a, b string) int { return servers[b].At.Compare(servers[a].At) })
	room := maxEraBytes - len(`{"format":"","servers":{}}`) - len(eraFormat)
	for i, target := range newest {
		text, err := json.Marshal(servers[target])
		if room -= len(target) + len(`"":,`) + len(text); i >= maxEras || err != nil || room < 0 {
			delete(servers, target)
		}
	}
	data, err := json.Marshal(eraFile{eraFormat, servers})
	if err != nil || len(data) > maxEraBytes {
		return
	}
	folder := filepath.Dir(f.path)
	if os.MkdirAll(folder, 0o700) != nil {
		return
	}
	temp, err := os.CreateTemp(folder, filepath.Base(f.path)+"-*") // with mode 0600
	if err != nil {
		return
	}
	_, err = temp.Write(data)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // nothing else can be done about it
	}
}
