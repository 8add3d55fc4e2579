package clients

import (
	"fmt"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/trust"
)

// OutsideError reports a project's file that links lead out of its directory.
type OutsideError struct {
	Path string // in the directory
	Real string // the target
	Dir  string
}

func (e *OutsideError) Error() string {
	return fmt.Sprintf("%s leads to %s, outside of the project %s, and is not followed", e.Path, e.Real, e.Dir)
}

// realFile returns the file with the entries of a scope, after following links. Links of a user may
// lead anywhere, such as to dotfiles. Links of a project are part of a repository, which must not
// choose which other files are changed or shown.
func (s *System) realFile(c *Client, scope Scope) (string, error) {
	path := s.File(c, scope)
	real, err := trust.Resolve(path)
	if err != nil || scope != Project {
		return real, err
	}
	dir, err := trust.Resolve(s.Dir)
	if err == nil && !trust.Within(dir, real) {
		err = &OutsideError{path, real, dir}
	}
	return real, err
}

// Entries returns a client's entries in a scope. Errors are an *OutsideError, a *SyntaxError, or
// errors of the file system.
func (s *System) Entries(c *Client, scope Scope) ([]Found, error) {
	list, _, err := s.entriesIn(c, scope)
	return list, err
}

// entriesIn also returns the directory of the entries: the project's, or the user's.
func (s *System) entriesIn(c *Client, scope Scope) (list []Found, dir string, err error) {
	path, err := s.realFile(c, scope)
	if err != nil {
		return nil, "", err
	}
	text, _, err := readFile(path)
	if err != nil {
		return nil, "", err
	}
	switch scope {
	case Local:
		return s.localEntries(c, text)
	case Project:
		dir = s.Dir
	default:
		dir = s.Home
	}
	list, err = c.format().entries(text, c.Holds)
	return list, dir, err
}

// localEntries returns the entries of the nearest directory that has some. Claude Code stores them
// in the user's file.
func (s *System) localEntries(c *Client, text []byte) (list []Found, dir string, err error) {
	t, err := parseJSON(text)
	if err != nil {
		return nil, "", err
	}
	projects, err := t.object(text, "projects")
	if err != nil || projects == nil {
		return nil, "", err
	}
	for dir := s.Dir; ; dir = filepath.Dir(dir) {
		m, err := projects.value.find(text, filepath.ToSlash(dir))
		if err != nil {
			return nil, "", err
		}
		if m == nil {
			m, err = projects.value.find(text, dir)
		}
		if err != nil || dir == filepath.Dir(dir) {
			return nil, "", err
		}
		if m != nil && m.value.kind == '{' {
			list, err := jsonFormat{}.entries(text[m.value.start:m.value.end], c.Holds)
			return list, dir, err
		}
	}
}
