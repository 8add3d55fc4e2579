package analyze

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// collectResources turns every //mcp:resource into a resource or a template of the model.
func (a *analyzer) collectResources() {
	for _, d := range a.selected("resource") {
		r := a.resource(d)
		switch {
		case r == nil:
		case len(r.Variables) > 0 || r.Files():
			a.out.Templates = append(a.out.Templates, r)
		default:
			a.out.Resources = append(a.out.Resources, r)
		}
	}
}

// finishResources puts the resources in the order of their URIs.
func (a *analyzer) finishResources() {
	order := func(x, y *model.Resource) int {
		return cmp.Or(cmp.Compare(x.URI, y.URI), cmp.Compare(x.Symbol(), y.Symbol()))
	}
	slices.SortFunc(a.out.Resources, order)
	slices.SortFunc(a.out.Templates, order)
	a.checkResources()
}

// resource builds one resource. It returns nil if it reported a diagnostic.
func (a *analyzer) resource(d declared) *model.Resource {
	at := diag.Place{Pos: d.dir.Pos, Subject: "resource " + d.set.Name}
	words := d.dir.Words()
	if len(words) == 0 {
		return nil // refused before
	}
	uri := words[0]
	r := &model.Resource{URI: uri.Value}
	template, ok := a.resourceURI(uri, at)
	if template != nil {
		r.URI = template.Encoded()
		for _, v := range template.Variables() {
			r.Variables = append(r.Variables, v.Name)
		}
	}
	ok = a.resourceKeys(r, d.dir, at) && ok
	if valid.IsUI(r.URI) {
		a.pages = append(a.pages, pageURI{r.URI, template})
	}
	ok = a.pageUI(r, d.dir, at) && ok
	if a.calleeOf(d) == nil && (d.set.Target == directive.Var || d.set.Target == directive.Const) {
		return a.valueResource(r, d, ok, at)
	}
	fn := a.annotated(d, at)
	if fn == nil {
		return nil
	}
	var good bool
	if r.Func, good = a.function(fn, d, at); !good {
		return nil
	}
	settings := a.settingsFor(d)
	a.readTags(settings, d.set)
	r.Feature, good = a.feature(d, settings, a.goodResourceName, at)
	ok = good && ok
	ok = a.input(&r.Call, r.Name, d, fn, at) && ok
	if ok && template != nil && r.Input.Object != nil {
		ok = a.matchVariables(r, template, uri, at) && ok
		ok = a.noAlias(&r.Call, d, "a variable of a URI", at) && ok
		r.Completions, good = a.completions(&r.Call, d, fn, at)
		ok = good && ok
	}
	result, good := a.result(d, fn, a.resourceResult, at)
	if r.Result = result; good && result.Kind == model.ResultNone {
		a.diags.Errorf(at.Pos, at.Subject, "the function returns nothing that could be read").Hint = resourceForms
		good = false
	}
	if good && r.UI != nil && result.Kind == model.ResultStructured {
		a.diags.Errorf(at.Pos, at.Subject, "a page is HTML, and the function returns JSON").Hint = "return a string with the whole page"
		good = false
	}
	if !ok || !good {
		return nil
	}
	if r.MIME == "" {
		switch result.Kind {
		case model.ResultText:
			r.MIME = "text/plain"
		case model.ResultStructured:
			r.MIME = "application/json"
		}
	}
	return r
}

// resourceKeys reads the directive's keys for the content.
func (a *analyzer) resourceKeys(r *model.Resource, dir *directive.Directive, at diag.Place) (ok bool) {
	r.MIME, ok = a.mediaType(dir, at)
	if audience, set := dir.Get("audience"); set {
		for _, item := range audience.Names() {
			if !valid.IsRole(item.Value) {
				a.diags.Errorf(item.Pos, at.Subject, "there is no audience %q", item.Value).Hint = "write user, assistant, or both"
				ok = false
				continue
			}
			r.Audience = append(r.Audience, item.Value)
		}
	}
	if priority, set := dir.Get("priority"); set {
		r.Priority = priority.Value
		if f, err := strconv.ParseFloat(priority.Value, 64); err != nil || !valid.IsFraction(f) {
			a.diags.Errorf(priority.ValuePos, at.Subject, "priority %s is not from 0 to 1", priority.Value).
				Hint = "0 is entirely optional, 1 is required"
			ok = false
		}
	}
	r.TTL, _ = dir.Duration("ttl")
	r.Cache, _ = dir.String("cache")
	return ok
}

const resourceForms = "return a string, []byte, io.Reader, mcp.ResourceContents or any type with a JSON form, optionally with an error or with a bool that reports whether it was found"

