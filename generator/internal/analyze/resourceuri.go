package analyze

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/internal/valid"
)

const notURI = "percent-encode what a URI cannot have, a space as %20"

// scheme matches the beginning of a URI (RFC 3986, section 3.1).
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// resourceURI reads the URI of a resource, or a template if it contains variables. It returns false
// if it reported a diagnostic.
func (a *analyzer) resourceURI(arg directive.Arg, at diag.Place) (t *uritemplate.Template, ok bool) {
	uri := arg.Value
	bad := func(offset int, hint, format string, args ...any) (*uritemplate.Template, bool) {
		a.diags.Errorf(arg.At(offset), at.Subject, "%s", fmt.Sprintf(format, args...)).Hint = hint
		return nil, false
	}
	if !a.visible(uri, "URI", at.At(arg.ValuePos)) {
		return nil, false
	}
	t, err := uritemplate.Parse(uri)
	if err != nil {
		hint := "supported are {x}, {+x}, {#x}, {.x}, {/x}, {;x}, {?x}, {&x}, with several names too, and {/x*}"
		if strings.HasPrefix(err.Error(), "literal ") {
			hint = notURI
		}
		return bad(faultOffset(uri, err), hint, "URI %s: %v", uri, err)
	}
	fault := valid.Template("the resource", t)
	if len(t.Variables()) == 0 {
		fault = valid.ResourceURI("the resource", t.Encoded())
	}
	if fault != nil {
		before, _, _ := strings.Cut(uri, "{")
		if scheme.MatchString(before) {
			return bad(0, fault.Hint, "%s", fault.Problem)
		}
		hint := "begin it with a scheme of your own, such as books://"
		if before != "" {
			hint += strings.TrimLeft(uri, "/")
		}
		return bad(0, hint, "URI %s has no scheme", uri)
	}
	return t, true
}

// faultOffset returns the offset of the expression that an error of package uritemplate names.
func faultOffset(uri string, err error) int {
	_, rest, ok := strings.Cut(err.Error(), "expression {")
	if !ok {
		return 0
	}
	for n := len(rest); n >= 0; n-- {
		if i := strings.Index(uri, "{"+rest[:n]); i >= 0 {
			return i
		}
	}
	return 0
}

// variableOffset returns the offset of a variable in a template.
func variableOffset(uri, name string) int {
	m := regexp.MustCompile(`\{[^}]*?[{,+#./;?&](` + regexp.QuoteMeta(name) + `)[,*}]|\{(` + regexp.QuoteMeta(name) + `)[,*}]`).FindStringSubmatchIndex(uri)
	switch {
	case m == nil:
		return 0
	case m[2] >= 0:
		return m[2]
	}
	return m[4]
}

// matchVariables checks that each variable of a template has an argument and each argument a
// variable.
func (a *analyzer) matchVariables(r *model.Resource, t *uritemplate.Template, uri directive.Arg, at diag.Place) bool {
	ok := true
	if r.Input.Whole {
		// All uses of the type share the plan of the struct.
		own := *r.Input.Object
		own.Variant, own.Fields = r.Name, nil
		for _, f := range r.Input.Object.Fields {
			field := *f
			own.Fields = append(own.Fields, &field)
		}
		r.Input.Object = &own
	}
	arguments := map[string]*model.Field{}
	var names []string
	for _, f := range r.Input.Object.Fields {
		arguments[f.Name] = f
		names = append(names, f.Name)
	}
	variables := map[string]bool{}
	lists := map[string]bool{}
	for _, v := range t.Variables() {
		variables[v.Name] = true
		if v.Exploded {
			lists[v.Name] = true
		}
		f := arguments[v.Name]
		if f == nil {
			d := a.diags.Errorf(uri.At(variableOffset(uri.Value, v.Name)), at.Subject, "no parameter takes the variable {%s}", v.Name)
			d.Hint = "give the function a parameter " + v.Name
			if near := diag.Nearest(v.Name, names); near != "" {
				d.Hint = "did you mean {" + near + "}?"
			}
			for _, p := range r.Func.Params {
				if p.Name == v.Name && p.Source == model.FromProvider {
					d.Hint = "leave the variable out: " + p.Provider.Func + " fills the parameter"
				}
			}
			ok = false
			continue
		}
		// A variable that a URI may leave out leaves the argument zero.
		if v.Optional || v.Exploded {
			f.Required = false
		}
	}
	for _, f := range r.Input.Object.Fields {
		if variables[f.Name] {
			continue
		}
		if (r.Input.Whole || f.Path[0].Inlined != nil) && !f.Required {
			continue
		}
		d := a.diags.Errorf(at.At(f.Pos).Pos, at.Subject, "argument %s is not a variable of the URI, so nothing can fill it", f.Name)
		by, param := r.NeededBy(f)
		name := ""
		if by != nil {
			name = argPath(param, a.types.Origin(f))
		}
		d.Hint = "add {" + f.Name + "} to the URI, or fill it by //mcp:arg " + cmp.Or(name, f.Name) + " inject=FUNC"
		if by != nil {
			d.Message = fmt.Sprintf("%s needs the argument %s, which is not a variable of the URI, so nothing can fill it", by.Func, f.Name)
			d.Relate(at.Pos, "the resource")
			if strings.Contains(name, ".") {
				d.Hint = "add {" + f.Name + "} to the URI, or leave it out by //mcp:arg " + name + " omit"
			}
		}
		if len(variables) == 0 {
			d.Hint = "add {" + f.Name + "} to the URI, which makes it a template"
		}
		ok = false
	}
	return ok && a.textArguments(&r.Call, lists, "a variable of a URI", at)
}

var variable = regexp.MustCompile(`[^{}+#./;?&,*]+`)

// shape returns a template without the names of its variables: two templates with the same shape
// match the same URIs.
func shape(uri string) string {
	var b strings.Builder
	for rest := uri; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(uritemplate.Normal(before))
		if !found {
			break
		}
		inside, after, _ := strings.Cut(after, "}")
		if op := inside[:min(1, len(inside))]; op == ";" || op == "?" || op == "&" {
			b.WriteString("{" + inside + "}") // the names are part of the URI
		} else {
			b.WriteString("{" + variable.ReplaceAllString(inside, "x") + "}")
		}
		rest = after
	}
	return b.String()
}
