package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonhash"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file seals the request state (basic/patterns/mrtr): the data that one round stores for the
// next, sealed, so that the client carries it without reading or changing it. It belongs to one
// principal and one request, and expires. [exchange.sealState] writes it at the end of a round,
// under the lock of the questions; [exchange.openState] checks and reads it when the client calls
// again. Both run on the request goroutine.

// sealedRound is the content of a request state.
type sealedRound struct {
	ID        string                     `json:"i"`
	Expires   int64                      `json:"e"` // seconds since 1970
	Principal string                     `json:"p,omitempty"`
	Request   []byte                     `json:"r"`           // digest of the request
	Asked     map[string][]byte          `json:"q,omitempty"` // digests of the open questions
	Answers   map[string]sealedAnswer    `json:"a,omitempty"`
	Tries     map[string]int             `json:"t,omitempty"`
	Once      map[string]json.RawMessage `json:"o,omitempty"`
	State     json.RawMessage            `json:"s,omitempty"`
}

type sealedAnswer struct {
	Digest []byte          `json:"d"`
	Value  json.RawMessage `json:"v"`
}

// statePurpose separates request states from other texts that the server seals.
const statePurpose = "requestState"

// stateTooLarge returns the reply for a request whose answers and values exceed the limit of a
// state.
func stateTooLarge(err error) *ProtocolError {
	return &ProtocolError{Code: jsonrpc.CodeInternal, Message: err.Error(), Data: json.RawMessage(`{"reason":"stateTooLarge"}`)}
}

func digestOf(b []byte) (d [sha256.Size]byte) {
	copy(d[:], b)
	return d
}

// openState opens a request state, and checks that it belongs to the request. Only the log contains
// the reason of a refusal, the reply to the client does not.
func (x *exchange) openState(text string) (*sealedRound, error) {
	if err := x.needsID(); err != nil {
		return nil, err
	}
	digest, err := x.requestDigest()
	if err != nil {
		return nil, err
	}
	var plain []byte
	ok, err := x.conn.server.withKeys(&x.Ctx, func(keys *seal.Keyring) (ok bool) {
		plain, ok = keys.Open(statePurpose, text)
		return ok
	})
	if err != nil {
		return nil, err
	}
	s := new(sealedRound)
	switch {
	case !ok:
		return nil, x.refuseState("it was not sealed with a key of this server, or has been changed")
	case json.Unmarshal(plain, s) != nil:
		return nil, x.refuseState("it was sealed by another version of this server")
	case s.Principal != x.From.ID():
		return nil, x.refuseState("it belongs to another principal")
	case string(s.Request) != string(digest[:]):
		return nil, x.refuseState("it belongs to another request")
	case time.Now().Unix() >= s.Expires:
		x.logRefusal("it has expired")
		return nil, wrongParams("params.requestState has expired")
	}
	return s, nil
}

// refuseState logs why a state is refused, and returns the error for the client.
func (x *exchange) refuseState(why string) error {
	x.logRefusal(why)
	return wrongParams("params.requestState is not valid for this request")
}

func (x *exchange) logRefusal(why string) {
	x.conn.server.log.Client(&x.Ctx, slog.LevelWarn, "request state refused",
		slog.String("method", x.MethodName), slog.String("name", x.Feature), slog.String("reason", why))
}

// sealState returns the sealed state for the next round. The caller holds the lock of the
// questions.
func (x *exchange) sealState() (string, error) {
	if err := x.needsID(); err != nil {
		return "", err
	}
	digest, err := x.requestDigest()
	if err != nil {
		return "", err
	}
	c := x.questions.make()
	s := sealedRound{
		ID:        rand.Text(),
		Expires:   time.Now().Add(x.conn.server.limits.QuestionTime).Unix(),
		Principal: x.From.ID(),
		Request:   digest[:],
		Asked:     map[string][]byte{},
		Answers:   map[string]sealedAnswer{},
		Tries:     c.tries,
		Once:      c.once,
		State:     c.state,
	}
	for i := range c.pending {
		s.Asked[c.pending[i].key] = c.pending[i].digest[:]
	}
	for key, a := range c.answers {
		if !a.unasked {
			s.Answers[key] = sealedAnswer{a.digest[:], a.value}
		}
	}
	plain, err := json.Marshal(&s)
	if err != nil {
		return "", fmt.Errorf("seal request state: %w", err)
	}
	keys, err := sealingKeys(&x.Ctx, x.conn.server)
	if err != nil {
		return "", err
	}
	return keys.Seal(statePurpose, plain), nil
}

// requestDigest identifies a request by its method, the name or URI of the feature, and the
// arguments. The order of members, the spelling of numbers and strings, white space, and all other
// params make no difference.
func (x *exchange) requestDigest() (digest [sha256.Size]byte, err error) {
	p := x.Params()
	arguments := p.Get("arguments")
	if arguments == nil {
		arguments = emptyObject
	}
	if err := wire.Valid(arguments, max(1, x.conn.server.limits.Depth-2)); err != nil {
		return digest, err
	}
	h := jsonhash.New()
	h.Text('m', []byte(x.MethodName))
	for _, name := range []string{"name", "uri"} {
		if value := p.Get(name); value != nil {
			h.Text('p', []byte(name))
			h.Value(value)
		}
	}
	h.Value(arguments)
	return h.Sum(), nil
}
