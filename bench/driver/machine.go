package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes the machine of a run.
type machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory string `json:"memory"`
	System string `json:"system"`
	Go     string `json:"go"`
	Load   string `json:"load"` // of the last minute, before the run
}

func thisMachine() machine {
	m := machine{Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, rest, _ := bytes.Cut(text, []byte("model name"))
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		m.CPU = strings.Trim(string(line), "\t :")
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kilobytes int64
		if _, err := fmt.Sscanf(string(text), "MemTotal: %d", &kilobytes); err == nil {
			m.Memory = fmt.Sprintf("%.0f GB", float64(kilobytes)/1e6)
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.System += ", Linux " + strings.TrimSpace(string(text))
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _, _ = strings.Cut(string(text), " ")
	}
	return m
}
