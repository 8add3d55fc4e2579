package mcpnats

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Errors of JetStream come with a hint, and a missing quorum is distinguished from disabled
// JetStream.
func TestExplain(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&jetstream.APIError{Code: 503, ErrorCode: 10008}, "more than half"},
		{fmt.Errorf("look up: %w", &jetstream.APIError{Code: 503, ErrorCode: 10076}), "not enabled"},
		{&jetstream.APIError{Code: 503, ErrorCode: 10039}, "not enabled"},
		{nats.ErrNoResponders, "not enabled"},
		{&jetstream.APIError{Code: 500, ErrorCode: 10047}, "lower them"},
		{&jetstream.APIError{Code: 500, ErrorCode: 10028}, "WithMaxBytes"},
		{fmt.Errorf("create: %w", &jetstream.APIError{Code: 503, ErrorCode: 10023}), "max_file_store"},
		{errors.New("other"), "other"},
	} {
		got := explain(c.err)
		if !errors.Is(got, c.err) || !strings.Contains(got.Error(), c.want) || (c.want == "other") != (got.Error() == c.err.Error()) {
			t.Errorf("%v: %v, want %q", c.err, got, c.want)
		}
	}
}
