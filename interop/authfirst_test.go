package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// startAuth runs a program with flags of mcpauth until the end of the test. Its tools need one
// scope each, and no flag and no option names them.
func startAuth(t *testing.T, args ...string) (endpoint string) {
	t.Helper()
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	for name, scope := range map[string]string{"search": "books:read", "order": "books:write", "audit": "books:admin"} {
		info := mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`, Scopes: []string{scope}}
		info.Hints.ReadOnly = name == "search"
		s.Register(mcp.NewTool(info, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(name + " by " + mcpauth.IdentityFromContext(ctx).Subject), nil
		}))
	}
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- mcpcmd.Run(ctx, s, append([]string{"-http", "127.0.0.1:0"}, args...), mcpauth.Flags(), mcpcmd.WithReady(func(url string) { ready <- url }))
	}()
	select {
	case endpoint = <-ready:
	case err := <-ended:
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return endpoint
}

// logIn runs mcpgen login, whose address a person opens, and returns what it says.
func (s *shell) logIn(open func(context.Context, string) error, args ...string) (said string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.path, append([]string{"login"}, args...)...)
	cmd.Dir = s.dir
	// Without PATH there is no program that opens a browser.
	cmd.Env = []string{"XDG_CACHE_HOME=" + filepath.Join(s.dir, "cache"), "XDG_CONFIG_HOME=" + filepath.Join(s.dir, "config"), "PATH="}
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		said += line
		if address, ok := strings.CutPrefix(line, "To log in, open this address in a browser: "); ok {
			if err := open(ctx, strings.TrimSpace(address)); err != nil {
				s.t.Error(err)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		s.t.Fatalf("mcpgen login %q: %v\n%s", args, err, said)
	}
	return said
}

// TestFirstLogin: a program with -auth, an issuer with the settings that its documentation needs,
// which has no refresh tokens, and the command. After one login, every tool works that the account
// may use.
func TestFirstLogin(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(t *testing.T) (endpoint string, open func(context.Context, string) error, flags []string, subject string){
		"oidc-provider": func(t *testing.T) (string, func(context.Context, string) error, []string, string) {
			node(t)
			i := startOIDC(t, oidcPlan{Short: true})
			if grants := metadataOf(t, i.url+"/.well-known/openid-configuration")["grant_types_supported"]; strings.Contains(string(marshal(t, grants)), "refresh_token") {
				t.Errorf("the issuer has refresh tokens: %v", grants)
			}
			return startAuth(t, "-auth", i.url), person(ada), nil, "ada"
		},
		// It registers no clients, and the audience of its tokens is the client.
		"op": func(t *testing.T) (string, func(context.Context, string) error, []string, string) {
			i := startOP(t, opPlan{JWT: true, Lifetime: deadline, Once: true})
			return startAuth(t, "-auth", i.url, "-audience", opReader), person(opUser), []string{"-client-id", opReader}, "id1"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endpoint, open, flags, subject := start(t)
			s, pages := newShell(t), 0
			said := s.logIn(func(ctx context.Context, to string) error {
				pages++
				return open(ctx, to)
			}, append(flags, endpoint)...)
			for _, want := range []string{"with the scopes books:read books:write", "not granted: books:admin;"} {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in\n%s", want, said)
				}
			}
			s.want(0, "search by "+subject, "call", endpoint, "search")
			s.want(0, "order by "+subject, "call", endpoint, "order")
			s.want(0, "search by "+subject, "call", endpoint, "search")
			s.want(1, "books:admin", "call", endpoint, "audit")
			same(t, "pages", pages, 1)
		})
	}
}
