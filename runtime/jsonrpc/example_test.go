package jsonrpc_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

func ExampleParse() {
	m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"add"}}`))
	fmt.Println(m.Kind == jsonrpc.Request, m.ID, string(m.Method), string(m.Params.Get("name")), err)

	_, err = jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","method":"pong"}`))
	fmt.Println(err)
	// Output:
	// true "7" tools/call "add" <nil>
	// invalid request: duplicate key "method" (-32600)
}

func ExampleNewLineConn() {
	conn := jsonrpc.NewLineConn(strings.NewReader("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"), os.Stdout, 0)
	data, _ := conn.Read()
	m, _ := jsonrpc.Parse(data)
	reply := jsonrpc.AppendResult(nil, m.ID, []byte("{}"))
	conn.Write(append(reply, '\n'))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
}
