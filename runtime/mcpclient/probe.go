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

// probeFacts are the facts that determine the meaning of an answer to a probe. The probe is the
// first message to an unknown server: server/discover (basic/versioning, backward compatibility).
type probeFacts struct {
	target string // its name, for errors
	over   probeTransport
	// want is the only revision to use, or nil for any. It is not a revision with sessions: that
	// needs no probe.
	want *protocol.Revision
	// again is set for the second probe, in a revision that the server has named. The server has
	// proved to be modern by then, so only its own list can make it legacy.
	again bool
}

// probeTransport is a kind of transport. Answers to a probe depend on it.
type probeTransport uint8

const (
	overStream  probeTransport = iota // sockets, WebSocket, memory
	overProgram                       // a dial.Restarter
	overHTTP                          // a dial.Requester
)

// probeAnswer is the answer to a probe: a result, a failure, a timeout, or err.
type probeAnswer struct {
	result  json.RawMessage // of a reply; valid JSON
	failure *jsonrpc.Error  // of a reply
	silence bool            // nothing arrived within probeTime
	ended   bool            // the stream ended because of err
	err     error           // why no reply arrives
}

// verdict is the meaning of an answer to a probe.
type verdict struct {
	kind     verdictKind
	revision *protocol.Revision // of speaksModern and askAgain
	keep     bool               // store the revision once this connection works, so that later ones need no probe
	err      error              // of tryLater and giveUp
}

type verdictKind uint8

const (
	giveUp       verdictKind = iota // Connect ends with the error
	tryLater                        // the server is still unknown: the probe is sent again until ConnectTime is over
	askAgain                        // the probe is sent once more, in the revision
	speaksModern                    // the server speaks the revision
	speaksLegacy                    // initialize follows
	startAgain                      // initialize follows, on a new connection
)

// classify returns the verdict for an answer. It treats a late answer like any other.
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

// classifySilence returns the verdict for a timeout. A modern server may only be slow, so the next
// connection probes again.
func (f *probeFacts) classifySilence() verdict {
	switch {
	case f.over == overHTTP:
		return verdict{kind: tryLater, err: ErrTimeout}
	case f.again || f.want != nil:
		return verdict{kind: giveUp, err: ErrTimeout}
	}
	return verdict{kind: speaksLegacy}
}

// classifyEnd returns the verdict for a stream that ended. Programs of the Rust SDK exit on every
// first message but initialize. A closed socket may belong to a server that is starting, so it
// proves nothing.
func (f *probeFacts) classifyEnd(err error) verdict {
	switch {
	case f.over != overProgram:
		return verdict{kind: tryLater, err: err}
	case f.again || f.want != nil:
		return verdict{kind: giveUp, err: err}
	}
	return verdict{kind: startAgain, err: err, keep: true}
}

// classifyStatus returns the verdict for an HTTP response that is not an MCP message. The error in
// its body takes precedence: modern servers send theirs with status 400.
func (f *probeFacts) classifyStatus(s *dial.Status) verdict {
	if e := replyError(s.Message); e != nil {
		if v, ok := f.classifyModern(e); ok {
			return v
		}
	}
	switch s.Status {
	case 401, 403, 407: // credentials are missing; waiting does not help
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

// legacy returns the verdict for an answer that no modern server sends. If the server must be
// modern, or has proved to be, the answer is an error.
func (f *probeFacts) legacy(err error) verdict {
	switch {
	case f.again:
		return verdict{kind: giveUp, err: err}
	case f.want != nil:
		return f.refused(nil)
	}
	return verdict{kind: speaksLegacy, keep: true}
}

// refused returns the verdict for a server that supports other revisions.
func (f *probeFacts) refused(offered []string) verdict {
	e := &RevisionError{Target: f.target, Offered: shortVersions(offered)}
	if f.want != nil {
		e.Want = f.want.Version
	}
	return verdict{kind: giveUp, err: e}
}

// common returns the newest revision of both sides, or nil. Revisions without sessions are the
// newer ones.
func (f *probeFacts) common(versions []string) *protocol.Revision {
	for _, r := range slices.Backward(protocol.All) {
		if (f.want == nil || f.want == r) && slices.Contains(versions, r.Version) {
			return r
		}
	}
	return nil
}

// versionList returns a member of an object that is a list of strings.
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

// maxOffered limits the number of versions in an error, and maxVersion the length of each.
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

// requiredCapabilities returns the names of the capabilities that an error -32021 requires, in
// order.
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

// replyError returns the error of a message that is an error reply, or nil.
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
