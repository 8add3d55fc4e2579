package toolschema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// CheckInput returns an error if a schema cannot be the input schema of a tool: its root must be an
// object, and keywords that the protocol's own schema defines must have the form defined there.
func CheckInput(schema string) error {
	if err := wire.Valid([]byte(schema), 0); err != nil {
		return err
	}
	if !isObject([]byte(strings.TrimLeft(schema, " \t\r\n"))) || !HasObjectRoot(schema) {
		return errors.New(`it must have "type":"object" at its root`)
	}
	return checkKeywords(schema)
}

// CheckOutput is like CheckInput for results, whose root is any schema that is an object.
func CheckOutput(schema string) error {
	if err := wire.Valid([]byte(schema), 0); err != nil {
		return err
	}
	if !isObject([]byte(strings.TrimLeft(schema, " \t\r\n"))) {
		return errors.New("it must be an object")
	}
	return checkKeywords(schema)
}

// checkKeywords checks the keywords of a root that the protocol's schema defines.
func checkKeywords(schema string) (err error) {
	jsonrpc.Members([]byte(schema), func(name, value []byte) bool {
		switch string(name) {
		case "$schema":
			if value[0] != '"' {
				err = errors.New("$schema must be a string")
			}
		case "properties":
			if !isObject(value) {
				err = errors.New("properties must be an object")
				break
			}
			jsonrpc.Members(value, func(property, value []byte) bool {
				if c := value[0]; c != '{' && c != 't' && c != 'f' {
					err = fmt.Errorf("the property %q must be a schema", property)
				}
				return err == nil
			})
		case "required":
			if value[0] != '[' {
				err = errors.New("required must be an array")
				break
			}
			jsonrpc.Elements(value, func(value []byte) bool {
				if value[0] != '"' {
					err = errors.New("required must be an array of strings")
				}
				return err == nil
			})
		}
		return err == nil
	})
	return err
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