// resourceResult determines the result for the one value of a resource.
func (a *analyzer) resourceResult(res *model.Result, t types.Type, at diag.Place) bool {
	form, name := runtimeForm(t)
	switch {
	case a.types.EncodesText(t):
		return a.encodedText(res, t, at)
	case isText(t):
		res.Kind = model.ResultText
	case isBytes(t):
		res.Kind = model.ResultBlob
	case name == "ResourceContents" && form != model.FormPointer, name == "ResourceResult" && form != model.FormMany:
		if res.Kind, res.Form = model.ResultResource, form; name == "ResourceResult" && form == model.FormOne {
			res.Form = model.FormWhole
		}
	case isReader(t):
		res.Kind = model.ResultReader
	case a.runtimeKind(t):
		a.diags.Errorf(at.Pos, at.Subject, "%s is a result of tools, not of resources", a.shortType(t)).Hint = resourceForms
		return false
	default:
		if _, _, ok := sequence(t); ok {
			a.diags.Errorf(at.Pos, at.Subject, "a resource is read at once, so it cannot be a stream").Hint = "return a slice"
			return false
		}
		res.Kind = model.ResultStructured
		res.Output = a.resolve(t, at)
		return res.Output != nil
	}
	return true
}

// runtimeKind reports whether a type is one of the runtime's results of tools.
func (a *analyzer) runtimeKind(t types.Type) bool {
	kind, _ := a.runtimeResult(t)
	return kind != model.ResultStructured && kind != model.ResultText
}

// valueResource builds a resource from a variable or constant.
func (a *analyzer) valueResource(r *model.Resource, d declared, ok bool, at diag.Place) *model.Resource {
	obj := a.object(d.set)
	if obj == nil || obj.Name() == "_" {
		a.diags.Errorf(at.Pos, at.Subject, "a value without a name cannot be a resource").Hint = "give it a name"
		return nil
	}
	if spec, several := d.set.Node.(*ast.ValueSpec); several && len(spec.Names) > 1 {
		a.diags.Errorf(at.Pos, at.Subject, "%d values are declared here, and the directive is about one", len(spec.Names)).
			Hint = "declare them apart"
		ok = false
	}
	if len(r.Variables) > 0 {
		a.diags.Errorf(at.Pos, at.Subject, "a value cannot be a template, since no parameter takes the variables").
			Hint = "leave the variables out, or annotate a function"
		ok = false
	}
	for _, word := range []string{"arg", "params", "result"} {
		if line := d.set.Get(word); line != nil {
			a.diags.Errorf(line.Pos, at.Subject, "a value has no arguments and no results").Hint = "delete the line"
			ok = false
		}
	}
	if !a.exported(obj, "the value", at) {
		return nil
	}
	r.Value = &model.Static{Pkg: a.pkgOf(), Name: obj.Name(), Type: obj.Type()}
	switch t := obj.Type(); {
	case isText(t):
		r.Value.Kind = model.ValueText
		r.MIME = cmp.Or(r.MIME, "text/plain")
	case isBytes(t):
		r.Value.Kind = model.ValueBytes
	case isEmbedFS(t):
		r.Value.Kind = model.ValueFiles
		if icon, set := d.dir.Get("icon"); set {
			a.diags.Errorf(icon.Pos, at.Subject, "files have no icon").Hint = "leave it out"
			ok = false
		}
		if meta, set := d.dir.Get("meta"); set {
			a.diags.Errorf(meta.Pos, at.Subject, "files have no metadata").Hint = "leave it out"
			ok = false
		}
		if r.UI != nil {
			a.diags.Errorf(at.Pos, at.Subject, "a page is one file, and the value is a tree of files").
				Hint = "embed the page into a string: //go:embed page.html above var page string"
			ok = false
		}
		if !strings.HasSuffix(r.URI, "/") {
			r.URI += "/"
		}
		if fault := valid.FilesPrefix("the files", r.URI); fault != nil {
			a.diags.Errorf(at.Pos, at.Subject, "%s", fault.Problem).Hint = fault.Hint
			ok = false
		}
	default:
		a.diags.Errorf(at.Pos, at.Subject, "a value of type %s cannot be a resource", a.shortType(t)).
			Hint = "use a string, []byte or embed.FS, or annotate a function that returns it"
		ok = false
	}
	if ok && r.UI != nil {
		ok = a.checkPage(r.UI, d.set, at)
	}
	if timeout, set := d.dir.Get("timeout"); set {
		a.diags.Errorf(timeout.Pos, at.Subject, "a value is there at once, so it has no timeout").Hint = "leave it out"
		ok = false
	}
	s := a.settingsFor(d)
	s.timeout = 0
	if r.Files() {
		s.icons = nil
	}
	feature, good := a.feature(d, s, a.goodResourceName, at)
	if r.Feature = feature; !ok || !good {
		return nil
	}
	return r
}

func isEmbedFS(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "embed" && named.Obj().Name() == "FS"
}

// checkResources refuses names and URIs that are published twice.
func (a *analyzer) checkResources() {
	names, uris := a.claims(), a.claims()
	for _, r := range slices.Concat(a.out.Resources, a.out.Templates) {
		by := claim{"resource " + r.Symbol(), r.Symbol(), r.Pos}
		names.take(r.Name, "the name \""+r.Name+"\" is already published", "give one of them another name: //mcp:resource URI name=...", by)
		what := "the URI " + r.URI + " is already published"
		if len(r.Variables) > 0 || r.Files() {
			what = "the URIs of " + r.Template() + " are already published"
		}
		uris.take(shape(r.Template()), what, "give one of them another URI", by)
	}
}
