package mcpclient

import (
	"encoding/json"
	"time"
)

// Era is what is known of a server before it is connected to: its revision.
type Era struct {
	Revision string          // the newest that both sides speak
	Discover json.RawMessage // the result of server/discover; nil for a revision with sessions
	At       time.Time       // when it was found out
}

// EraStore keeps an [Era] for each server, by a digest of [Target] and authorization
// context. It may be used by many goroutines.
type EraStore interface {
	Get(target string) (Era, bool)
	Put(target string, e Era)
	Drop(target string)
}

// processEras keeps them for the process.
var processEras EraStore = new(memoryEras)

type memoryEras struct{}

func (*memoryEras) Get(string) (Era, bool) { return Era{}, false }
func (*memoryEras) Put(string, Era)        {}
func (*memoryEras) Drop(string)            {}
