// Package revision makes the source of an earlier revision available to the go command: it copies
// the files of a commit into a directory. It only reads the repository: neither the work tree nor
// the index changes.
package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Repository is the git repository of a directory.
type Repository struct {
	root   string // absolute directory of the work tree
	prefix string // path of the directory below root, with slashes; "" at the root
}

// Open finds the repository that contains a directory.
func Open(ctx context.Context, dir string) (*Repository, error) {
	out, err := git(ctx, dir, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, fmt.Errorf("find git repository: %w", err)
	}
	root, rest, _ := strings.Cut(string(out), "\n")
	prefix, _, _ := strings.Cut(rest, "\n")
	return &Repository{filepath.FromSlash(root), strings.TrimSuffix(prefix, "/")}, nil
}

// Commit returns the commit that a revision names (gitrevisions(7)), or "" if git does not know the
// name.
func (r *Repository) Commit(ctx context.Context, revision string) string {
	out, _ := git(ctx, r.root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	return strings.TrimSpace(string(out))
}

// File returns the contents of a file at a commit, or false if the commit does not contain it. As
// in git show REVISION:PATH, a path is relative to the root, or to the directory given to Open if
// it begins with ./ or ../.
func (r *Repository) File(ctx context.Context, commit, name string) ([]byte, bool, error) {
	name = filepath.ToSlash(name)
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		name = path.Join(r.prefix, name)
	}
	object := commit + ":" + path.Clean(name)
	kind, _ := git(ctx, r.root, "cat-file", "-t", object)
	if strings.TrimSpace(string(kind)) != "blob" {
		return nil, false, ctx.Err()
	}
	text, err := git(ctx, r.root, "cat-file", "blob", object)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", object, err)
	}
	return text, true, nil
}

// git runs a git command that only reads. With an error it returns no output.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "PWD="+dir)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("there is no git command in the PATH")
	case errs.Len() > 0:
		return nil, errors.New(strings.TrimSpace(strings.TrimPrefix(errs.String(), "fatal: ")))
	}
	return nil, err
}
