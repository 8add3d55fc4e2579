package mcpclient

import (
	"time"
)

// Limits bound what a server can make a client hold, and how long a client waits for it. A zero field
// has its default; docs/client.md has a table.
type Limits struct {
	MessageBytes int // of one message, decompressed: 64 MiB
	Depth        int // nesting of a message: 512
	ContentItems int // blocks of content, contents or messages in one result: 10,000

	ListPages int // of one list: 1000
	ListItems int // of one list, all pages: 100,000
	ListBytes int // of one list, all pages: 64 MiB

	InFlight  int // requests at a time; the next one waits: 1024
	Questions int // handlers of questions at a time; the next question is refused: 16
	Rounds    int // of one request: 10

	QueueBytes  int // of notifications that wait for functions of Options: 1 MiB
	HeaderBytes int // of the header of an HTTP response: 64 KiB
	StderrBytes int // kept of what a program writes to standard error: 64 KiB

	ConnectTime  time.Duration // of Connect, and of connecting again: 30 s
	ProbeTime    time.Duration // of the first message on a stream: 5 s
	RequestTime  time.Duration // of a request since the last sign of life of the server: 1 min
	MaxTime      time.Duration // of a request: 1 h
	QuestionTime time.Duration // of a function of Options that answers the server: 30 min
	WriteTime    time.Duration // of one write: 30 s
	CloseTime    time.Duration // of each step of Close: 2 s

	CacheBytes   int // of the default cache: 16 MiB
	CacheEntries int // of the default cache: 512
}

// defaultLimits are the defaults.
var defaultLimits = Limits{
	MessageBytes: 64 << 20, Depth: 512, ContentItems: 10_000,
	ListPages: 1000, ListItems: 100_000, ListBytes: 64 << 20,
	InFlight: 1024, Questions: 16, Rounds: 10,
	QueueBytes: 1 << 20, HeaderBytes: 64 << 10, StderrBytes: 64 << 10,
	ConnectTime: 30 * time.Second, ProbeTime: 5 * time.Second,
	RequestTime: time.Minute, MaxTime: time.Hour, QuestionTime: 30 * time.Minute,
	WriteTime: 30 * time.Second, CloseTime: 2 * time.Second,
	CacheBytes: 16 << 20, CacheEntries: 512,
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
		{&l.ListPages, d.ListPages},
		{&l.ListItems, d.ListItems},
		{&l.ListBytes, d.ListBytes},
		{&l.InFlight, d.InFlight},
		{&l.Questions, d.Questions},
		{&l.Rounds, d.Rounds},
		{&l.QueueBytes, d.QueueBytes},
		{&l.HeaderBytes, d.HeaderBytes},
		{&l.StderrBytes, d.StderrBytes},
		{&l.CacheBytes, d.CacheBytes},
		{&l.CacheEntries, d.CacheEntries},
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
		{&l.ProbeTime, d.ProbeTime},
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
