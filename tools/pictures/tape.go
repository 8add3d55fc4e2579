package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// tape is a recording script: a txtar archive whose comment contains one instruction per line, and
// whose files exist at the beginning.
//
//	title TEXT      what the picture shows, for people who do not see it
//	columns N       the width of the terminal
//	$ COMMAND       run a command, which must succeed
//	! COMMAND       run a command, which must fail
//	pause DURATION  time to read
//
// Empty lines and lines that begin with # are ignored.
type tape struct {
	title   string
	columns int
	steps   []step
	files   []txtar.File
}

// step is a command, or a pause if the command is empty.
type step struct {
	line    int
	command string
	fails   bool
	pause   time.Duration
}

func parseTape(text []byte) (*tape, error) {
	archive := txtar.Parse(text)
	t := &tape{columns: 80, files: archive.Files}
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		s, err := step{line: i + 1}, error(nil)
		switch {
		case word == "" || strings.HasPrefix(word, "#"):
			continue
		case rest == "":
			err = errors.New("nothing behind it")
		case word == "title":
			t.title = rest
		case word == "columns":
			if t.columns, err = strconv.Atoi(rest); err == nil && (t.columns < 40 || t.columns > 120) {
				err = errors.New("a terminal has 40 to 120")
			}
		case word == "$", word == "!":
			s.command, s.fails = rest, word == "!"
			t.steps = append(t.steps, s)
		case word == "pause":
			if s.pause, err = time.ParseDuration(rest); err == nil && (s.pause <= 0 || s.pause > 10*time.Second) {
				err = errors.New("a pause is at most 10s")
			}
			t.steps = append(t.steps, s)
		default:
			err = errors.New("no such instruction: write title, columns, $, ! or pause")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", i+1, word, err)
		}
	}
	switch {
	case t.title == "":
		return nil, errors.New("it has no title: write one for people who do not see the picture")
	case len(t.steps) == 0:
		return nil, errors.New("it has no command")
	}
	return t, nil
}

// frame is the output of one command.
type frame struct {
	step
	output []line
}

// play runs the commands of a tape in the module shop.
func (m *machine) play(t *tape) ([]frame, error) {
	var frames []frame
	for _, s := range t.steps {
		f := frame{step: s}
		if s.command != "" {
			text, failed, err := m.command(s.command, t.columns)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", s.line, err)
			}
			if failed != s.fails {
				return nil, fmt.Errorf("line %d: %s: failed is %t, which the tape does not expect:\n%s", s.line, s.command, failed, text)
			}
			if f.output, err = render(text, t.columns); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", s.line, s.command, err)
			}
		}
		frames = append(frames, f)
	}
	return frames, nil
}
