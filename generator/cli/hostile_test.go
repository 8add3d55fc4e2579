package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// hostileMain is a server of 2026-07-28 whose names, texts and errors contain escape sequences and
// line breaks.
func hostileMain() {
	const evil = `\u001b]0;evil\u0007\u001b[2J\u202e`
	replies := map[string]string{
		"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{},"prompts":{}},"ttlMs":0,"cacheScope":"private",` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"` + evil + `","version":"1"}}}`,
		"tools/list": `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"bad\nname","description":"` + evil + `","inputSchema":{"type":"object","properties":{"a` + evil + `":{"type":"string"}}}},` +
			`{"name":"fail","inputSchema":{"type":"object"}},` +
			`{"name":"deep","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/$defs/x"}},"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}}}]}`,
		"resources/list":           `{"resultType":"complete","ttlMs":0,"cacheScope":"private","resources":[{"uri":"x://` + evil + `","name":"r"}]}`,
		"resources/templates/list": `{"resultType":"complete","ttlMs":0,"cacheScope":"private","resourceTemplates":[]}`,
		"prompts/list":             `{"resultType":"complete","ttlMs":0,"cacheScope":"private","prompts":[{"name":"p` + evil + `"}]}`,
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Meta struct {
					Token json.RawMessage `json:"progressToken"`
				} `json:"_meta"`
			}
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		switch result, ok := replies[m.Method]; {
		case ok:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		default:
			fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1,"total":2,"message":"half\n%s"}}`+"\n", m.Params.Meta.Token, evil)
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"broken %s"}}`+"\n", m.ID, evil)
		}
	}
}
