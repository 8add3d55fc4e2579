package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// probeFacts are what the meaning of an answer to a probe depends on. The probe is the first
// message to a server of which nothing is known: server/discover (basic/versioning, backward
// compatibility).
type probeFacts struct {
	target string // its name, for errors
	over   probeTransport
	// want is the only revision to speak, nil for any. It is not one with sessions: then
	// there is nothing to find out.
	want *protocol.Revision
	// again is set for the second probe, in a revision that the server has named. It has
	// shown by then that it is modern, so nothing but its own list makes it legacy.
	again bool
}

// probeTransport is a kind of transports between which answers to a probe differ.
type probeTransport uint8

const (
	overStream  probeTransport = iota // sockets, WebSocket, memory
	overProgram                       // a dial.Restarter
	overHTTP                          // a dial.Requester
)

// probeAnswer is what has come back to a probe: a result, a failure, silence, or err.
type probeAnswer struct {
	result  json.RawMessage // of a reply; valid JSON
	failure *jsonrpc.Error  // of a reply
	silence bool            // nothing came within probeTime
	ended   bool            // the stream has ended; err says why
	err     error           // why no reply comes
}

// verdict is what an answer to a probe means.
type verdict struct {
	kind     verdictKind
	revision *protocol.Revision // of speaksModern and askAgain
	keep     bool               // later connections need no probe, once this one works
	err      error              // of tryLater and giveUp
}

type verdictKind uint8

const (
	giveUp       verdictKind = iota // Connect ends with the error
	tryLater                        // nothing is known: the probe is sent again until ConnectTime is over
	askAgain                        // the probe is sent once more, in the revision
	speaksModern                    // the server speaks the revision
	speaksLegacy                    // initialize follows
	startAgain                      // initialize follows, on a new connection
)

// classify returns what an answer means. A late answer is classified like any other.
func classify(a probeAnswer, f probeFacts) verdict {
	switch {
	case a.result != nil:
		return f.classifyResult(a.result)
	case a.failure != nil:
		if v, ok := f.classifyModern(a.failure); ok {
			return v
		}
		return f.legacy(a.failure)
	case a.silence:
		return f.classifySilence()
	case a.ended:
		return f.classifyEnd(a.err)
	}
	if s, ok := errors.AsType[*dial.Status](a.err); ok {
		return f.classifyStatus(s)
	}
	if e, ok := errors.AsType[*dial.Error](a.err); ok && e.Again {
		return verdict{kind: tryLater, err: a.err}
	}
	return verdict{kind: giveUp, err: a.err}
}

func (f *probeFacts) classifyResult(result []byte) verdict {
	versions, ok := versionList(result, "supportedVersions")
	if !ok {
		return f.legacy(&dial.Violation{
			Text:  "the result of server/discover has no supportedVersions, a list of strings",
			Bytes: slices.Clone(result[:min(len(result), 256)]),
		})
	}
	common := f.common(versions)
	switch {
	case common == nil:
		return f.refused(versions)
	case common.PerRequest:
		return verdict{kind: speaksModern, revision: common, keep: true}
	}
	return verdict{kind: speaksLegacy, keep: true}
}

// classifyModern returns the verdict for an error that only modern servers send.
func (f *probeFacts) classifyModern(e *jsonrpc.Error) (verdict, bool) {
	switch e.Code {
	case protocol.CodeHeaderMismatch:
		return verdict{err: fmt.Errorf("header fields have not arrived as they were sent, as behind a proxy that removes Mcp-* fields: %w", e)}, true
	case protocol.CodeMissingCapability:
		return verdict{err: fmt.Errorf("the server requires capabilities of the client (%s): %w", requiredCapabilities(e.Data), e)}, true
	case protocol.CodeUnsupportedVersion:
		versions, _ := versionList(e.Data, "supported")
		common := f.common(versions)
		switch {
		case common == nil || f.again:
			return f.refused(versions), true
		case common.PerRequest:
			return verdict{kind: askAgain, revision: common}, true
		}
		return verdict{kind: speaksLegacy, keep: true}, true
	}
	return verdict{}, false
}

// classifySilence returns the verdict for a time without an answer. A modern server may
// only be slow, so the next connection probes again.
func (f *probeFacts) classifySilence() verdict {
	switch {
	case f.over == overHTTP:
		return verdict{kind: tryLater, err: ErrTimeout}
	case f.again || f.want != nil:
		return verdict{kind: giveUp, err: ErrTimeout}
	}
	return verdict{kind: speaksLegacy}
}

