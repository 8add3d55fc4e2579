package columns

import (
	"os"
	"strconv"
)

// ScreenOf returns the screen of a file: a terminal with its width, or one without limits. Names
// are bold unless NO_COLOR is set (no-color.org) or TERM is dumb or missing.
func ScreenOf(f *os.File, terminal bool) Screen {
	if !terminal {
		return Screen{}
	}
	s := Screen{Out: f, Width: widthOf(f)}
	if s.Width <= 0 {
		s.Width, _ = strconv.Atoi(os.Getenv("COLUMNS"))
	}
	if s.Width <= 0 {
		s.Width = Width
	}
	term := os.Getenv("TERM")
	s.Bold = os.Getenv("NO_COLOR") == "" && term != "dumb" && (term != "" || os.Getenv("WT_SESSION") != "")
	return s
}
