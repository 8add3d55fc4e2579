package mcpclient

import (
	"time"
)

// Limits bound what a server can make a client hold, and how long a client waits for it. A zero field
// has its default; docs/security.md has a table, with what happens beyond each.
type Limits struct {
	// MessageBytes is the size of a message, decompressed, and of a list, of all pages. Default: 64 MiB.
	MessageBytes int
	// Depth is how deeply a message may nest. Default: 512.
	Depth int
	// ContentItems is the blocks of content, contents or messages of one result, which may have ten
	// times as many icons and other elements. Default: 10000.
	ContentItems int

	// ListItems is the items of a list, on all pages. A list may have 1000 pages, or a hundredth of
	// ListItems where that is more. Default: 100000.
	ListItems int

	// InFlight is how many requests run at a time. Default: 1024.
	InFlight int
	// Questions is how many questions of the server are answered at a time. Default: 16.
	Questions int
	// Rounds is how often one request is sent with further answers. Default: 10.
	Rounds int

	// QueueBytes is the notifications that wait for functions of [Options]. Default: 1 MiB.
	QueueBytes int

	// ConnectTime is how long [Connect] may take, and connecting again. A login by an Authorizer
	// does not count, for as long as QuestionTime. Default: 30 seconds.
	ConnectTime time.Duration
	// RequestTime is how long a request waits since the last sign of life of the server. Default: 1 minute.
	RequestTime time.Duration
	// MaxTime is how long a request may take. Default: 1 hour.
	MaxTime time.Duration
	// QuestionTime is how long a function of [Options] may take to answer the server. Default: 30 minutes.
	QuestionTime time.Duration
	// WriteTime is how long one write may take. Default: 30 seconds.
	WriteTime time.Duration
	// CloseTime is how long each step of [Client.Close] may take. Default: 2 seconds.
	CloseTime time.Duration

	// CacheBytes is the size of the cache of a client, which has up to 512 results; [NewCache]
	// makes one with more. Default: 16 MiB.
	CacheBytes int
}

// Bounds that no field of [Limits] sets, since a server that needs more is at fault.
const (
	// headerBytes is the size of the header of an HTTP response.
	headerBytes = 64 << 10
	// stderrBytes is what is kept of the standard error of a program.
	stderrBytes = 64 << 10
	// probeTime limits the wait for the reply to the first message on a stream; then a
	// revision with sessions is tried.
	probeTime = 5 * time.Second
	// minListPages is the pages that each list may have. Servers choose the size of a page, so a
	// small ListItems does not mean few pages.
	minListPages = 1000
	// defaultEntries limits the results in a cache.
	defaultEntries = 512
)

// listPages returns the pages that a list may have.
func (l *Limits) listPages() int { return max(minListPages, l.ListItems/100) }

// probeTime leaves half of ConnectTime to the revision with sessions.
func (l *Limits) probeTime() time.Duration { return min(probeTime, l.ConnectTime/2) }

// defaultLimits are the defaults.
var defaultLimits = Limits{
	MessageBytes: 64 << 20, Depth: 512, ContentItems: 10_000,
	ListItems: 100_000,
	InFlight:  1024, Questions: 16, Rounds: 10,
	QueueBytes:  1 << 20,
	ConnectTime: 30 * time.Second,
	RequestTime: time.Minute, MaxTime: time.Hour, QuestionTime: 30 * time.Minute,
	WriteTime: 30 * time.Second, CloseTime: 2 * time.Second,
	CacheBytes: 16 << 20,
}

// withDefaults returns the limits with the defaults in the place of zeros.
func (l Limits) withDefaults() Limits {
	d := &defaultLimits
	for _, n := range []struct {
		value   *int
		without int
	}{
		{&l.MessageBytes, d.MessageBytes},
		{&l.Depth, d.Depth},
		{&l.ContentItems, d.ContentItems},
		{&l.ListItems, d.ListItems},
		{&l.InFlight, d.InFlight},
		{&l.Questions, d.Questions},
		{&l.Rounds, d.Rounds},
		{&l.QueueBytes, d.QueueBytes},
		{&l.CacheBytes, d.CacheBytes},
	} {
		if *n.value <= 0 {
			*n.value = n.without
		}
	}
	for _, t := range []struct {
		value   *time.Duration
		without time.Duration
	}{
		{&l.ConnectTime, d.ConnectTime},
		{&l.RequestTime, d.RequestTime},
		{&l.MaxTime, d.MaxTime},
		{&l.QuestionTime, d.QuestionTime},
		{&l.WriteTime, d.WriteTime},
		{&l.CloseTime, d.CloseTime},
	} {
		if *t.value <= 0 {
			*t.value = t.without
		}
	}
	return l
}
