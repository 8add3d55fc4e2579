package mcpclient

import (
	"time"
)

// Limits bounds the memory that a server can occupy in a client, and the time for which a client
// waits for it. A zero field means its default; docs/decide/security.md has a table of the effects
// of each limit.
type Limits struct {
	// MessageBytes limits the size of a message, decompressed, and of all pages of a list together.
	// Default: 64 MiB.
	MessageBytes int
	// Depth limits the nesting of a message. Default: 512.
	Depth int
	// ContentItems limits the blocks of content, contents or messages of one result, which may have
	// ten times as many icons and other elements. Default: 10000.
	ContentItems int

	// ListItems limits the items of a list, on all pages. A list may have 1000 pages, or a
	// hundredth of ListItems if that is more. Default: 100000.
	ListItems int

	// InFlight limits the requests in flight. Default: 1024.
	InFlight int
	// Questions limits the questions of the server that are answered at the same time. Default: 16.
	Questions int
	// Rounds limits how often one request is sent again with further answers. Default: 10.
	Rounds int

	// QueueBytes limits the notifications that are queued for functions of [Options]. Default: 1
	// MiB.
	QueueBytes int

	// ConnectTime limits the duration of [Connect], and of reconnecting. A login by an Authorizer
	// does not count, up to QuestionTime. Default: 30 seconds.
	ConnectTime time.Duration
	// RequestTime limits the time that a request waits since the server's last sign of life.
	// Default: 1 minute.
	RequestTime time.Duration
	// MaxTime limits the duration of a request. Default: 1 hour.
	MaxTime time.Duration
	// QuestionTime limits the duration of a function of [Options] that answers the server. Default:
	// 30 minutes.
	QuestionTime time.Duration
	// WriteTime limits the duration of a write. Default: 30 seconds.
	WriteTime time.Duration
	// CloseTime limits the duration of each step of [Client.Close]. Default: 2 seconds.
	CloseTime time.Duration

	// CacheBytes limits the size of a client's cache, which holds up to 512 results; [NewCache]
	// returns a cache with other limits. Default: 16 MiB.
	CacheBytes int
}

// Limits that no field of [Limits] sets: only a faulty server needs more.
const (
	// headerBytes limits the header of an HTTP response.
	headerBytes = 64 << 10
	// stderrBytes limits the stored standard error of a program.
	stderrBytes = 64 << 10
	// probeTime limits the wait for the reply to the first message on a stream; then the client
	// tries a revision with sessions.
	probeTime = 5 * time.Second
	// minListPages is the number of pages that every list may have. Servers choose the size of a
	// page, so a small ListItems does not imply few pages.
	minListPages = 1000
	// defaultEntries limits the results in a cache.
	defaultEntries = 512
)

// listPages returns the maximum number of pages of a list.
func (l *Limits) listPages() int { return max(minListPages, l.ListItems/100) }

// probeTime leaves half of ConnectTime to the revision with sessions.
func (l *Limits) probeTime() time.Duration { return min(probeTime, l.ConnectTime/2) }

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

// withDefaults returns the limits with defaults in place of zeros.
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
