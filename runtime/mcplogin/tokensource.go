package mcplogin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"golang.org/x/oauth2"
)

// FromTokenSource returns an Authorizer with the tokens of another library, such as
// golang.org/x/oauth2/google. After a status 401 it asks the source once more.
func FromTokenSource(ts oauth2.TokenSource) mcphttpclient.Authorizer {
	return mcphttpclient.TokenFunc(func(context.Context) (string, error) {
		t, err := ts.Token()
		if err != nil {
			return "", fmt.Errorf("get a token of the source: %w", err)
		}
		if t.Type() != "Bearer" || !validToken(t.AccessToken) {
			return "", errors.New("the token of the source is not a bearer token that can be sent")
		}
		return t.AccessToken, nil
	})
}

// AssertionFile returns a function for WorkloadConfig.Assertion that reads a file for each login;
// the platform renews the file. The audience is configured on the platform.
func AssertionFile(path string) func(ctx context.Context, audience string) (string, error) {
	return func(context.Context, string) (string, error) {
		data, err := regularfile.ReadWithin(path, maxTokenBytes)
		if err != nil {
			return "", err
		}
		text := strings.TrimSpace(string(data))
		if text == "" {
			return "", fmt.Errorf("%s is empty", path)
		}
		return text, nil
	}
}