// classifyEnd returns the verdict for a stream that has ended. Programs of the Rust SDK end
// on every first message but initialize. A socket that was closed may belong to a server
// that is starting, so it says nothing.
func (f *probeFacts) classifyEnd(err error) verdict {
	switch {
	case f.over != overProgram:
		return verdict{kind: tryLater, err: err}
	case f.again || f.want != nil:
		return verdict{kind: giveUp, err: err}
	}
	return verdict{kind: startAgain, err: err, keep: true}
}

// classifyStatus returns the verdict for an HTTP response that is not one of MCP. The error
// in its body comes first: modern servers send theirs with status 400.
func (f *probeFacts) classifyStatus(s *dial.Status) verdict {
	if e := replyError(s.Message); e != nil {
		if v, ok := f.classifyModern(e); ok {
			return v
		}
	}
	switch s.Status {
	case 401, 403, 407: // credentials are missing, which time does not change
		return verdict{kind: giveUp, err: s}
	case 408, 421, 425, 429:
		return verdict{kind: tryLater, err: s}
	case 501:
		return f.legacy(s)
	}
	switch s.Status / 100 {
	case 4:
		return f.legacy(s)
	case 5:
		return verdict{kind: tryLater, err: s}
	}
	return verdict{kind: giveUp, err: s}
}

// legacy returns the verdict for an answer that no modern server gives. Where the server
// must be one, or has shown that it is, the answer is the error.
func (f *probeFacts) legacy(err error) verdict {
	switch {
	case f.again:
		return verdict{kind: giveUp, err: err}
	case f.want != nil:
		return f.refused(nil)
	}
	return verdict{kind: speaksLegacy, keep: true}
}

// refused returns the verdict for a server that speaks other revisions.
func (f *probeFacts) refused(offered []string) verdict {
	e := &RevisionError{Target: f.target, Offered: shortVersions(offered)}
	if f.want != nil {
		e.Want = f.want.Version
	}
	return verdict{kind: giveUp, err: e}
}

// common returns the newest revision of both sides, nil if there is none. Those without
// sessions are the newer ones.
func (f *probeFacts) common(versions []string) *protocol.Revision {
	for _, r := range slices.Backward(protocol.All) {
		if (f.want == nil || f.want == r) && slices.Contains(versions, r.Version) {
			return r
		}
	}
	return nil
}

// versionList returns the member of an object that is a list of strings.
func versionList(object []byte, name string) (versions []string, ok bool) {
	jsonrpc.Members(object, func(member, value []byte) bool {
		if string(member) != name || len(value) == 0 || value[0] != '[' {
			return true
		}
		ok = true
		jsonrpc.Elements(value, func(element []byte) bool {
			var version string
			version, ok = jsonrpc.String(element)
			versions = append(versions, version)
			return ok
		})
		return false
	})
	if !ok {
		return nil, false
	}
	return versions, true
}

// maxOffered bounds how many versions an error lists, and maxVersion the length of each.
const maxOffered, maxVersion = 16, 32

func shortVersions(versions []string) []string {
	versions = slices.Clone(versions[:min(len(versions), maxOffered)])
	for i, v := range versions {
		if len(v) > maxVersion {
			v = v[:maxVersion]
		}
		versions[i] = strings.ToValidUTF8(v, "")
	}
	return versions
}

// requiredCapabilities names the capabilities that an error -32021 asks for, in order.
func requiredCapabilities(data []byte) string {
	names := map[string]bool{}
	jsonrpc.Members(data, func(member, value []byte) bool {
		if string(member) != "requiredCapabilities" {
			return true
		}
		jsonrpc.Members(value, func(name, _ []byte) bool {
			names[strconv.Quote(string(name[:min(len(name), maxVersion)]))] = true
			return len(names) < maxOffered
		})
		return false
	})
	if len(names) == 0 {
		return "it does not say which"
	}
	return strings.Join(sortedKeys(names), ", ")
}

// replyError returns the error of a message that is a reply with an error, nil otherwise.
func replyError(message []byte) *jsonrpc.Error {
	if len(message) == 0 {
		return nil
	}
	m, failed := jsonrpc.Parse(message)
	if failed != nil || m.Error == nil {
		return nil
	}
	e := new(jsonrpc.Error)
	whole := false
	jsonrpc.Members(m.Error, func(name, value []byte) bool {
		switch string(name) {
		case "code":
			code, err := strconv.Atoi(string(value))
			e.Code, whole = code, err == nil
		case "message":
			e.Message, _ = jsonrpc.String(value)
		case "data":
			e.Data = slices.Clone(value)
		}
		return true
	})
	if !whole {
		return nil
	}
	return e
}
