package gosdk

import (
	"context"
	"errors"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Features are removed even if middleware of the server hides them, or refuses lists.
func TestUnmountThroughMiddleware(t *testing.T) {
	for name, change := range map[string]func(*sdk.ListToolsResult) (sdk.Result, error){
		"hides": func(r *sdk.ListToolsResult) (sdk.Result, error) {
			some := *r
			some.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t *sdk.Tool) bool { return t.Name == "a" })
			return &some, nil
		},
		"refuses": func(*sdk.ListToolsResult) (sdk.Result, error) { return nil, errors.New("no lists now") },
	} {
		s, on := newServer(), false
		s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
				result, err := next(ctx, method, req)
				if r, ok := result.(*sdk.ListToolsResult); ok && on {
					return change(r)
				}
				return result, err
			}
		})
		unmount, err := Mount(s, registering(echo("a"), echo("b")))
		if err != nil {
			t.Fatal(err)
		}
		on = true
		unmount()
		on = false
		sameList(t, name, toolNames(t, connect(t, s, modern, nil)), "own")
	}
}
