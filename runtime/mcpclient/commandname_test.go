package mcpclient_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestLaunchedName has programs that run another one, which messages name.
func TestLaunchedName(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y @scope/server /tmp": "@scope/server", "/usr/bin/npx --yes server-files@1.2": "server-files@1.2", "npx.cmd -y x": "x",
		"npx -y -p @scope/tools serve --port 1": "serve", "npx --package=@scope/tools -- serve": "serve", "npx -c serve": "npx", "npx -y": "npx", "npx": "npx",
		"npx -y git+https://ada:secret@example.com/x.git": "npx", "cmd /c npx -y server": "server", "cmd.exe /C python x.py": "x.py", "cmd /k npx x": "cmd",
		"npm exec -y @scope/server": "@scope/server", "npm start": "npm", "pnpm dlx server": "server", "bunx server": "server", "bun x server": "server", "bun index.ts": "index.ts",
		"uvx mcp-server-git --repository .": "mcp-server-git", "uvx --from git+https://x/y mcp-git": "mcp-git", "uv run --directory /srv server.py": "server.py",
		"uv tool run ruff": "ruff", "uv run -m pkg.server": "pkg.server", "uv sync": "uv", "pipx run --spec a b": "b",
		"docker run -i --rm -e TOKEN -v /a:/b ghcr.io/x/server:1 stdio": "ghcr.io/x/server:1", "docker run -it --name=n mcp/time": "mcp/time", "docker container run --rm img": "img",
		"podman run --mount type=bind img": "img", "docker compose up": "docker", "docker run -i": "docker",
		"go run ./cmd/server -x": "./cmd/server", "go run -tags a -race example.com/x@latest": "example.com/x@latest", "go tool server": "server", "go version": "go",
		"node dist/index.js a": "dist/index.js", "node -r dotenv/config --import=tsx server.ts": "server.ts", "node -e 1": "node", "deno run -A server.ts": "server.ts",
		"python3 -u server.py": "server.py", "python -m mcp_server": "mcp_server", "python -c pass": "python", "java -cp a -jar server.jar": "server.jar",
		"npx --token s3cret server": "npx", "docker run --new s3cret img": "docker", "node --unknown s3cret": "node", "npx --token=s3cret server": "server", "npx - s3cret": "npx",
		"/opt/bin/shop -x": "shop", "sh -c npx": "sh", "": "program without a path",
	} {
		path, rest, _ := strings.Cut(line, " ")
		if got := (mcpclient.Command{Path: path, Args: strings.Fields(rest)}).Name(); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for _, arg := range []string{"a\x1b[31mb", strings.Repeat("x", 201), ""} {
		if got := (mcpclient.Command{Path: "npx", Args: []string{arg}}).Name(); got != "npx" {
			t.Errorf("%.20q: %q", arg, got)
		}
	}
}
