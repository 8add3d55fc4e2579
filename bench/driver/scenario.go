package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/bench/catalog"
	"github.com/mcpgen/mcpgen/bench/contract"
)

// scenario is a kind of call. Variants of it differ in their arguments and answers, so that no
// answer is valid for another variant.
type scenario struct {
	name     string
	title    string // in the table
	method   string
	feature  string // of the call, as repeated in a header field
	variants int
	params   func(variant int) string // members, without braces
	check    func(variant int, result map[string]any) error
	events   bool // notifications precede the answer
	big      bool // too large for 512 concurrent calls
	legacy   bool // not part of revision 2026-07-28
}

var scenarios = []*scenario{
	{
		name: "ping", title: "ping", method: "ping", variants: 1, legacy: true,
		params: func(int) string { return "" },
		check:  func(int, map[string]any) error { return nil },
	},
	{
		name: "add", title: "small call", method: "tools/call", feature: "add", variants: 16,
		params: func(v int) string { return fmt.Sprintf(`"name":"add","arguments":{"a":%d,"b":1000}`, v) },
		check: func(v int, result map[string]any) error {
			return structured(result, catalog.Add(int64(v), 1000))
		},
	},
	{
		name: "search", title: "nested call, 1 KB result", method: "tools/call", feature: "search", variants: 16,
		params: func(v int) string { return `"name":"search","arguments":` + searchArguments(v) },
		check: func(v int, result map[string]any) error {
			return structured(result, catalog.Search(&catalog.Query{Limit: v + 1}))
		},
	},
	{
		name: "list", title: "list of 50 tools", method: "tools/list", variants: 1,
		params: func(int) string { return "" },
		check:  checkList,
	},
	{
		name: "resource", title: "templated resource", method: "resources/read", variants: 7, feature: catalog.BookURI,
		params: func(v int) string { return `"uri":"` + bookURI(v) + `"` },
		check:  checkBook,
	},
	{
		name: "text", title: "200 KB string", method: "tools/call", feature: "text", variants: 3, big: true,
		params: func(v int) string { return `"name":"text","arguments":{"text":` + quoted(longText(v)) + `}` },
		check:  func(v int, result map[string]any) error { return onlyText(result, longText(v)) },
	},
	{
		name: "records", title: "5,000 structs", method: "tools/call", feature: "records", variants: 1, big: true,
		params: func(int) string { return fmt.Sprintf(`"name":"records","arguments":{"count":%d}`, catalog.MaxRecords) },
		check: func(_ int, result map[string]any) error {
			return structured(result, catalog.List(catalog.MaxRecords))
		},
	},
	{
		name: "report", title: "10 notifications", method: "tools/call", feature: "report", variants: 1, events: true,
		params: func(int) string { return `"name":"report","arguments":{}` },
		check:  func(_ int, result map[string]any) error { return onlyText(result, "reported") },
	},
}

// searchArguments returns about 570 bytes of arguments, as a client sends them.
func searchArguments(variant int) string {
	return `{"query":"distributed systems and the people who run them","limit":` + strconv.Itoa(variant+1) +
		`,"offset":100,"sort":"year","exact":false,` +
		`"filters":[{"field":"language","op":"in","values":["en","de","fr"],"boost":1.5},{"field":"year","op":"gt","values":["1990"]},` +
		`{"field":"publisher","op":"ne","values":["Example Press","Sample House & Company"],"boost":0.25}],` +
		`"labels":{"tenant":"north","trace":"7f3a19c2b0d4","source":"assistant"},"weights":{"title":0.75,"author":0.5,"text":0.125},` +
		`"page":{"number":5,"size":25,"cursor":"b2Zmc2V0OjEwMA=="},"since":"2024-02-29T12:30:00.25+01:00"}`
}

func bookURI(variant int) string { return catalog.BookURI + strconv.Itoa(variant+1) }

