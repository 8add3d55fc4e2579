package mask

import (
	"strings"
	"testing"
)

// TestCommand contains forms in which servers receive credentials, always "swordfish" or the text
// after it, and similar texts, which must not change.
func TestCommand(t *testing.T) {
	for line, want := range map[string]string{
		// A flag with a name.
		"server --token= swordfish":                 "server --token= ***",
		"server --token = swordfish":                "server --token = ***",
		"server --token swordfish":                  "server --token ***",
		"server --token:swordfish":                  "server --token:***",
		"server --db-password swordfish --db books": "server --db-password *** --db books",
		"server -apiKey swordfish":                  "server -apiKey ***",
		"server --auth Bearer swordfish":            "server --auth Bearer ***",
		"server --pin 8812":                         "server --pin ***",
		"server --creds swordfish":                  "server --creds ***",
		"server --token -swordfish":                 "server --token ***",
		"server --token= -swordfish":                "server --token= ***",
		"server --header Authorization: swordfish":  "server --header Authorization: ***",
		"server -H X-Api-Key: Token swordfish":      "server -H X-Api-Key: Token ***",
		"server -HX-Any:swordfish":                  "server -HX-Any:***",
		"server -eLEVEL=swordfish":                  "server -eLEVEL=***",
		"server -ume:swordfish":                     "server -ume:***",
		// A flag of one letter.
		"server -p swordfish":                "server -p ***",
		"server -P swordfish":                "server -P ***",
		"server -t= swordfish":               "server -t= ***",
		"server -k=swordfish":                "server -k=***",
		"server --k swordfish":               "server --k ***",
		"server -a 12345":                    "server -a ***",
		"server -w sword/fish":               "server -w ***",
		"server -x db=swordfish":             "server -x db=***",
		"server -p -swordfish1":              "server -p ***",
		"server -pSwordfish1":                "server -p***",
		"server -pSWORDFISH":                 "server -p***",
		"server -p:swordfish":                "server -p:***",
		"server /p:swordfish":                "server /p:***",
		"server /password swordfish":         "server /password ***",
		"mysql -h db -pswordfish":            "mysql -h db -p***",
		"npx -y pkg -p swordfish":            "npx -y pkg -p ***",
		"npx --foo pkg -p swordfish":         "npx --foo pkg -p ***",
		"cmd /c npx -y pkg -k fish":          "cmd /c npx -y pkg -k ***",
		"docker run -i --rm x -t fish":       "docker run -i --rm x -t ***",
		"docker run -e A=fish -i x":          "docker run -e A=*** -i x",
		"python -m server -t fish":           "python -m server -t ***",
		"env A=b server -k fish":             "env A=b server -k ***",
		"uv run --directory /x s.py -s fish": "uv run --directory /x s.py -s ***",
		// Words.
		"server set api_key swordfish":                     "server set api_key ***",
		"server API_KEY swordfish":                         "server API_KEY ***",
		"server TOKEN= swordfish":                          "server TOKEN= ***",
		"server ghr_swordfish npm_swordfish hvs.swordfish": "server *** *** ***",
		"server wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY":  "server ***",
		"server wJalrXUtnF3MI/K7MD3NG/bPxRfiCY3XAMPLEKEY":  "server ***",
		"server Tr0ub4dor&3":                               "server ***",
		"server A1b2C3d4E5f6G7h8":                          "server ***",
		`server ["--token","swordfish"]`:                   `server ["--token","***"]`,
		`server ["-p","swordfish"]`:                        `server ["-p","***"]`,
	} {
		shown, hidden := Command(strings.Fields(line)[0], strings.Fields(line)[1:])
		if got := strings.Join(shown, " "); got != want || (len(hidden) > 0) != strings.Contains(want, Sign) {
			t.Errorf("%s:\n got %s, %q\nwant %s", line, got, hidden, want)
		}
	}
	// One argument is a command line.
	for text, want := range map[string]string{
		"exec server --token swordfish -v":                   "exec server --token *** -v",
		"cd /x && server -p 'sword fish' | tee log":          "cd /x && server -p '***' | tee log",
		`server --password="sword fish"; npx -y pkg -p fish`: `server --password=***; npx -y pkg -p ***`,
		"npx -y @scope/pkg /data":                            "npx -y @scope/pkg /data",
		`a="-b c"`:                                           `a="-b c"`,
		"don't -x":                                           "don't -x",
	} {
		shown, _ := Command("sh", []string{"-c", text})
		if shown[2] != want {
			t.Errorf("%s:\n got %s\nwant %s", text, shown[2], want)
		}
	}
	for _, line := range []string{
		"npx -y @modelcontextprotocol/server-filesystem@2025.1.1 /data /home/me/auth",
		"npx -y mcp-server-x --port 8080 --host 127.0.0.1:80",
		"docker run -i --rm -p 8080:80 -v /a:/b -e NAME ghcr.io/github/github-mcp-server stdio",
		"docker run --rm -it --name x --network host mcp/fetch:1.2",
		"uvx -q --from git+x mcp-server-git --repository /src",
		"uv --directory /srv run server.py",
		"python3.12 -u -m server --verbose",
		"/usr/bin/python3 -u server.py",
		"node -r dotenv/config build/index.js",
		"node --inspect server.js",
		"go run ./cmd/server -C /tmp/x",
		"go -C /src/token tool mcpgen run ./notes",
		"server -c ./conf.d -f config.yaml -C ../x -y @scope/pkg -v --verbose",
		"server -t ${TOKEN} --token=${TOKEN} -u https://example.com/mcp",
		"server --monkey x --keyboard de --passage 1 --author me --spinner on",
		"server -it --log-level debug -verbose",
		"bash -lc server", "server auth.js x",
		"java -jar server.jar -Dlevel=debug",
		"cmd /c npx -y pkg",
		"server typescript@^5.0.1 ModelContextProtocol x86_64 2025-11-25 v1.2.3",
	} {
		shown, hidden := Command(strings.Fields(line)[0], strings.Fields(line)[1:])
		if got := strings.Join(shown, " "); got != line || len(hidden) > 0 {
			t.Errorf("%s:\n got %s, %q", line, got, hidden)
		}
	}
}

// The user who installs a program knows its arguments, so only likely credentials are reported.
func TestLikely(t *testing.T) {
	for _, line := range []string{"-p 8080", "-n 5 -q x", "-k8s context", "set key value", "/p:x", "-c ./x"} {
		if shown, hidden := Arguments(strings.Fields(line)); strings.Join(shown, " ") != line || len(hidden) > 0 {
			t.Errorf("%s: %q, %q", line, shown, hidden)
		}
	}
	for line, want := range map[string]string{"--token= swordfish": "--token= ***", "Authorization: swordfish": "Authorization: ***", "--auth Basic fish": "--auth Basic ***"} {
		if shown, _ := Arguments(strings.Fields(line)); strings.Join(shown, " ") != want {
			t.Errorf("%s: %q, want %s", line, shown, want)
		}
	}
}
