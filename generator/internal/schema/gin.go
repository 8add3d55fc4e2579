package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// readsGin reports whether the tags form and uri belong to gin.
func (r *Resolver) readsGin(all []*member) bool {
	return r.Tags == GinTags || r.Tags == AnyTags && slices.ContainsFunc(all, func(m *member) bool { return m.tag.Get("binding") != "" })
}

// ginNames gives the members of an argument their names in a path, a query or a form, and returns
// the members that are arguments.
func ginNames(all []*member) []*member {
	var kept []*member
	for _, m := range all {
		uri, _, _ := strings.Cut(m.tag.Get("uri"), ",")
		form, _, _ := strings.Cut(m.tag.Get("form"), ",")
		uriTag, formTag := m.tag.Get("uri") != "" && uri != "-", m.tag.Get("form") != "" && form != "-"
		switch {
		case uriTag:
			m.in = "uri"
		case formTag:
			m.in = "form"
		case !m.tagged && (form == "-" || uri == "-"):
			continue
		}
		switch {
		case m.tagged:
		case uriTag && uri != "":
			m.name = uri
		case formTag && form != "":
			m.name = form
		}
		kept = append(kept, m)
	}
	return kept
}

// readGinForm reads the tags form, uri, time_format and collection_format of a member. A list is a
// JSON array, whatever its format in a query.
func (r *Resolver) readGinForm(s site, f *model.Field, m *member) {
	switch m.in {
	case "uri":
		f.Required = true
	case "form":
		f.Required = false
	default:
		return
	}
	if changed := asText(f.Type); changed != nil {
		f.Type = changed // "1h30m"
	}
	if layout := m.tag.Get("time_format"); layout != "" {
		utc, _ := strconv.ParseBool(m.tag.Get("time_utc"))
		if unit := strings.ToLower(layout); (&model.Type{Layout: unit}).UnixUnit() > 0 {
			layout = unit
		}
		if changed := inLayout(f.Type, layout, !utc); changed != nil {
			f.Type = changed
		}
		if zone := m.tag.Get("time_location"); zone != "" {
			r.leave(s, "set the zone in the function", "the tag time_location has no effect: a time without an offset is not in %s", zone)
		}
	}
	_, options, _ := strings.Cut(m.tag.Get("form"), ",")
	for option := range strings.SplitSeq(options, ",") {
		value, ok := strings.CutPrefix(option, "default=")
		if !ok {
			continue
		}
		text, ok := ginText(f.Type, value, m.tag.Get("collection_format"))
		if !ok {
			r.leave(s, "write a value of the type", "the default of the tag form has no effect: %s is not %s", value, article(base(f.Type)))
			continue
		}
		f.Default = &model.Value{JSON: text}
	}
}

// ginText returns a default as JSON. Elements of a list are separated as in the query; the tag
// contains ; instead of a comma.
func ginText(t *model.Type, value, format string) (text string, ok bool) {
	switch t = base(t); {
	case t.Kind == model.Slice || t.Kind == model.Array:
		separator := map[string]string{"ssv": " ", "tsv": "\t", "pipes": "|"}[format]
		if separator == "" {
			value, separator = strings.ReplaceAll(value, ";", ","), ","
		}
		var texts []string
		for v := range strings.SplitSeq(value, separator) {
			text, ok := ginText(t.Elem, v, "")
			if !ok {
				return "", false
			}
			texts = append(texts, text)
		}
		return "[" + strings.Join(texts, ",") + "]", true
	case jsonType(t) == "string":
		return jsontext.Quote(value), true
	case t.Kind == model.Bool:
		b, err := strconv.ParseBool(value)
		return strconv.FormatBool(b), err == nil
	case !jsontext.Valid(value) || t.Elem != nil || t.Kind == model.Reflect || t.Kind == model.Interface:
		return "", false
	}
	return value, true
}

// ginRequired adds, to a required member, the constraint that gin enforces in addition to its
// presence: a value other than zero.
func (r *Resolver) ginRequired(s site, f *model.Field, m *member) {
	rules := strings.Split(m.tag.Get("binding"), ",")
	if end := slices.Index(rules, "dive"); end >= 0 {
		rules = rules[:end]
	}
	if !slices.Contains(rules, "required") || isPointer(m.v.Type()) || f.Quoted {
		return
	}
	if f.Default != nil {
		f.Required = false
	}
	switch t := base(f.Type); t.Kind {
	case model.String:
		if unfit(t, &f.Rules, `""`) == "" {
			f.Rules.SetLimit("minLength", "1")
		}
	case model.Uint:
		if unfit(t, &f.Rules, "0") == "" {
			f.Rules.SetLimit(keyword.Minimum, "1")
		}
	case model.Int, model.Float:
		if unfit(t, &f.Rules, "0") == "" && s.use != Result {
			r.leave(s, "write min=1, or check it in the function", "required of the tag binding refuses 0, and the schema accepts it")
		}
	case model.Bool:
		if s.use != Result {
			r.leave(s, "check it in the function", "required of the tag binding refuses false, and the schema accepts it")
		}
	}
}

// ginTags are the tags that are read here, so they are not reported as tags without effect.
var ginTags = []string{"form", "uri", "time_format", "time_utc", "time_location", "collection_format"}