// longText returns a typical text with 200 KB: lines, some quotes, some words in other alphabets.
func longText(variant int) string {
	line := "Line of variant " + strconv.Itoa(variant) + ": what the \"model\" reads, and was written by people; über Räume, früher.\n"
	return strings.Repeat(line, 200_000/len(line)+1)[:200_000]
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // marshalling a string cannot fail
	}
	return string(b)
}

// decoded returns a value as encoding/json reads it, with numbers as text.
func decoded(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}

// same returns an error if a decoded value differs from the JSON form of another value.
func same(what string, got any, want any) error {
	text, err := json.Marshal(want)
	if err != nil {
		return err
	}
	expected, err := decoded(text)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(got, expected) {
		return fmt.Errorf("%s is wrong: %s", what, clip(fmt.Sprint(got)))
	}
	return nil
}

// structured checks structured content and its text.
func structured(result map[string]any, want any) error {
	if result["isError"] == true {
		return fmt.Errorf("an error: %s", clip(fmt.Sprint(result)))
	}
	if err := same("structuredContent", result["structuredContent"], want); err != nil {
		return err
	}
	text, err := textOf(result)
	if err != nil {
		return err
	}
	value, err := decoded([]byte(text))
	if err != nil {
		return fmt.Errorf("text is not JSON: %w", err)
	}
	return same("text", value, want)
}

// onlyText checks a result that contains only a text.
func onlyText(result map[string]any, want string) error {
	text, err := textOf(result)
	if err != nil {
		return err
	}
	if text != want || result["isError"] == true {
		return fmt.Errorf("text is wrong: %s", clip(text))
	}
	return nil
}

// textOf returns the text in a result with a single block.
func textOf(result map[string]any) (string, error) {
	content, ok := result["content"].([]any)
	if !ok || len(content) != 1 {
		return "", fmt.Errorf("want one content block: %s", clip(fmt.Sprint(result)))
	}
	block, _ := content[0].(map[string]any)
	text, ok := block["text"].(string)
	if !ok || block["type"] != "text" {
		return "", fmt.Errorf("want a block of text: %s", clip(fmt.Sprint(block)))
	}
	return text, nil
}

func checkBook(variant int, result map[string]any) error {
	contents, ok := result["contents"].([]any)
	if !ok || len(contents) != 1 {
		return fmt.Errorf("want one content: %s", clip(fmt.Sprint(result)))
	}
	content, _ := contents[0].(map[string]any)
	if content["uri"] != bookURI(variant) || content["mimeType"] != "application/json" {
		return fmt.Errorf("content is wrong: %s", clip(fmt.Sprint(content)))
	}
	text, _ := content["text"].(string)
	value, err := decoded([]byte(text))
	if err != nil {
		return fmt.Errorf("text is not JSON: %w", err)
	}
	book, err := catalog.BookAt(int64(variant + 1))
	if err != nil {
		return err
	}
	return same("book", value, book)
}

// checkList checks that all 50 tools are listed, each with the schemas of the contract.
func checkList(_ int, result map[string]any) error {
	list, _ := result["tools"].([]any)
	byName := map[string]map[string]any{}
	for _, item := range list {
		tool, _ := item.(map[string]any)
		name, _ := tool["name"].(string)
		byName[name] = tool
	}
	want := contract.Tools()
	if len(list) != len(want) || len(byName) != len(want) {
		return fmt.Errorf("want %d tools, got %d", len(want), len(byName))
	}
	for _, t := range want {
		tool := byName[t.Name]
		if tool == nil || tool["description"] != t.Description {
			return fmt.Errorf("tool %s is missing or has another description", t.Name)
		}
		if err := same("input schema of "+t.Name, tool["inputSchema"], t.InputSchema); err != nil {
			return err
		}
		if t.OutputSchema != nil {
			if err := same("output schema of "+t.Name, tool["outputSchema"], t.OutputSchema); err != nil {
				return err
			}
		}
	}
	return nil
}

func clip(s string) string {
	if len(s) > 300 {
		return s[:300] + "..."
	}
	return s
}
