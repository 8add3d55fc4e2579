package revision

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/skill"
)

// Tree is the source of one commit in a directory.
type Tree struct {
	// Dir is the copy of the directory that the repository was opened in. It does not exist if the
	// commit does not contain that directory.
	Dir string
	// Root is the copy of the root of the work tree.
	Root string
	// Notes list the differences from that commit, for people.
	Notes []string

	repository *Repository
}

// entry is a file of a commit.
type entry struct {
	mode, object, name string
	target             string // target of a symbolic link
	size               int64
}

// largest limits the size of files whose contents are not needed: pictures and similar files, which
// only have to exist for go:embed. Larger ones are extracted empty, except files of skills, whose
// digests are compared.
const largest = 64 << 10

// source contains the extensions of files that the go command reads.
var source = []string{".go", ".mod", ".sum", ".work", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".f", ".F", ".for", ".f90", ".s", ".S", ".sx", ".swig", ".swigcxx", ".syso", ".txt"}

// Extract copies the files of a commit into an empty directory, byte for byte as they are stored:
// attributes and filters of git do not apply. The contents of submodules are left out.
func (r *Repository) Extract(ctx context.Context, commit, dir string) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find directory: %w", err)
	}
	// The go command resolves symbolic links in some of its paths.
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	t := &Tree{Root: dir, Dir: filepath.Join(dir, filepath.FromSlash(r.prefix)), repository: r}
	listing, err := git(ctx, r.root, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", commit, err)
	}
	entries, err := readEntries(listing)
	if err != nil {
		return nil, err
	}
	// Nothing is written outside of it, whatever names and links the commit contains.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	err = r.copy(ctx, t, root, entries)
	if closed := root.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("copy files of %s: %w", commit, err)
	}
	return t, nil
}

func readEntries(listing []byte) ([]entry, error) {
	var all []entry
	for line := range bytes.SplitSeq(listing, []byte{0}) {
		if len(line) == 0 {
			continue
		}
		about, name, ok := strings.Cut(string(line), "\t")
		words := strings.Fields(about)
		if !ok || len(words) != 4 {
			return nil, fmt.Errorf("read output of git ls-tree: %q", line)
		}
		e := entry{mode: words[0], object: words[2], name: name}
		if words[1] != "blob" {
			continue // a submodule
		}
		size, err := strconv.ParseInt(words[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read output of git ls-tree: %w", err)
		}
		e.size = size
		all = append(all, e)
	}
	return all, nil
}

const linkMode = "120000"

// copy requests all files from one git process, in order.
func (r *Repository) copy(ctx context.Context, t *Tree, root *os.Root, entries []entry) error {
	skills := map[string]bool{}
	for _, e := range entries {
		if path.Base(e.name) == skill.File {
			skills[path.Dir(e.name)] = true
		}
	}
	wants := func(e entry) bool { return wants(e) || inside(skills, e.name) }
	wanted := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !wants(e) })
	for _, e := range entries {
		if !wants(e) {
			if err := write(root, e, nil); err != nil {
				return err
			}
		}
	}
	cmd := exec.CommandContext(ctx, "git", "cat-file", "--batch", "--buffer")
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "PWD="+r.root)
	var requests, errs bytes.Buffer
	for _, e := range wanted {
		requests.WriteString(e.object + "\n")
	}
	cmd.Stdin, cmd.Stderr = &requests, &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = t.receive(bufio.NewReader(out), root, wanted)
	if err != nil && cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
	if waited := cmd.Wait(); err == nil && waited != nil {
		err = waited
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && errs.Len() > 0 {
		return errors.New(strings.TrimSpace(errs.String()))
	}
	return err
}

// inside reports whether a file is below one of the directories.
func inside(dirs map[string]bool, name string) bool {
	for dir := path.Dir(name); len(dirs) > 0; dir = path.Dir(dir) {
		if dirs[dir] {
			return true
		}
		if dir == "." {
			break
		}
	}
	return false
}

func wants(e entry) bool {
	return e.size <= largest || slices.Contains(source, path.Ext(e.name)) || e.mode == linkMode
}

// receive reads git's replies: for each request a line "object blob size", the contents and a line
// feed.
func (t *Tree) receive(in *bufio.Reader, root *os.Root, wanted []entry) error {
	var links []entry
	for _, e := range wanted {
		header, _ := in.ReadString('\n')
		words := strings.Fields(header)
		if len(words) != 3 || words[1] != "blob" || words[2] != strconv.FormatInt(e.size, 10) {
			return fmt.Errorf("git cat-file answers %q for %s", strings.TrimSpace(header), e.name)
		}
		data := make([]byte, e.size+1)
		if _, err := io.ReadFull(in, data); err != nil {
			return err
		}
		data = data[:e.size]
		if e.mode == linkMode {
			// Links are made last, so that no file is written through one.
			e.target = string(data)
			links = append(links, e)
			continue
		}
		if err := write(root, e, data); err != nil {
			return err
		}
	}
	for _, e := range links {
		if err := link(root, e); err != nil {
			return err
		}
	}
	return removeEscapes(root, links)
}

// removeEscapes removes the links that do not lead to a file inside of the directory, alone or in a
// chain.
func removeEscapes(root *os.Root, links []entry) error {
	for _, e := range links {
		name := filepath.FromSlash(e.name)
		if _, err := root.Stat(name); err == nil {
			continue
		}
		if err := root.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

func write(root *os.Root, e entry, data []byte) error {
	name := filepath.FromSlash(e.name)
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return root.WriteFile(name, data, 0o666)
}

// link makes a symbolic link. The go command follows links to files, but not to directories.
func link(root *os.Root, e entry) error {
	name := filepath.FromSlash(e.name)
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return root.Symlink(filepath.FromSlash(e.target), name)
}
