package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

// The kinds of effects.
const (
	ranEffect      = "ran"
	answeredEffect = "answered"
	changedEffect  = "changed"
	stepEffect     = "step"
	lostEffect     = "lost" // a run that has lost its lease
)

// effect is an action of a handler.
type effect struct {
	at    time.Time
	kind  string
	nonce string
	value string
	pid   int
}

// readEffects reads the files of handlers. A killed process leaves only whole lines, since each
// line is one write.
func readEffects(files []string) (effects []effect, err error) {
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var e effect
			var at int64
			if _, err := fmt.Sscan(lines.Text(), &at, &e.kind, &e.nonce, &e.value, &e.pid); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", file, lines.Text(), err)
			}
			e.at = time.Unix(0, at)
			effects = append(effects, e)
		}
	}
	return effects, nil
}
