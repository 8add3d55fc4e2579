package vet

import (
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// identities are names of values that identify the caller, without case and separators.
var identities = map[string]bool{
	"tenant": true, "tenantid": true, "userid": true, "useruuid": true, "account": true, "accountid": true,
	"customerid": true, "organizationid": true, "organisationid": true, "orgid": true, "workspaceid": true, "principal": true,
	"callerid": true, "ownerid": true, "sessionid": true, "actingas": true, "onbehalfof": true,
	"token": true, "accesstoken": true, "authtoken": true, "bearertoken": true, "refreshtoken": true, "idtoken": true,
	"sessiontoken": true, "jwt": true, "authorization": true, "credential": true, "credentials": true,
	"password": true, "passwd": true, "passphrase": true, "secret": true, "clientsecret": true, "privatekey": true,
	"apikey": true, "apitoken": true, "apisecret": true,
}

func identity(name string) bool {
	return identities[strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))]
}

const identityHint = "take it from the request: //mcp:inject on a func(context.Context) (T, error) fills the parameter and hides it; " +
	"//mcp:ignore identity-argument REASON if it is not the caller's own"

// identityArguments: see the table.
func (c *checker) identityArguments() {
	for _, f := range c.features {
		for _, name := range f.variables {
			if identity(name) {
				c.report(f.set, f.pos, f.subject+": variable "+name, identityHint, "the client chooses it")
			}
		}
		if f.resource != nil {
			continue
		}
		c.identityFields(f, "", f.arguments(), map[*model.Type]bool{})
	}
}

func (c *checker) identityFields(f *feature, path string, fields []*model.Field, seen map[*model.Type]bool) {
	for _, field := range fields {
		if field.ReadOnly {
			continue
		}
		name := path + field.Name
		if identity(field.Name) {
			c.report(f.set, c.fieldPos(f, field), f.subject+": argument "+name, identityHint, "the model chooses it")
		}
		walk(field.Type, seen, func(t *model.Type) { c.identityFields(f, name+".", t.Fields, seen) })
	}
}

// walk visits the structs that a type leads to, each once, without going through
// their fields.
func walk(t *model.Type, seen map[*model.Type]bool, visit func(*model.Type)) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	if len(t.Fields) > 0 {
		visit(t)
	}
	walk(t.Elem, seen, visit)
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			walk(v.Type, seen, visit)
		}
	}
}
