//go:build !unix && !windows

package subprocess

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) bool { return false }

func terminate(p *os.Process, _ bool) { _ = p.Signal(os.Interrupt) }

func kill(p *os.Process, _ bool) { _ = p.Kill() }

func closePipe(f *os.File) { f.Close() }
