package interop

import (
	"runtime"
	"testing"
)

func TestTypeScriptStreams(t *testing.T) {
	node(t)
	for sdk, revisions := range map[string][]string{sdk1: {links}, sdk2: {forms, links}} {
		for _, revision := range revisions {
			t.Run(sdk+"/"+revision, func(t *testing.T) {
				t.Parallel()
				checkLegacyStreams(follow(t, sdk, talker, way{http, revision}, plan{Walk: "streams"}))
			})
		}
	}
	t.Run(sdk2+"/"+modern, func(t *testing.T) {
		t.Parallel()
		checkModernStreams(follow(t, sdk2, talker, way{http, modern}, plan{Walk: "streams"}))
	})
}

func checkLegacyStreams(f *facts) {
	f.same("hello", f.way.revision)
	both := []string{"talker://rules", "talker://picture"}
	f.same("updates", both)
	f.same("missed", "touched")
	f.same("missed updates", both)
	f.same("streams taken up", 1)
	f.same("meet", "met")
	f.same("progress", []string{"waiting for Ada", "waiting for Grace"})
	f.failed("stumble", 4711, "fell")
	f.abandoned("wait")
	f.same("how it ended", "request cancelled by the client: had enough")
	// Each client reconnects once for the call that it cancelled, and the older one also after an
	// error.
	if f.sdk == sdk1 {
		f.same("comes back", []int{204, 204})
	} else {
		f.same("comes back", []int{204})
	}
	if f.way.revision >= links {
		f.same("nap", "slept, released true")
		f.same("streams taken up at last", 3)
	} else {
		f.same("nap", "slept, released false")
		f.same("streams taken up at last", 2)
	}
	f.same("another client of the session", "arrived")
	f.same("terminate", 204)
	var after struct {
		Error        string
		Code, Status any
	}
	f.into("after the session", &after)
	if f.sdk == sdk2 {
		after.Code = after.Status
	}
	if after.Code != 404.0 {
		f.t.Errorf("after the session: %+v", after)
	}
	f.same("complaints", []string{"SSE stream disconnected: Error: cut off", "SSE stream disconnected: Error: cut off"})
	f.answered()
	f.same("compressed", false)
	f.end(talker)
}

func checkModernStreams(f *facts) {
	f.same("hello", modern)
	f.same("watch", map[string]any{
		"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
		"resourceSubscriptions": []string{"talker://rules"},
	})
	f.same("broken off", "remote")
	f.same("touch", "touched")
	f.same("updates", []string{"talker://rules"})
	f.same("how it ended", "request cancelled by the client")
	f.same("nap", "slept, released false")
	f.failed("stumble", 4711, "fell")
	f.same("listens", 2)
	if runtime.GOOS == "windows" { // it has no signals
		f.same("server stops", "remote")
	} else {
		f.same("server stops", "graceful")
	}
	f.same("complaints", []string{"SSE stream disconnected: Error: cut off", "SSE stream disconnected: Error: cut off"})
	f.answered()
	f.same("compressed", false)
	f.end(talker)
}
