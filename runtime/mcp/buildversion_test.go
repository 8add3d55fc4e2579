package mcp

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	for want, info := range map[string]*debug.BuildInfo{
		"v1.2.3":       {Main: debug.Module{Version: "v1.2.3"}},
		"0123456789ab": {Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}},
		"devel":        {},
	} {
		if got := versionOf(info); got != want {
			t.Errorf("version %q, want %q", got, want)
		}
	}
}
