package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// Sample asks the client's model for a message, and waits for it. The errors are the same as for
// [Elicit]. Revision 2026-07-28 deprecates sampling.
func Sample(ctx context.Context, request *SampleRequest, options ...AskOption) (*SampleResult, error) {
	if request == nil {
		return nil, errors.New("sample: the request is nil")
	}
	q := &sampleQuestion{request: request}
	if err := ask(ctx, q, options); err != nil {
		return nil, err
	}
	return q.result, nil
}

// question makes the request a [Question].
func (s *SampleRequest) question(x *exchange, o *askOptions) (*question, error) {
	return (&sampleQuestion{request: s}).question(x, o)
}

type sampleQuestion struct {
	request *SampleRequest
	result  *SampleResult
}

func (q *sampleQuestion) question(x *exchange, _ *askOptions) (*question, error) {
	s := q.request
	if s == nil {
		return nil, errors.New("sample: the request is nil")
	}
	if err := x.requires(s.capabilities()...); err != nil {
		return nil, err
	}
	r := &rendering{by: &x.conn.server.published, revision: x.Revision}
	params := s.appendParams(nil, r)
	if r.err != nil {
		return nil, fmt.Errorf("sample: %w", r.err)
	}
	return newQuestion(protocol.CreateMessage, params, func(result json.RawMessage) (err error) {
		q.result, err = readSample(result)
		return err
	}), nil
}
